"""The one place that sets flint's working precision, which is global to the process.

Balls keep the precision they were computed at, but every operation on them, a change of sign
included, rounds to the current one.  So whatever computes with balls does it in here.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_PRECISION_LOCK = threading.RLock()


@contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """Set the process-global precision of arb, and restore it; other threads wait."""
    import flint

    with _PRECISION_LOCK:
        before = flint.ctx.prec
        flint.ctx.prec = bits
        try:
            yield
        finally:
            flint.ctx.prec = before
