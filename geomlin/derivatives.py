"""Derivatives of exp, log, the double cover and the invariant decomposition.

For each function f: `f_jvp` maps a tangent of the argument to the tangent of the value, and `f_vjp`
is its transpose for the coefficient dot product, <C, f_jvp(x, t)> = <f_vjp(x, C), t>.  Tangents and
cotangents are multivectors (matrices are arrays); batches broadcast.
"""

from .ops.derivatives_of_cover import rotor_from_matrix_jvp as rotor_from_matrix_jvp
from .ops.derivatives_of_cover import rotor_from_matrix_vjp as rotor_from_matrix_vjp
from .ops.derivatives_of_cover import rotor_to_matrix_jvp as rotor_to_matrix_jvp
from .ops.derivatives_of_cover import rotor_to_matrix_vjp as rotor_to_matrix_vjp
from .ops.derivatives_of_decomposition import decomposition_jvp as decomposition_jvp
from .ops.derivatives_of_decomposition import decomposition_vjp as decomposition_vjp
from .ops.derivatives_of_exp import exp_jvp as exp_jvp
from .ops.derivatives_of_exp import exp_vjp as exp_vjp
from .ops.derivatives_of_exp import log_jvp as log_jvp
from .ops.derivatives_of_exp import log_vjp as log_vjp
