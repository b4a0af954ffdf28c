"""geomlin: a symbolic and numeric reference library for Clifford (geometric) algebra.

Multivectors of Cl(p,q,r), n <= 12; exponentials, invariant decomposition and the double cover
Spin -> SO in every signature, checked against exact algebra and other libraries by `verify`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .algebra import Algebra as Algebra
from .errors import BackendMissing as BackendMissing
from .errors import DatasetMissing as DatasetMissing
from .errors import DtypeError as DtypeError
from .errors import GeomlinError as GeomlinError
from .errors import LayoutError as LayoutError
from .errors import NonFiniteInput as NonFiniteInput
from .errors import NoRealLogarithm as NoRealLogarithm
from .errors import NotARotor as NotARotor
from .errors import NotDecomposable as NotDecomposable
from .errors import NotInImage as NotInImage
from .errors import NotInvertible as NotInvertible
from .errors import NotOrthogonal as NotOrthogonal
from .errors import NotSupported as NotSupported
from .errors import RapidityOverflow as RapidityOverflow
from .errors import SignatureMismatch as SignatureMismatch
from .errors import Undecided as Undecided
from .errors import UnknownBlade as UnknownBlade
from .errors import VacuousHypotheses as VacuousHypotheses
from .multivector import Multivector as Multivector
from .ops.cayley import cayley as cayley
from .ops.cayley import cayley_inverse as cayley_inverse
from .ops.collections import concatenate as concatenate
from .ops.collections import stack as stack
from .ops.decomposition import ComplexDecomposition as ComplexDecomposition
from .ops.decomposition import Decomposition as Decomposition
from .ops.decomposition import invariant_decomposition as invariant_decomposition
from .ops.duality import complement as complement
from .ops.duality import dual as dual
from .ops.duality import regressive_product as regressive_product
from .ops.duality import undual as undual
from .ops.exponential import exp as exp
from .ops.exponential import outer_exp as outer_exp
from .ops.factorization import versor_factorization as versor_factorization
from .ops.grades import even as even
from .ops.grades import grade as grade
from .ops.grades import odd as odd
from .ops.interpolation import power as power
from .ops.interpolation import slerp as slerp
from .ops.interpolation import sqrt as sqrt
from .ops.inverse import inverse as inverse
from .ops.involutions import conjugate as conjugate
from .ops.involutions import involute as involute
from .ops.involutions import reverse as reverse
from .ops.lift import rotor_from_matrix as rotor_from_matrix
from .ops.lift_path import lift_path as lift_path
from .ops.logarithm import Logarithm as Logarithm
from .ops.logarithm import log as log
from .ops.matrices import rotor_to_matrix as rotor_to_matrix
from .ops.norms import norm as norm
from .ops.norms import norm_squared as norm_squared
from .ops.norms import normalize as normalize
from .ops.planes import rotor_from_plane as rotor_from_plane
from .ops.planes import rotor_in_plane as rotor_in_plane
from .ops.power_iteration import PowerIteration as PowerIteration
from .ops.power_iteration import power_iteration_decomposition as power_iteration_decomposition
from .ops.predicates import is_rotor as is_rotor
from .ops.predicates import is_simple as is_simple
from .ops.predicates import is_versor as is_versor
from .ops.predicates import isclose as isclose
from .ops.products import anticommutator as anticommutator
from .ops.products import commutator as commutator
from .ops.products import geometric_product as geometric_product
from .ops.products import left_contraction as left_contraction
from .ops.products import outer_product as outer_product
from .ops.products import right_contraction as right_contraction
from .ops.products import scalar_product as scalar_product
from .ops.projections import project as project
from .ops.projections import reject as reject
from .ops.rotor_between import rotor_between as rotor_between
from .ops.rotor_decomposition import RotorDecomposition as RotorDecomposition
from .ops.rotor_decomposition import rotor_decomposition as rotor_decomposition
from .ops.versors import reflect as reflect
from .ops.versors import sandwich as sandwich
from .ops.versors import versor_action as versor_action
from .plane_kind import PlaneKind as PlaneKind
from .storage import load as load
from .storage import save as save
from .verdict import Strength as Strength
from .verdict import Verdict as Verdict

if TYPE_CHECKING:
    from . import conformance as conformance
    from . import derivatives as derivatives
    from . import identities as identities
    from . import interop as interop
    from . import nn as nn
    from . import spinor as spinor
    from .proving.outcome import Counterexample as Counterexample
    from .proving.outcome import NotRun as NotRun
    from .proving.outcome import Proof as Proof
    from .proving.prover import prove as prove
    from .report import Report as Report
    from .verification.run import verify as verify

__version__ = "0.1.0"

__all__ = [
    "Algebra",
    "BackendMissing",
    "ComplexDecomposition",
    "Counterexample",
    "DatasetMissing",
    "Decomposition",
    "DtypeError",
    "GeomlinError",
    "LayoutError",
    "Logarithm",
    "Multivector",
    "NoRealLogarithm",
    "NonFiniteInput",
    "NotARotor",
    "NotDecomposable",
    "NotInImage",
    "NotInvertible",
    "NotOrthogonal",
    "NotRun",
    "NotSupported",
    "PlaneKind",
    "PowerIteration",
    "Proof",
    "RapidityOverflow",
    "Report",
    "RotorDecomposition",
    "SignatureMismatch",
    "Strength",
    "Undecided",
    "UnknownBlade",
    "VacuousHypotheses",
    "Verdict",
    "anticommutator",
    "cayley",
    "cayley_inverse",
    "commutator",
    "complement",
    "concatenate",
    "conformance",
    "conjugate",
    "derivatives",
    "dual",
    "even",
    "exp",
    "geometric_product",
    "grade",
    "identities",
    "interop",
    "invariant_decomposition",
    "inverse",
    "involute",
    "is_rotor",
    "is_simple",
    "is_versor",
    "isclose",
    "left_contraction",
    "lift_path",
    "load",
    "log",
    "nn",
    "norm",
    "norm_squared",
    "normalize",
    "odd",
    "outer_exp",
    "outer_product",
    "power",
    "power_iteration_decomposition",
    "project",
    "prove",
    "reflect",
    "regressive_product",
    "reject",
    "reverse",
    "right_contraction",
    "rotor_between",
    "rotor_decomposition",
    "rotor_from_matrix",
    "rotor_from_plane",
    "rotor_in_plane",
    "rotor_to_matrix",
    "sandwich",
    "save",
    "scalar_product",
    "slerp",
    "spinor",
    "sqrt",
    "stack",
    "undual",
    "verify",
    "versor_action",
    "versor_factorization",
]

# Loaded on first use, so that `import geomlin` needs the standard library and numpy only.
_ON_FIRST_USE = {
    "Counterexample": ("proving.outcome", "Counterexample"),
    "NotRun": ("proving.outcome", "NotRun"),
    "Proof": ("proving.outcome", "Proof"),
    "Report": ("report", "Report"),
    "conformance": ("conformance", None),
    "derivatives": ("derivatives", None),
    "identities": ("identities", None),
    "interop": ("interop", None),
    "prove": ("proving.prover", "prove"),
    "nn": ("nn", None),
    "spinor": ("spinor", None),
    "verify": ("verification.run", "verify"),
}


def __getattr__(name: str) -> Any:
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _ON_FIRST_USE[name]
    loaded = import_module(f".{module}", __name__)
    return loaded if attribute is None else getattr(loaded, attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_FIRST_USE})
