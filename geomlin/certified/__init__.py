"""Rigorous enclosures over balls: exp, log, roots, the double cover and the decomposition.

What a ball result means: for all numbers inside the input balls that satisfy the hypotheses (be a
rotor, be an isometry), the true result lies inside the output balls.  Where no such statement can
be proved, Undecided is raised; no function here returns an estimate.
"""
