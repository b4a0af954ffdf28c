"""The numpy engine: identities in float64 on batches from the adversarial regimes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algebra import Algebra
from ...errors import GeomlinError, NotSupported
from ...identities.statement import Identity
from ...ops.bivectors import upper_triangle
from ...signature import Signature
from ...verdict import Strength, Verdict
from ..arguments import Arguments, build, difference, exact_number
from ..kinds import PRIMITIVES
from ..regimes import COEFFICIENT_REGIMES, bivectors

EPS = float(np.finfo(np.float64).eps)
# Identities multiply exponentials and square coefficients: bivectors outside these sizes, and
# underflow, are for the accuracy tables, where a reference at high precision judges.
_SMALLEST, _LARGEST, _LARGEST_BOOST = 1e-100, 30.0, 3.0
_PLAIN = 24  # elements of a batch without bivectors
_CANDIDATES = 256  # small-integer arguments tried for a short witness


class FloatEngine:
    """AGREES(error, bound) in eps of the identity's scale, or REFUTED with exact numbers."""

    name = "numpy"

    def check(self, identity: Identity, signature: Signature, rng: np.random.Generator) -> Verdict:
        """Evaluate the identity on one adversarial batch."""
        try:
            arguments = self.arguments(identity, signature, rng)
        except NotSupported as error:
            return Verdict(Strength.NOT_RUN, reason=str(error))
        return self.judge(identity, signature, arguments, rng)

    def arguments(
        self, identity: Identity, signature: Signature, rng: np.random.Generator
    ) -> Arguments:
        """A batch with every regime, reduced to the valid elements."""
        algebra = Algebra(*signature)
        pool = _bivector_pool(signature, rng)
        count = max(len(pool), _PLAIN)

        def draw(kind: str, primitive: str, size: int) -> Any:
            if primitive == "bivector" and size:
                return pool[np.resize(rng.permutation(len(pool)), count)]
            samplers = [
                sampler
                for name, sampler in COEFFICIENT_REGIMES.items()
                if name != "mixed scales" or kind in PRIMITIVES
            ]
            rows = [samplers[i % len(samplers)](rng, (size,)) for i in range(count)]
            return np.array(rows).reshape(count, size)

        arguments = build(identity.kinds, algebra, draw, exact=False)
        good = np.broadcast_to(arguments.valid(), (count,))
        if not good.any():
            raise NotSupported(f"no valid arguments were drawn in {signature}")
        return arguments[good]

    def judge(
        self,
        identity: Identity,
        signature: Signature,
        arguments: Arguments,
        rng: np.random.Generator,
    ) -> Verdict:
        """Compare both sides; on failure look for a short witness first."""
        try:
            errors = _errors(identity, arguments)
        except NotSupported as error:
            return Verdict(Strength.NOT_RUN, reason=str(error))
        except GeomlinError as error:
            return Verdict(Strength.REFUTED, witness=_raising(identity, arguments, error))
        worst = float(np.max(errors, initial=0.0))
        if worst <= identity.bound:
            return Verdict(Strength.AGREES, error=worst, bound=identity.bound)
        short = self._short_witness(identity, signature, rng)
        return Verdict(Strength.REFUTED, witness=short or _witness(identity, arguments, errors))

    def _short_witness(
        self, identity: Identity, signature: Signature, rng: np.random.Generator
    ) -> str | None:
        """The smallest failing argument with few small integer coefficients, if there is one."""

        def draw(kind: str, primitive: str, size: int) -> Any:
            values = rng.integers(-2, 3, size=(_CANDIDATES, size))
            return (values * (rng.random((_CANDIDATES, size)) < 0.4)).astype(float)

        try:
            arguments = build(identity.kinds, Algebra(*signature), draw, exact=False)
            arguments = arguments[np.broadcast_to(arguments.valid(), (_CANDIDATES,))]
            errors = _errors(identity, arguments)
        except GeomlinError:
            return None
        if not np.any(errors > identity.bound):
            return None
        return _witness(identity, arguments, np.where(errors > identity.bound, errors, 0))


