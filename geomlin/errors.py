"""Every error geomlin raises, each a subclass of GeomlinError and of the builtin that fits.

A message says what was expected, what came, and the remedy.  Errors about elements of a batch
carry `indices` (the first sixteen failing batch positions) and `count`.  Every argument but the
message has a default, so that errors can be pickled: processes hand them over that way.
"""

from __future__ import annotations

from collections.abc import Sequence


class GeomlinError(Exception):
    """Base class of all geomlin errors.

    indices : the first sixteen batch positions the error is about; () is one element without batch
        axes.  Empty where the error is not about elements.
    count : how many elements it is about.
    """

    def __init__(
        self, message: str = "", *, indices: Sequence[tuple[int, ...]] = (), count: int = 1
    ) -> None:
        super().__init__(message)
        self.indices = tuple(indices)[:16]
        self.count = count


class SignatureMismatch(GeomlinError, ValueError):
    """Operands belong to different algebras."""


class LayoutError(GeomlinError, ValueError):
    """Coefficients do not fit the layout: wrong size, wrong grade, wrong shape."""


class UnknownBlade(GeomlinError, ValueError):
    """A blade name does not exist in the algebra or is badly ordered."""


class DtypeError(GeomlinError, TypeError):
    """Coefficients have a kind of number that the backend does not take."""


class NonFiniteInput(GeomlinError, ValueError):
    """Input contains NaN or infinity."""


class NotARotor(GeomlinError, ValueError):
    """The element is not an even versor with R ~R = 1."""


class NotOrthogonal(GeomlinError, ValueError):
    """The matrix does not preserve the metric."""


class _ReasonedError(GeomlinError, ValueError):
    """An error with the reason, in words, of its first element."""

    def __init__(
        self,
        message: str = "",
        *,
        reason: str = "",
        indices: Sequence[tuple[int, ...]] = (),
        count: int = 1,
    ) -> None:
        super().__init__(message, indices=indices, count=count)
        self.reason = reason


class NotInImage(_ReasonedError):
    """The matrix preserves the metric but no rotor maps to it; `reason` says why."""


class NoRealLogarithm(_ReasonedError):
    """The rotor is exp(B) of no real bivector B; `reason` says why.

    A reason that begins with "undecided" claims nothing: no branch was found within rounding.
    """


class NotDecomposable(GeomlinError, ValueError):
    """The bivector is not a sum of commuting real simple bivectors; `kind` says what it is."""

    def __init__(
        self,
        message: str = "",
        *,
        kind: str = "",
        indices: Sequence[tuple[int, ...]] = (),
        count: int = 1,
    ) -> None:
        super().__init__(message, indices=indices, count=count)
        self.kind = kind


class NotInvertible(GeomlinError, ValueError):
    """The multivector (or its norm) has no inverse."""


class RapidityOverflow(GeomlinError, OverflowError):
    """The result exceeds the floating-point range, as exp of a large rapidity does."""


class Undecided(GeomlinError, ArithmeticError):
    """A ball straddles a branch, so that no answer is proved: raise the precision, or narrow it."""


class VacuousHypotheses(GeomlinError, ValueError):
    """No arguments satisfy the hypotheses of a claim, so that everything would follow from them."""


class NotSupported(GeomlinError, NotImplementedError):
    """The operation is meaningful, but this backend or dimension does not offer it."""


class DatasetMissing(GeomlinError, FileNotFoundError):
    """A data set that is neither here nor to be had."""


class BackendMissing(GeomlinError, ImportError):
    """A backend needs a package that is not installed; `extra` names the extra that brings it."""

    def __init__(self, message: str = "", *, extra: str = "") -> None:
        super().__init__(message)
        self.extra = extra
