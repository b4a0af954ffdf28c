"""What the accuracy table covers: signatures, dtypes, exponents, cases of each regime."""

from __future__ import annotations

from ..signature import Signature

DTYPES = ("float64", "float32")
EXPONENTS = (0.5, 0.25, -2.0)  # of powers: t b is exact in floats
QUICK = tuple(
    Signature(*numbers)
    for numbers in ((3, 0, 0), (4, 0, 0), (6, 0, 0), (1, 3, 0), (2, 2, 0), (3, 0, 1))
)
FULL = (
    *(
        Signature(p, q, n - p - q)
        for n in range(1, 9)
        for p in range(n, -1, -1)
        for q in range(n - p, -1, -1)
    ),
    Signature(10),
    Signature(12),
)


def cases_per_regime(signature: Signature) -> int:
    """How many cases of each regime the table takes: all up to n = 6, fewer where they are dear."""
    if signature.n <= 6:
        return 100
    return 3 if signature.n <= 10 and signature.r <= 4 else 1
