"""The laws of the converters, as functions that a process without numba's compiler can run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from typing import Any, NamedTuple

import numpy as np

from geomlin import (
    Algebra,
    Multivector,
    exp,
    geometric_product,
    interop,
    left_contraction,
    outer_product,
    reverse,
    sandwich,
)


class Library(NamedTuple):
    """A library with its converters and its own operations."""

    to: Callable[..., Any]
    back: Callable[..., Multivector]
    left: Callable[[Any, Any], Any]
    reverse: Callable[[Any], Any]
    target: Callable[[list[int]], Any]  # an algebra with these squares, in this order


def clifford_layout(squares: list[int]) -> Any:
    import clifford

    return clifford.Layout(squares)


def kingdon_algebra(squares: list[int]) -> Any:
    import kingdon

    return kingdon.Algebra(signature=np.array(squares))


def galgebra_space(squares: list[int]) -> Any:
    interop.to_galgebra(Algebra(2).scalar(1.0))  # imports it without its side effects
    from galgebra.ga import Ga

    with redirect_stdout(StringIO()):
        return Ga(" ".join(f"e_{i}" for i in range(len(squares))), g=squares)


LIBRARIES = {
    "clifford": Library(
        interop.to_clifford,
        interop.from_clifford,
        lambda a, b: a.lc(b),
        lambda a: ~a,
        clifford_layout,
    ),
    "kingdon": Library(
        interop.to_kingdon,
        interop.from_kingdon,
        lambda a, b: a.lc(b),
        lambda a: ~a,
        kingdon_algebra,
    ),
    "galgebra": Library(
        interop.to_galgebra,
        lambda x: interop.from_galgebra(x).to(backend="numpy"),
        lambda a, b: a < b,
        lambda a: a.rev(),
        galgebra_space,
    ),
}


def integers(algebra: Algebra, rng: np.random.Generator) -> Multivector:
    """Small integers: every product is exact."""
    return algebra.multivector(rng.integers(-3, 4, 2**algebra.n).astype(float))


def there_and_back(name: str, signature: Any) -> None:
    library, algebra = LIBRARIES[name], Algebra(*signature)
    a = integers(algebra, np.random.default_rng(1))
    assert library.back(library.to(a)) == a
    for part in (algebra.scalar(2.0), algebra.basis_vectors[-1], algebra.pseudoscalar):
        found = library.back(library.to(part))
        assert np.array_equal(found.to_dense(), part.to_dense())


def products(name: str, signature: Any) -> None:
    library, algebra = LIBRARIES[name], Algebra(*signature)
    rng = np.random.default_rng(2)
    a, b = integers(algebra, rng), integers(algebra, rng)
    x, y = library.to(a), library.to(b)
    for ours, theirs in (
        (geometric_product(a, b), x * y),
        (outer_product(a, b), x ^ y),
        (left_contraction(a, b), library.left(x, y)),
        (reverse(a), library.reverse(x)),
    ):
        assert np.array_equal(library.back(theirs).to_dense(), ours.to_dense())
    twin = library.back(y * x).to_dense()  # false: the other order
    assert not np.array_equal(twin, geometric_product(a, b).to_dense())


def sandwiches(name: str, signature: Any) -> None:
    library, algebra = LIBRARIES[name], Algebra(*signature)
    rng = np.random.default_rng(3)
    rotor = exp(algebra.random.bivector(rng, scale=0.3))
    vector = algebra.random.vector(rng)
    x, v = library.to(rotor), library.to(vector)
    theirs = library.back(x * v * library.reverse(x)).to_dense()
    assert np.abs(theirs - sandwich(rotor, vector).to_dense()).max() < 1e-14
    twin = sandwich(reverse(rotor), vector).to_dense()  # false: ~R x R
    assert np.abs(theirs - twin).max() > 1e-3


def another_order(name: str, squares: list[int]) -> None:
    """Null or negative vectors first: blades get their signs, and products still commute."""
    library = LIBRARIES[name]
    algebra = Algebra(squares.count(1), squares.count(-1), squares.count(0))
    target, rng = library.target(squares), np.random.default_rng(4)
    a, b = integers(algebra, rng), integers(algebra, rng)
    x, y = library.to(a, target), library.to(b, target)
    assert library.back(x) == a
    assert np.array_equal(library.back(x * y).to_dense(), (a * b).to_dense())
