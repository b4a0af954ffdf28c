"""Hard inputs in any signature, for tests of one's own.

    from geomlin.conformance.regimes import REGIMES, bivectors
    for case in bivectors(signature(4, 0, 0), np.random.default_rng(0)):
        case.regime, case.label, case.b          # b is the antisymmetric matrix of coefficients

Every regime says in `REGIMES[name].reason` why it exists.  `mixed_batch` stacks all of them;
`vectors` and `multivectors` draw coefficients of one kind.  The vectors of the kit are a fixed
choice of this sort of inputs with certified answers; here are the inputs alone, for every
signature.
"""

from ..signature import Signature as Signature
from ..signature import signature as signature
from ..verification.frames import Regime as Regime
from ..verification.regimes import COEFFICIENT_REGIMES as COEFFICIENT_REGIMES
from ..verification.regimes import REGIMES as REGIMES
from ..verification.regimes import Case as Case
from ..verification.regimes import bivectors as bivectors
from ..verification.regimes import mixed_batch as mixed_batch
from ..verification.regimes import multivectors as multivectors
from ..verification.regimes import vectors as vectors

__all__ = [
    "COEFFICIENT_REGIMES",
    "Case",
    "REGIMES",
    "Regime",
    "Signature",
    "bivectors",
    "mixed_batch",
    "multivectors",
    "signature",
    "vectors",
]
