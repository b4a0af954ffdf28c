"""Every number in the code of exp, log, lift and decomposition at which one formula gives way to
another, with what it separates.

The constants stay beside the formulas that use them; here they are listed, so that a test can take
a bivector to either side of each, and so that a new one is not forgotten.

    for threshold in THRESHOLDS:
        print(threshold.name, threshold.value, threshold.separates)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType


@dataclass(frozen=True)
class Threshold:
    """A named constant of a kernel module, and the routes or verdicts on its two sides."""

    operation: str
    module: str
    constant: str
    separates: str

    @property
    def name(self) -> str:
        """Module and constant."""
        return f"{self.module}.{self.constant}"

    @property
    def value(self) -> float:
        """What the code compares with."""
        return float(getattr(import_module(f"geomlin.{self.module}"), self.constant))


def _listed(operation: str, module: str, **constants: str) -> tuple[Threshold, ...]:
    return tuple(Threshold(operation, module, name, text) for name, text in constants.items())


THRESHOLDS: tuple[Threshold, ...] = (
    *_listed(
        "exp",
        "kernels.closed_form",
        SERIES_RADIUS="power series in B^2 below, cosh and sinh of its square roots above",
        LARGEST_UNPOLISHED="|B| of a definite Cl(5) from which the nearest rotor is taken",
        LARGEST_PLAIN="sum of squares from which coefficients are scaled before squaring",
    ),
    *_listed(
        "exp",
        "kernels.closed_form_scalar",
        LARGEST_TOTAL="single bivectors in Python floats below, arrays above",
        LARGEST_ROUGH_TOTAL="the same where the nearest rotor is taken",
        LARGEST_CANCELLING="the same where squares of both signs cancel",
        LARGEST_CANCELLATION="how much they must cancel for that",
    ),
    *_listed(
        "exp",
        "kernels.exponential",
        POSITIVE_SCALAR="|B| up to which the sign of R needs no half rotor",
        LARGEST_SQUARED="|B| in definite metrics: squaring below, eigenvectors above",
        LARGEST_DOUBLED="|B| in indefinite metrics beyond which exp refuses",
        LARGEST_LOSS="|R|^2 / |R^2| above which the series is summed in fixed-point numbers",
        LARGEST_RADIUS="eigenvalues of the action beyond those of any finite exp",
    ),
    *_listed(
        "exp",
        "kernels.doubling",
        SERIES_RADIUS="norm from which the argument is halved first",
        GROWTH="|y_ij| up to which the action is squared, then the Cayley parameter",
    ),
    *_listed(
        "exp",
        "kernels.spinor_exponential",
        LARGEST_SIZE="|B| up to which single bivectors take the spinor matrices",
        LARGEST_DEFINITE_SIZE="the same in definite metrics",
    ),
    *_listed(
        "lift",
        "kernels.pfaffian",
        LARGEST_ENTRY="|t_ij| above which the pivot changes",
    ),
    *_listed(
        "lift",
        "kernels.nearest_isometry",
        STRONG="cosh of the rapidity from which a boost is split off",
        CONVERGES="defect up to which Newton's iteration is trusted",
    ),
    *_listed(
        "decomposition",
        "kernels.canonical",
        TIE="relative gap of two magnitudes: one canonical cluster below, two planes above",
        PIVOT_SLACK="how much longer a later axis must be to become the pivot",
    ),
    *_listed(
        "decomposition",
        "kernels.ordering",
        WIDEST="how far skew parts widen their ties",
    ),
    *_listed(
        "decomposition",
        "kernels.indefinite",
        LARGEST_PROJECTOR="norm of spectral projectors: planes below, one block above",
    ),
    *_listed(
        "log",
        "kernels.logarithm",
        CUT="pi - beta_1 - beta_2 below which the branch is flagged",
        ROUNDING="what beside -1 is rounding: the plane then suits the translation",
    ),
    *_listed(
        "log",
        "kernels.log_closed",
        NEAR_DOUBLE="Taylor series of equal planes below, two separate ones above",
        ROUNDING="what the scalar part may be below -1",
        CANCELLED="part of |v|^2 that v^2 must be for the angle to be taken from the sine",
        SMALLEST="sine below which it is not",
        TURNED="cosine from which the angle is taken from the sine",
        NEAR_ONE="series at 1 inside, recursion outside",
    ),
    *_listed(
        "log",
        "kernels.log_definite",
        HALF_TURN="distance to pi/2 at which a plane counts as half-turned",
        AT_HALF_TURN="the same at which rounding chose its sign",
        PIVOT_SLACK="how much longer a later axis must be to become the pivot",
        SMALL_TANGENT="tangents that equal their angles",
        ROUNDING="deviation of exp(B) that does not speak against a correction",
    ),
    *_listed(
        "log",
        "kernels.log_principal",
        LARGE="log of the eigenvalues that are split off in null spaces",
        GAP="distance of two such groups",
        SATURATED="log from which a boost is read off the size of R",
        CLIPPED="log from which nothing but rounding is left",
        NEGATIVE="angle to the negative axis below which an eigenvalue lies on it",
        UNCERTAIN="size of -O - 1 at which eigenvalues may be -1",
        ROUNDING="errors assumed in the coefficients of R",
        SMALL="short series of atanh below, other routes above",
        REPRODUCED="deviation from R up to which such a result is kept",
    ),
    *_listed(
        "log",
        "kernels.log_matrix",
        CONVERGED="change at which an iteration has found a square root",
        SETTLED="change at which it ends",
        NEAR="series of the logarithm inside, square roots outside",
        BLUNT="distance of cosh B from -1 below which its route is left",
        ON_AXIS="angle to the cut of cosh B below which its route is left too",
        PURE="other grades that its result may show",
    ),
    *_listed(
        "log",
        "kernels.log_half_turns",
        EQUAL="difference of two negative eigenvalues that form a pair",
        PAIRED="the same in units of rounding",
        UNIT="log of a negative eigenvalue that counts as -1",
        DEGENERATE="form on a subspace that cannot be split off",
        SEMISIMPLE="form or plane that counts as zero",
        UNSURE="size up to which the verdict is flagged",
    ),
    *_listed(
        "log",
        "kernels.log_refine",
        NEAR="distance to pi/2 of planes found again from the small coefficients",
        SKEW="form on the span of such planes below which it is left alone",
        SMALL="short series of atanh below, logarithm above",
        EXACT="tangent of a plane that is half-turned exactly",
        ROUNDINGS="the same in units of the terms it is made of",
        ROUNDING="residual that is nothing but rounding",
        WORSE="growth of the residual at which the new planes are dropped",
    ),
    *_listed(
        "log",
        "kernels.log_turn",
        SEPARATED="gap of angles that lets a plane be found in a space of its own",
        LOST="error of a turn from which its plane is none",
        STRETCH="skewness of that space from which it is not used",
    ),
    *_listed(
        "log",
        "kernels.log_branch",
        KERNEL="size of B on vectors that it fixes",
        ROUNDING="size of B up to which it may be zero beside a translation",
        DEFINITE="form on vectors that are not null",
    ),
    *_listed(
        "log",
        "kernels.log_jordan",
        DISTINCT="squares and products that are not rounding",
    ),
    *_listed(
        "log",
        "kernels.log_null",
        FULL_TURN="singular value that belongs to a full turn",
        NEARLY_FULL="distance to pi of planes whose translation is found from R itself",
        ROUNDING="residual of a translation that is none",
        UPRIGHT="real part of the eigenvalues of a rotation",
        LARGEST_EXPONENT="ratio of null-degrees that is scaled away",
    ),
    *_listed(
        "log",
        "kernels.log_polish",
        SETTLED="error from which Newton's steps are not shortened",
        SMALLEST_SINGULAR="tangents that are on the cut",
        LONGEST_STEP="step of Newton's correction",
    ),
    *_listed(
        "log",
        "kernels.log_sharpened",
        HIDDEN="null-null part beside the coefficients that hold it, below which it is corrected",
        NEARLY_CUT="pi - beta_1 - beta_2 below which B is corrected beside null vectors",
        SINGULAR="directions that are on the cut",
        LARGEST_STEP="correction that leads away",
        AT_CUT="the same below which it is not, without null vectors",
        LARGEST_RADIUS="eigenvalues of the action beyond those of any finite exp",
    ),
    *_listed(
        "log",
        "kernels.log_single",
        NOISY="deviation from a rotor from which an exact one is taken instead",
        TRUST="deviation of exp(log R) allowed for each of R from a rotor",
        LOOSENED="digits that a second attempt may ignore",
    ),
    *_listed(
        "log",
        "kernels.log_verified",
        REDUCIBLE="deviation that is worth a correction",
        ROUNDINGS="deviation that rounding of B explains",
        VERIFIED="deviation that is accepted",
        LOOSEST="the largest deviation that is ever accepted",
    ),
)

# Numbers in the same modules that no argument is compared with.
OTHERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "lengths of series and iterations": (
            "SERIES_TERMS",
            "DERIVATIVES",
            "ROOTS",
            "ITERATIONS",
            "STEPS",
            "TERMS",
            "HALVINGS",
            "SWEEPS",
            "DIGITS",
        ),
        "dimensions and sizes of batches": (
            "LARGEST_CLOSED",
            "LARGEST_SHARPENED",
            "LARGEST_FREE",
            "LARGEST_DIMENSION",
            "LARGEST_BATCH",
            "SMALL_BATCH",
            "CHUNK",
        ),
        "values inside a formula": ("STARTS", "ROTATIONS", "EPS", "SIMPLE", "SMALLEST_FIELD"),
    }
)
MODULES: tuple[str, ...] = tuple(dict.fromkeys(threshold.module for threshold in THRESHOLDS))
