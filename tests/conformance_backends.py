"""A sound backend and backends with one planted mistake each, for the tests of the kit."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from geomlin import Algebra, NotInImage, exp, geometric_product
from geomlin.conformance.backends.own import NumpyBackend
from geomlin.layout import even_layout, grade_layout
from geomlin.ops.bivectors import antisymmetric


class Sound(NumpyBackend):
    """geomlin itself."""

    name = "sound"


class Sign(Sound):
    """e1 e2 = -e12: the coefficient of e12 has the wrong sign."""

    def geometric_product(self, signature: Any, a: Any, b: Any) -> Any:
        found = np.array(super().__getattr__("geometric_product")(signature, a, b))
        found[..., 1 + sum(signature)] *= -1
        return found


class Order(Sound):
    """b a for a b."""

    def geometric_product(self, signature: Any, a: Any, b: Any) -> Any:
        return super().__getattr__("geometric_product")(signature, b, a)


class HalfAngle(Sound):
    """exp(-b/2)."""

    def exp(self, signature: Any, b: Any) -> Any:
        return super().__getattr__("exp")(signature, -b / 2)


class TruncatedPlanes(Sound):
    """Keeps the two largest planes."""

    def exp(self, signature: Any, b: Any) -> Any:
        if signature[1] or signature[2] or sum(signature) < 6 or not np.isfinite(b).all():
            return super().__getattr__("exp")(signature, b)
        parts = self.invariant_decomposition(signature, b)
        return super().__getattr__("exp")(signature, parts[..., :2, :].sum(axis=-2))


class UnscaledTaylor(Sound):
    """Twenty-seven terms of the series, however large b is."""

    def exp(self, signature: Any, b: Any) -> Any:
        algebra = Algebra(*signature)
        element = algebra.bivector(b)
        total = term = algebra.scalar(np.ones(b.shape[:-1], b.dtype))
        for k in range(1, 27):
            term = geometric_product(term, element) / float(k)
            total = total + term
        place = total.layout.position
        masks = even_layout(algebra.n).masks
        return np.stack([total.coeffs[..., place[m]] for m in masks], axis=-1)


class EighGradient(Sound):
    """A gradient through eigenvectors: every difference of eigenvalues is divided by."""

    def exp_vjp(self, signature: Any, b: Any, r_bar: Any) -> Any:
        found = super().exp_vjp(signature, b, r_bar)
        if signature[1] or signature[2]:
            return found
        values = np.linalg.eigvalsh(1j * antisymmetric(b.astype(float), sum(signature)))
        gaps = np.diff(values, axis=-1)
        gaps[np.abs(gaps) < 1e-14] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            return found + (0.0 * (1.0 / gaps)).sum(axis=-1)[..., None]


class AcosLog(Sound):
    """acos of the scalar part, for n = 3."""

    def log(self, signature: Any, r: Any) -> Any:
        if signature != (3, 0, 0) or not np.isfinite(r).all():
            return super().__getattr__("log")(signature, r)
        sine = np.linalg.norm(r[..., 1:], axis=-1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            factor = np.where(sine > 0, np.arccos(np.clip(r[..., :1], -1, 1)) / sine, 1.0)
        return (factor * r[..., 1:]).astype(r.dtype)


class SingleOnly(Sound):
    """The norm of the whole batch where that of each element is meant, for n = 3."""

    def exp(self, signature: Any, b: Any) -> Any:
        if signature != (3, 0, 0) or not np.isfinite(b).all():
            return super().__getattr__("exp")(signature, b)
        angle = np.sqrt((b.astype(float) ** 2).sum())
        vector = np.sinc(angle / np.pi) * b
        scalar = np.full((*b.shape[:-1], 1), np.cos(angle))
        return np.concatenate([scalar, vector], axis=-1)


class OneAxis(Sound):
    """One leading axis is understood, two are not."""

    def rotor_to_matrix(self, signature: Any, r: Any) -> Any:
        if r.ndim > 2:
            raise ValueError("too many axes")
        return super().__getattr__("rotor_to_matrix")(signature, r)


class Transposed(Sound):
    """Rows are the images."""

    def rotor_to_matrix(self, signature: Any, r: Any) -> Any:
        return super().__getattr__("rotor_to_matrix")(signature, r).swapaxes(-1, -2)


class BitmaskOrder(Sound):
    """e12, e13, e23, e14, ..: coefficients of each grade in the order of their masks."""

    def exp(self, signature: Any, b: Any) -> Any:
        n = sum(signature)
        pairs, evens = grade_layout(n, 2).masks, even_layout(n).masks
        ordered = sorted(evens, key=lambda mask: (mask.bit_count(), mask))
        found = super().__getattr__("exp")(
            signature, b[..., [sorted(pairs).index(m) for m in pairs]]
        )
        return found[..., [evens.index(m) for m in ordered]]


class AcceptsReflections(Sound):
    """Some other rotation for a matrix of determinant -1."""

    def rotor_from_matrix(self, signature: Any, m: Any) -> Any:
        try:
            return super().__getattr__("rotor_from_matrix")(signature, m)
        except NotInImage:
            return np.eye(1, 2 ** (sum(signature) - 1))[0]


class AcceptsNaN(Sound):
    """NaN counts as zero."""

    def exp(self, signature: Any, b: Any) -> Any:
        return super().__getattr__("exp")(signature, np.nan_to_num(b, posinf=0.0))


class Hangs(Sound):
    """Does not return for NaN, and sleeps in small pieces so that a timer reaches it."""

    def exp(self, signature: Any, b: Any) -> Any:
        while not np.isfinite(b).all():
            time.sleep(0.01)
        return super().__getattr__("exp")(signature, b)


class HangsInC(Sound):
    """Does not return for NaN, inside one long call that no Python timer interrupts."""

    def exp(self, signature: Any, b: Any) -> Any:
        if not np.isfinite(b).all():
            sum(1 for _ in iter(int, 1))
        return super().__getattr__("exp")(signature, b)


class Crashes(Sound):
    """Uses a name that it never imported, where the logarithm is zero."""

    def log(self, signature: Any, r: Any) -> Any:
        if not r[..., 1:].any():
            return log(r)  # type: ignore[name-defined]  # noqa: F821
        return super().__getattr__("log")(signature, r)


class EqualAnglesNaN(Sound):
    """Divides by the difference of squares."""

    def invariant_decomposition(self, signature: Any, b: Any) -> Any:
        found = np.array(super().__getattr__("invariant_decomposition")(signature, b))
        if found.shape[-2] < 2:
            return found
        squares = (found**2).sum(axis=-1)
        equal = np.isclose(squares[..., 0], squares[..., -1], rtol=1e-6, atol=0) & (
            squares[..., 0] > 0
        )
        found[equal] = np.nan
        return found


class LieGradient(Sound):
    """The gradient in the Lie algebra at R, not in the coordinates of B."""

    def exp_vjp(self, signature: Any, b: Any, r_bar: Any) -> Any:
        algebra = Algebra(*signature)
        rotor = exp(algebra.bivector(b))
        columns = []
        for blade in algebra.bivector_blades:
            turned = geometric_product(algebra.blade(blade), rotor)
            place = turned.layout.position
            masks = even_layout(algebra.n).masks
            tangent = np.stack([turned.coeffs[..., place[m]] for m in masks], axis=-1)
            columns.append((tangent * r_bar).sum(axis=-1))
        return np.stack(columns, axis=-1)


class Float32Inside(Sound):
    """Computes in float32 whatever it is given."""

    def exp(self, signature: Any, b: Any) -> Any:
        found = super().__getattr__("exp")(signature, b.astype(np.float32))
        return found.astype(b.dtype)


class WrongShape(Sound):
    """Full coefficients where even ones are asked for."""

    def exp(self, signature: Any, b: Any) -> Any:
        found = super().__getattr__("exp")(signature, b)
        return np.concatenate([found, np.zeros_like(found)], axis=-1)


class NothingAtAll:
    """No function of the kit."""


def factory() -> Sound:
    """For package:factory."""
    return Sound()
