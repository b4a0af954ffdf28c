"""The experiments of "Composing Linear Layers from Irreducibles" (arXiv 2507.11688), reproducible.

Each experiment writes its folder as it goes, and a run that was interrupted goes on from there:
the same numbers come out as without the interruption.
"""