def _bivector_pool(signature: Signature, rng: np.random.Generator) -> Any:
    """Bivector coefficients of every regime that is not too large for products of exponentials."""
    cases = [c.b for c in bivectors(signature, rng) if _moderate(c.b, signature)]
    return upper_triangle(np.stack(cases)) if cases else np.zeros((1, 0))


def _moderate(b: Any, signature: Signature) -> bool:
    regular = signature.p + signature.q
    size = np.abs(b).max(initial=0)
    most = _LARGEST if min(signature.p, signature.q) == 0 else _LARGEST_BOOST
    in_range = size == 0 or size >= _SMALLEST
    return bool(in_range and np.abs(b[:regular, :regular]).max(initial=0) <= most)


def _errors(identity: Identity, arguments: Arguments) -> Any:
    """Error of each batch element in eps of the scale; NaN counts as infinite."""
    with np.errstate(all="ignore"):
        lhs, rhs = identity.statement(**arguments.values)
        found = np.abs(difference(lhs, rhs).astype(np.float64))
        scale = np.asarray(identity.size(arguments.values), dtype=np.float64)
        count = found.shape[0] if _batched(arguments) else 1
        largest = found.reshape(count, -1).max(axis=-1, initial=0)
        scale = np.broadcast_to(scale, (count,))
        ratio = np.where(largest == 0, 0.0, largest / (EPS * scale))
    return np.where(np.isnan(ratio), np.inf, ratio)


def _batched(arguments: Arguments) -> bool:
    return any(a.shape for a in arguments.values.values())


def _witness(identity: Identity, arguments: Arguments, errors: Any) -> str:
    """The failing element with the smallest parameters, and both sides where they differ most."""
    failing = np.nonzero(errors > identity.bound)[0]
    heights = [
        sum(
            float(np.abs(a.coeffs[i] if a.shape else a.coeffs).sum())
            for made in arguments.parameters.values()
            for a in made
        )
        for i in failing
    ]
    one = arguments[int(failing[int(np.argmin(heights))])]
    with np.errstate(all="ignore"):
        lhs, rhs = identity.statement(**one.values)
        return f"{one}; {differing(lhs, rhs)}"


def differing(lhs: Any, rhs: Any) -> str:
    """The coefficient where two sides differ most, on both sides."""
    found = difference(lhs, rhs)
    sizes = [_rough_size(x) for x in found.reshape(-1)]
    where = int(np.argmax(sizes))
    left, right = _entry(lhs, rhs, where)
    label = _label(lhs, rhs, found, where)
    return f"lhs {label} = {exact_number(left)}, rhs {label} = {exact_number(right)}"


def _rough_size(value: Any) -> float:
    """|value|, infinite for NaN, and 1 for an expression that is not zero."""
    try:
        number = abs(float(value))
    except TypeError:
        return float(value != 0)
    return np.inf if np.isnan(number) else number


def _entry(lhs: Any, rhs: Any, where: int) -> tuple[Any, Any]:
    if hasattr(lhs, "layout") or hasattr(rhs, "layout"):
        zero = 0 * (lhs - rhs)
        return (lhs + zero).coeffs.reshape(-1)[where], (rhs + zero).coeffs.reshape(-1)[where]
    both = np.broadcast_arrays(lhs, rhs)
    return both[0].reshape(-1)[where], both[1].reshape(-1)[where]


def _label(lhs: Any, rhs: Any, found: Any, where: int) -> str:
    if hasattr(lhs, "layout") or hasattr(rhs, "layout"):
        return f"[{(lhs - rhs).layout.names[where % found.shape[-1]]}]"
    return str([int(i) for i in np.unravel_index(where, found.shape)])


def _raising(identity: Identity, arguments: Arguments, error: Exception) -> str:
    """The first element on which the statement raises, with the error."""
    count = max((len(a) for a in arguments.values.values() if a.shape), default=1)
    for i in range(count):
        one = arguments[i]
        try:
            identity.statement(**one.values)
        except GeomlinError as found:
            return f"{one}; raised {type(found).__name__}: {found}"
    return f"a batch of {count}; raised {type(error).__name__}: {error}"
