"""The mathematics for torch and jax, stated once: formulas without branches on numbers.

`xp` is the backend object of geomlin.backends.framework: torch or jax behind one set of names.
Choices are masks, so that everything can be traced, mapped and compiled; derivatives are those of
the formulas, or are stated with an implicit rule, and never pass through eigenvectors.

What to know:

* log, rotor_from_matrix and invariant_decomposition take their values from the numpy kernels on the
  host, traced or not, and their derivatives, of every order, from formulas of the framework.
* torch computes in float64 and rounds once; jax does so if jax_enable_x64 is set, else float32.
* exp for n >= 6 inside a trace reaches |B| = 2^20 in jax and 2^12 in torch, and gives NaN beyond.
  Where all is computed in float32 it also leaves the rotors by about eps |B|: from |B| = 2^9 on
  rotor_to_matrix may not know its result as a rotor.  Outside of traces numpy takes over before.
* What depends on a NaN inside a trace is NaN; predicates and flags are False, kinds of planes -1.
* torch.compile reads every operator, also with tensors, constructors, and the properties of an
  algebra into one whole graph.  It cannot read A == B and A.as_dict(), whose answers are Python
  values that depend on numbers, nor algebra.random.
* Derivatives of lifts and decompositions are offered for r <= 1; not offered at all are blocks and
  complex parts, rotor_between of opposite vectors, and versor_factorization.
"""
