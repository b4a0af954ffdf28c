"""Why a vector exists: each flag names a mistake that was made somewhere, and says where.

Failing flags of kind "convention" are read first: while they fail, the other numbers say little.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

KINDS = ("convention", "shape", "domain", "number")


@dataclass(frozen=True)
class Flag:
    """A kind of mistake, why a backend makes it, and where it was seen."""

    kind: str
    reason: str
    seen: str = ""


def _convention(reason: str, seen: str = "") -> Flag:
    return Flag("convention", reason, seen)


def _shape(reason: str, seen: str = "") -> Flag:
    return Flag("shape", reason, seen)


def _domain(reason: str, seen: str = "") -> Flag:
    return Flag("domain", reason, seen)


def _number(reason: str, seen: str = "") -> Flag:
    return Flag("number", reason, seen)


FLAGS: Mapping[str, Flag] = MappingProxyType(
    {
        "SIGN": _convention(
            "a sign: of a swap in the product, of e_i e_i, of the reverse, or exp(-b) for exp(b)",
            "galaga 1.8.1: blade('e21') is +e12",
        ),
        "ORDER": _convention(
            "factors or sides are exchanged: b a for a b, ~v x v for v x ~v",
            "clifford 1.5.1: LinearMatrix.from_rotor applies ~R x R",
        ),
        "HALF_ANGLE": _convention(
            "exp(-b/2) or exp(b/2) for exp(b)", "clifra and pygafro layers use exp(-b/2)"
        ),
        "BLADE_ORDER": _convention(
            "coefficients in bitmask order (e12, e13, e23, e14, ..) instead of by grade and then "
            "lexicographically",
            "clifra, galaga and numga store blades in bitmask order",
        ),
        "TRANSPOSED": _convention(
            "matrix rows are the images, where column j is the image of e_j",
            "clifford 1.5.1: LinearMatrix.from_rotor",
        ),
        "DUAL_CONVENTION": _convention(
            "the dual is a I^-1, not I^-1 a, a I or the complement",
            "galgebra 0.6.0: the dual depends on a process-wide mode",
        ),
        "BATCH": _shape(
            "several elements at once: leading axes, one of them of length 1, mixed sizes; the "
            "answers are those of the single calls",
            "scaling, branching or normalising by the largest element of a batch",
        ),
        "NOT_FINITE": _domain(
            "NaN or infinity: an error, or NaN; never a number and never an endless loop",
            "clifford 1.5.1: exp of NaN does not return; scipy 1.17.1: nor does "
            "Rotation.from_matrix of a matrix with an infinite entry",
        ),
        "NOT_A_ROTOR": _domain(
            "an even element that is no rotor, or not normalised: an error, or the answer for "
            "r / |r|",
            "numga, clifford and pygafro: 0.04 to 0.1 off for 1.1 r",
        ),
        "NO_LOGARITHM": _domain(
            "a rotor that is exp(b) of no bivector: an error or NaN",
            "clifford 1.5.1: log_rotor is 2e4 off for -exp(boost) in Cl(1,2)",
        ),
        "NOT_INVERTIBLE": _domain("a null element has no inverse", "clifford: ** -1 returns a"),
        "REFLECTION": _domain(
            "an orthogonal matrix of determinant -1 is no rotation",
            "scipy issue 15002: it became some other rotation",
        ),
        "OTHER_COMPONENT": _domain(
            "a Lorentz matrix of determinant 1 that reverses time and space comes from no rotor "
            "with r ~r = 1"
        ),
        "NEAREST": _domain(
            "a matrix that is orthogonal to 1e-8: the rotor of the nearest rotation, or an error; "
            "not an element that is no rotor",
            "clifford 1.5.1: noise of 1e-6 gives r ~r - 1 of 2e-6",
        ),
        "NOT_ORTHOGONAL": _domain("a matrix that is far from preserving the metric"),
        "NOT_DECOMPOSABLE": _domain(
            "a bivector that is no sum of commuting real simple ones: an error",
            "numga: NaN; others: parts that are not simple",
        ),
        "GENERIC": _number("the ordinary case"),
        "INTEGERS": _number("small integers: every step is exact, and so is the answer"),
        "ZERO": _number("the argument is zero, or the identity: 0/0 in sin(x)/x"),
        "TINY": _number("squares underflow or vanish beside 1", "galaga: log is 0 below 3e-8"),
        "LARGE_ANGLE": _number(
            "a series without scaling, or without range reduction",
            "galaga 1.8.1: exp is 4e25 off at angles (40, 25)",
        ),
        "DENSE_NORM": _number(
            "every coefficient is below 1 but the norm is not: scaling by the largest coefficient",
            "clifford 1.5.1: exp is 1e-6, 2e-2, 6 off for n = 4, 6, 8",
        ),
        "NON_SIMPLE": _number(
            "more than one plane: cos|b| + sin|b| b/|b| is wrong, there is a grade-4 part",
            "galaga and clifford log_rotor: 0.2 to 1.1 off; kingdon and galgebra refuse",
        ),
        "MANY_PLANES": _number(
            "three or more planes: a routine that keeps some of them",
            "clifra 1.4.0: exp keeps 4 planes for n >= 10",
        ),
        "ISOCLINIC": _number(
            "equal angles: planes are not unique, differences of squares vanish",
            "numga: NaN on e12 + e34; clifford g3c: parts that are not simple",
        ),
        "NEAR_ISOCLINIC": _number(
            "nearly equal angles: differences of squares lose all digits",
            "clifford g3c and numga: parts not simple at a gap of 1e-9",
        ),
        "ONE_PLANE": _number("one plane in a space of many: zero squares beside it"),
        "NEAR_IDENTITY": _number(
            "acos of the scalar part loses half of the digits near 1",
            "pygafro and galaga: log is off by its own size below 1e-4 and 3e-8",
        ),
        "NEAR_MINUS_ONE": _number(
            "the vector part vanishes and the angle does not",
            "clifford log_rotor: 8e6 b instead of b at an angle of pi - 1e-9",
        ),
        "NEGATIVE_SCALAR": _number(
            "the logarithm of r, not of -r", "clifford g3c general_logarithm: the log of -r"
        ),
        "MINUS_ONE": _number(
            "log(-1) exists and is not unique; the answer of the convention, or an error",
            "galaga, clifford, pygafro: 0",
        ),
        "HALF_TURN": _number(
            "the scalar part vanishes; tan and Cayley transforms are infinite",
            "clifford g3c: log is 0 within 2e-9 of it",
        ),
        "MIXED_SIGNATURE": _number(
            "boosts and rotations: cosh where cos was meant, or the reverse"
        ),
        "BOOST": _number(
            "large rapidity: coefficients grow like cosh", "squaring loses e^(2 rapidity) eps"
        ),
        "NULL": _number("b b = 0 and b is not zero", "clifford log_rotor: NameError; numga: NaN"),
        "DEGENERATE": _number(
            "a null basis vector: translations and screws",
            "clifford g3c ga_exp: NaN for a translation; galaga log: 0",
        ),
        "JORDAN": _number("a defective generator: no eigenvector basis", "numga: NaN"),
        "COMPLEX_PAIR": _number("the parts are complex conjugates", "numga: NaN"),
        "MIXED_SCALES": _number("coefficients over many orders of magnitude"),
        "GRADIENT": _number(
            "the gradient in the coordinates b_ij, not in those of the Lie algebra",
            "pypose issue 335",
        ),
        "GRADIENT_AT_ZERO": _number(
            "the gradient at b = 0 or at r = 1: the unused branch of a where is NaN",
            "torch_ga: NaN; kornia issue 4404",
        ),
        "GRADIENT_EQUAL_ANGLES": _number(
            "the gradient at equal angles or at an exact plane: derivatives of eigenvectors are "
            "NaN, or silently wrong",
            "torch.linalg.eigh; torch_ga: 0.7 off at one plane of four dimensions",
        ),
        "GRADIENT_NEAR_EQUAL": _number(
            "the gradient at nearly equal angles: 1 / gap amplifies rounding"
        ),
        "GRADIENT_NULL": _number("the gradient where b b = 0", "torch_ga: NaN; kingdon: 0.6 off"),
        "GRADIENT_HALF_TURN": _number(
            "the gradient at a half turn: atan2 and acos at a vanishing scalar part",
            "jaxlie issue 9",
        ),
    }
)
