"""The mathematics for torch and jax, stated once: formulas without branches on numbers.

`xp` is the backend object of geomlin.backends.framework: torch or jax behind one set of names.
Choices are masks, so that everything can be traced, mapped and compiled; derivatives are those of
the formulas, or are stated with an implicit rule, and never pass through eigenvectors.

What to know:

* log, rotor_from_matrix and invariant_decomposition take their values from the numpy kernels on the
  host, traced or not, and their derivatives, of every order, from formulas of the framework.
* torch computes in float64 and rounds once; jax does so if jax_enable_x64 is set, else float32.
* exp for n >= 6 inside a trace reaches |B| = 2^20 in jax and 2^12 in torch, and gives NaN beyond.
* Under torch.compile write reverse(R), not ~R, which its compiler does not read.
* Derivatives of lifts and decompositions are offered for r <= 1; not offered at all are blocks and
  complex parts, rotor_between of opposite vectors, and versor_factorization.
"""
