"""prove: an identity for all vectors of all real quadratic spaces, or a counterexample."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import LayoutError
from ..identities.statement import Identity
from ..signature import Signature
from ..signature import signature as signature_of
from .claim import Claim, Statement, claim_of
from .dimensional import prove_in_dimensions
from .generic import prove_generic
from .gram import TooLarge
from .outcome import Counterexample, NotRun, Outcome
from .record import DimensionBound, Disagreement, OutOfScope

DEFAULT_DIMENSIONS = (1, 2, 3, 4)
LARGEST_DIMENSION = 8


def prove(
    f: Statement | Identity,
    /,
    *,
    given: Statement | Sequence[Statement] = (),
    dimension: int | Iterable[int] | None = None,
    signature: Sequence[int] | None = None,
    **kinds: str,
) -> Outcome:
    """Proof of an identity in every dimension and signature, a counterexample, or neither.

    For all arguments of the given kinds: given => lhs = rhs, where (lhs, rhs) = f(*arguments).

    The vectors become generators of a Clifford algebra whose inner products are indeterminates;
    what holds there holds in every real quadratic space (docs/proving.md, proofs/functoriality.py).
    Operations that depend on the dimension (dual, complement, regressive product, pseudoscalar,
    named blades) and general multivectors are proved for n = 1, 2, 3, 4, or in `dimension`, with
    symbolic metric squares.

    Parameters
    ----------
    f : function of multivectors that returns (lhs, rhs), or an identity of the registry.
    given : hypotheses, functions of some of the arguments that return (lhs, rhs).  In all
        dimensions they are scalar-valued; with `dimension` they may be multivectors.
    dimension : one n or several, up to 8: the claim POLYNOMIAL(n) instead of ALL_DIMENSIONS.
    signature : (p, q, r): the claim for this signature only.
    kinds : for each argument "scalar", "vector", "bivector", "trivector", "blade(k)", "versor(k)",
        "rotor(k)", "multivector(k)" (general, of grade k), "multivector", "pseudoscalar",
        "invertible vector", "definite plane" or "null bivector"; without a number, two vectors.

    Returns
    -------
    Proof with strength, hypotheses (every denominator is one) and normal form; Counterexample with
    an exact witness; or NotRun with the reason.  Only a Proof is true as a bool.

    Raises
    ------
    LayoutError for unknown kinds and missing arguments; VacuousHypotheses if no arguments satisfy
    the hypotheses.

    Error bound: exact.  Gradient: none.

    References
    ----------
    [1] C. Chevalley, "The Algebraic Theory of Spinors and Clifford Algebras" (Springer 1997),
        chapter 2.

    Examples
    --------
    >>> from geomlin import left_contraction, prove, scalar_product
    >>> print(prove(lambda a, b: (a * b + b * a, 2 * scalar_product(a, b)),
    ...             a="vector", b="vector").claim)
    ALL_DIMENSIONS(vectors=2)
    >>> print(prove(lambda B: (B * B, scalar_product(B, B)), B="bivector").witness)
    Cl(4): B = e14 + e23; lhs = -2 + 2 e1234, rhs = -2
    """
    statement = f.statement if isinstance(f, Identity) else f
    claim = claim_of(statement, given, {**f.kinds, **kinds} if isinstance(f, Identity) else kinds)
    space = _space(signature)
    found = _prove(claim, _dimensions(dimension, space), space)
    if isinstance(f, Identity) and isinstance(found, Counterexample):
        return _where_it_applies(f, found)
    return found


def _where_it_applies(identity: Identity, found: Counterexample) -> Outcome:
    """A witness counts only in a signature for which the identity is stated."""
    if identity.applies(found.witness.signature):
        return found
    return NotRun("stated for some signatures only: give one with signature=(p, q, r)")


def _prove(claim: Claim, dimensions: tuple[int, ...] | None, space: Signature | None) -> Outcome:
    """In the generic algebra, or where that has no meaning in the default dimensions."""
    try:
        if dimensions is not None:
            return prove_in_dimensions(claim, dimensions, space, chosen=True)
        try:
            return prove_generic(claim)
        except DimensionBound:
            return prove_in_dimensions(claim, DEFAULT_DIMENSIONS, None, chosen=False)
    except (OutOfScope, DimensionBound, TooLarge, Disagreement) as error:
        return NotRun(str(error), claim.texts[0])


def _dimensions(dimension: Any, space: Signature | None) -> tuple[int, ...] | None:
    """The dimensions that were asked for, None for all."""
    if dimension is None and space is None:
        return None
    given = dimension if dimension is not None else space.n if space is not None else None
    found = tuple(given) if isinstance(given, Iterable) else (given,)
    for n in found:
        whole = hasattr(n, "__index__") and not isinstance(n, bool)
        if not whole or not 1 <= n <= LARGEST_DIMENSION:
            raise LayoutError(f"expected dimensions from 1 to {LARGEST_DIMENSION}, got {n!r}")
    if space is not None and found != (space.n,):
        raise LayoutError(f"expected one of dimension and signature, got {found} and {space}")
    return tuple(map(int, found))


def _space(signature: Any) -> Signature | None:
    """The one signature that was asked for, None for all."""
    if signature is None:
        return None
    if not isinstance(signature, Sequence) or isinstance(signature, str) or len(signature) > 3:
        raise LayoutError(f"expected a signature (p, q, r), got {signature!r}")
    return signature_of(*signature)
