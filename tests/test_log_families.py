"""log on families of rotors near its boundaries: half and full turns, Jordan blocks, null parts."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from geomlin import Algebra, Multivector, even, exp
from geomlin.certified.certify import certify
from geomlin.errors import NoRealLogarithm
from geomlin.kernels import log_principal, log_single, log_turn, logarithm
from geomlin.kernels.log_verified import ROUNDINGS
from geomlin.ops.logarithm import log
from geomlin.signature import Signature
from geomlin.verification.budgets import ACCURACY
from geomlin.verification.frames import (
    boosted_frame,
    plane,
    rotated_frame,
    turned,
    unit,
    wedge,
)
from geomlin.verification.judged_case import JudgedCase
from geomlin.verification.public_subject import PublicSubject
from geomlin.verification.regimes import Case

EPS = 2.0**-52
BUDGET = 12.0  # eps kappa
Numbers = tuple[int, int, int]


def noisy(alg: Algebra, base: dict[str, float], noise: float, seed: int) -> Multivector:
    """The bivector plus noise in every coefficient."""
    rng = np.random.default_rng(seed)
    return alg.bivector(base) + alg.bivector(noise * rng.normal(size=alg.n * (alg.n - 1) // 2))


def deviation(b: Multivector, rotor: Multivector, *, up_to_sign: bool = False) -> float:
    """max |exp(B) - R| / max |R| in float64."""
    value, wanted = (x.to(dtype=np.float64).coeffs for x in (exp(b.to(dtype=np.float64)), rotor))
    error = np.abs(value - wanted).max()
    if up_to_sign:
        error = min(error, np.abs(value + wanted).max())
    return float(error / np.abs(wanted).max())


def rounding(b: Multivector) -> float:
    """What rounding of B may change in exp(B)."""
    return ROUNDINGS * (1.0 + float((b.coeffs.astype(np.float64) ** 2).sum()))


# ------------------------------------------------------------- a boost with a full half-angle

BOOST_AND_FULL_TURN = [
    ((3, 1, 0), {"e14": pi, "e23": pi}),
    ((1, 3, 0), {"e12": 1.0, "e34": pi}),
    ((4, 1, 0), {"e15": pi, "e23": pi}),
    ((5, 1, 0), {"e16": 2.0, "e23": pi}),
    ((6, 1, 0), {"e17": 2.0, "e23": pi}),
    ((3, 3, 0), {"e14": 1.0, "e23": pi}),
    ((4, 2, 0), {"e15": 1.0, "e26": 0.5, "e34": pi}),
    ((3, 1, 1), {"e14": 1.0, "e23": pi}),
]
NOISES = [0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7]


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(("signature", "base"), BOOST_AND_FULL_TURN, ids=lambda x: str(x)[:20])
def test_boost_beside_a_full_turn(signature: Numbers, base: dict[str, float], noise: float) -> None:
    """R is near -exp(boost): the small plane that is left is known to eps / noise only, and turns
    by pi all the same."""
    alg = Algebra(*signature)
    for seed in range(2):
        rotor = exp(noisy(alg, base, noise, seed))
        found = log(rotor, flags=True)
        assert deviation(found.bivector, rotor) <= 64 * EPS * (1 + 4 * np.abs(rotor.coeffs).max())
        if noise <= 1e-11:
            assert bool(found.on_cut)
        if noise >= 1e-7:
            assert not found.on_cut


@pytest.mark.parametrize("noise", [1e-12, 1e-10, 1e-8])
@pytest.mark.parametrize("signature", [(3, 1, 0), (1, 3, 0), (4, 1, 0)])
def test_boost_beside_a_full_turn_against_balls(signature: Numbers, noise: float) -> None:
    """The branch and the value are those of the certified principal logarithm."""
    alg = Algebra(*signature)
    base = {"e12": 1.0, "e34": pi} if signature == (1, 3, 0) else {"e23": pi}
    if signature != (1, 3, 0):
        base[f"e1{alg.n}"] = 1.0
    for seed in range(3):
        b = noisy(alg, base, noise, seed)
        ball = certify(lambda x: log(exp(x)), b, relative=1e-20)
        wanted = np.array([float(x.mid()) for x in ball.coeffs])
        found = log(exp(b)).coeffs
        free = 0.0 if alg.n == 4 else EPS / noise  # the plane among those orthogonal to the boost
        assert np.abs(found - wanted).max() <= 64 * EPS + 64 * free


def test_the_plane_of_a_small_angle_is_taken_inside_its_space() -> None:
    """The false twin: the part itself, divided by its angle, does not commute with the boost."""
    alg = Algebra(3, 1)
    b = noisy(alg, {"e14": pi, "e23": 1e-12}, 1e-13, 0).coeffs
    matrix = np.zeros((4, 4))
    matrix[np.triu_indices(4, 1)] = b
    matrix -= matrix.T
    signs = np.array([1.0, 1.0, 1.0, -1.0])

    def commutator(turn: np.ndarray) -> float:
        return float(np.abs((turn * signs) @ matrix - (matrix * signs) @ turn).max())

    turned_plane = log_turn.turn_of_largest_rotation(matrix, signs)
    assert turned_plane is not None
    found, exponent = log_turn.scaled_parts(matrix, signs)
    naive = found.parts[1] / np.sqrt(-found.squares[1].real)
    assert exponent == 2
    assert commutator(turned_plane[0]) <= 16 * EPS
    assert commutator(naive) > 1e-6


# ---------------------------------------------------------------- screws beside a full turn

DISTANCES = [-1e-9, -1e-10, -1e-12, -1e-14, -1e-15, 0.0, 1e-15, 1e-14, 1e-12, 1e-10, 1e-9, 1e-8]
SCREWS = [
    ((2, 0, 1), "e12", "e23"),
    ((3, 0, 1), "e12", "e24"),
    ((3, 0, 1), "e12", "e34"),
    ((1, 2, 1), "e23", "e34"),
    ((4, 0, 1), "e12", "e25"),
    ((2, 0, 2), "e12", "e23"),
    ((5, 0, 1), "e12", "e26"),
]


@pytest.mark.parametrize("size", [1e-8, 1.0, pi, 1e8])
@pytest.mark.parametrize(("signature", "turn", "translation"), SCREWS, ids=str)
def test_screws_beside_a_full_turn(
    signature: Numbers, turn: str, translation: str, size: float
) -> None:
    """exp((pi - d) e12 + t e2 e0): its translation is as small as sin d.  On the cut exp(log R)
    keeps all its digits; outside of it log itself does."""
    alg = Algebra(*signature)
    names = exp(alg.bivector([0.0] * (alg.n * (alg.n - 1) // 2))).layout.names
    nulls = [str(i) for i in range(alg.n - signature[2] + 1, alg.n + 1)]
    moved = np.array([any(i in name[1:] for i in nulls) for name in names])
    for distance in DISTANCES:
        rotor = exp(alg.bivector({turn: pi - distance, translation: size}))
        found = log(rotor, flags=True)
        error = np.abs(exp(found.bivector).coeffs - rotor.coeffs)
        # outside the cut log keeps its digits; beyond n = 5 exp knows the small sine to eps only
        coarse = abs(distance) >= 1e-9 or alg.n > 5
        free = 8 * EPS / max(abs(distance), 8 * EPS) if coarse else 0.0
        sizes = np.abs(rotor.coeffs)
        assert error[moved].max() <= (16 * EPS + free) * sizes[moved].max(), distance
        assert error[~moved].max() <= 16 * EPS
        assert bool(found.on_cut) == (abs(distance) < logarithm.CUT)


@pytest.mark.parametrize("distance", [2e-9, 1e-7, 1e-5, 1e-3, 0.1])
@pytest.mark.parametrize(("signature", "turn", "translation"), SCREWS, ids=str)
def test_screws_outside_the_cut_keep_the_digits_of_log(
    signature: Numbers, turn: str, translation: str, distance: float
) -> None:
    target = Signature(*signature)
    alg = Algebra(*signature)
    b = np.zeros((alg.n, alg.n))
    for name, value in ((turn, pi - distance), (translation, 3.0)):
        i, j = int(name[1]) - 1, int(name[2]) - 1
        b[i, j], b[j, i] = value, -value
    assert judged(b, target) <= BUDGET


def test_a_full_turn_in_the_only_plane() -> None:
    """-(1 + t) of the plane has no logarithm; a rotor that turns, however little, has."""
    alg = Algebra(2, 0, 1)
    whole = alg.bivector({"e12": pi, "e23": pi})
    assert np.abs((log(exp(whole)) - whole).coeffs).max() <= 4 * EPS
    for size in (1e-300, 1e-16, 1.0, 1e8):
        with pytest.raises(NoRealLogarithm, match="orthogonal to the translation"):
            log(alg.even({"1": -1.0, "e13": size}))
    # with a plane to spare it is orthogonal to the translation instead
    wide = Algebra(3, 0, 1).even({"1": -1.0, "e12": 1e-16, "e14": 2.0})
    wanted = wide.algebra.bivector({"e14": -2.0, "e23": pi})
    assert np.abs((log(wide) - wanted).coeffs).max() <= 4 * EPS


@pytest.mark.parametrize("numbers", [(3, 1, 1), (1, 3, 1), (4, 1, 2)])
def test_minus_a_boost_whose_planes_a_translation_fills(numbers: Numbers) -> None:
    """-exp(boost + t e0): the plane beside the boost would turn, and t lies in it.  No rounding of
    the vanishing angles there changes the verdict; along the boost t does no harm."""
    alg = Algebra(*numbers)
    p = alg.signature.p
    one, plane_axis = (f"e1{p + 1}", "e2") if p > 1 else ("e12", "e3")
    nulls = [str(p + alg.signature.q + k + 1) for k in range(alg.signature.r)]
    second = "e3" if p > 1 else "e4"
    filled = {one: 2.0, plane_axis + nulls[0]: 1.0}
    if len(nulls) > 1:  # two of three directions
        filled[second + nulls[1]] = 0.5
    along = {one: 2.0, "e1" + nulls[0]: 1.0}
    rng = np.random.default_rng(2)
    for _ in range(4):
        frame = exp(alg.bivector(0.3 * rng.normal(size=alg.n * (alg.n - 1) // 2)))
        rotor = -exp((frame * alg.bivector(filled) * ~frame).grade(2))
        with pytest.raises(NoRealLogarithm) as caught:
            log(rotor)
        assert "orthogonal to the translation" in caught.value.reason
        harmless = -exp((frame * alg.bivector(along) * ~frame).grade(2))
        found = log(harmless)
        assert deviation(found, harmless) <= rounding(found)


# ---------------------------------------------------------------------- boosted half turns


def definite_planes(p: int, q: int) -> list[str]:
    return [f"e{i + 1}{i + 2}" for i in (*range(0, p - 1, 2), *range(p, p + q - 1, 2))]


@pytest.mark.parametrize("up_to_sign", [True, False])
@pytest.mark.parametrize("size", [0.3, 0.6])
@pytest.mark.parametrize(("p", "q"), [(4, 2), (2, 4), (5, 1), (3, 3), (4, 1), (4, 3), (6, 2)])
def test_boosted_double_half_turns(p: int, q: int, size: float, up_to_sign: bool) -> None:
    """f e12 e34 ~f: the eigenvalue -1 is fourfold, and its planes are a matter of a rule."""
    alg = Algebra(p, q)
    rng = np.random.default_rng(1)
    names = definite_planes(p, q)
    for _ in range(5):
        frame = exp(alg.bivector(size * rng.normal(size=alg.n * (alg.n - 1) // 2)))
        first, second = rng.permutation(len(names))[:2]
        rotor = even(frame * (alg.blade(names[first]) * alg.blade(names[second])) * ~frame)
        found = log(rotor, up_to_sign=up_to_sign, flags=True)
        assert bool(found.on_cut)
        error = deviation(found.bivector, rotor, up_to_sign=up_to_sign)
        assert error <= rounding(found.bivector) + 1e-12


@pytest.mark.parametrize("offset", [0.0, 1e-15, 1e-12, 1e-9, 1e-6])
@pytest.mark.parametrize(("p", "q"), [(2, 4), (4, 2), (3, 3), (2, 2)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_equal_half_turns_of_both_signs(p: int, q: int, offset: float, dtype: type) -> None:
    """Planes with x^2 > 0 and x^2 < 0 that turn alike: rounding makes them complex pairs."""
    alg = Algebra(p, q)
    rng = np.random.default_rng(3)
    angle = pi / 2 + offset
    for _ in range(2):
        frame = exp(alg.bivector(0.3 * rng.normal(size=alg.n * (alg.n - 1) // 2)))
        b = alg.bivector({"e12": angle, f"e{p + 1}{p + 2}": angle})
        rotor = even(frame * exp(b) * ~frame).to(dtype=dtype)
        for up_to_sign in (False, True):
            found = log(rotor, up_to_sign=up_to_sign)
            error = deviation(found, rotor, up_to_sign=up_to_sign)
            assert error <= rounding(found) * float(np.finfo(dtype).eps) / EPS + 1e-11


# ---------------------------------------------------------------------------- Jordan blocks


def judged(b: np.ndarray, signature: Signature, dtype: type = np.float64) -> float:
    """Error of log over eps kappa against the exact exponential."""
    case = JudgedCase(Case("family", "", b), signature, np.dtype(dtype))
    assert case.log_quantity is not None
    found = PublicSubject().log(case.rounded_rotor[None], signature)[0]
    return case.judge_log(found)[0]


@pytest.mark.parametrize("angle", [0.3, 1.0, 1.4, 1.5, 1.55])
@pytest.mark.parametrize("block", [1.0, 1e-3, 1e-8])
@pytest.mark.parametrize("numbers", [(2, 2, 0), (3, 2, 0), (2, 4, 0), (4, 2, 0), (3, 3, 0)])
def test_near_elliptic_jordan_blocks(numbers: Numbers, block: float, angle: float) -> None:
    """x (e12 - e_(p+1)(p+2)) + c n1^n2, turned into frames where eigenvalues know half of it."""
    signature = Signature(*numbers)
    n, p = signature.n, signature.p
    elliptic = plane(n, 0, 1) - plane(n, p, p + 1)
    nilpotent = wedge(unit(n, 0, p), unit(n, 1, p + 1))
    for seed, boost in ((1, 0.1), (2, 0.6)):
        frame = boosted_frame(signature, np.random.default_rng(seed), boost)
        assert judged(turned(angle * elliptic + block * nilpotent, frame), signature) <= BUDGET


# ------------------------------------------------------------------------ null, in float32


@pytest.mark.parametrize("size", [1.0, 30.0, 300.0, 1000.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("numbers", [(5, 1, 0), (1, 5, 0), (2, 4, 0), (3, 1, 0), (4, 1, 0)])
def test_near_null_rotors(numbers: Numbers, dtype: type, size: float) -> None:
    """n ^ e of any size in a general frame: rounding makes its square anything."""
    signature = Signature(*numbers)
    n, p = signature.n, signature.p
    null = wedge(unit(n, 0, p), unit(n, 1 if p >= 2 else p + 1))
    for seed in range(2):
        frame = boosted_frame(signature, np.random.default_rng(seed), 0.3)
        b = turned(size * null, frame)
        if np.abs(b).max() ** 2 * float(np.finfo(dtype).eps) < 0.2:
            assert judged(b, signature, dtype) <= BUDGET


@pytest.mark.parametrize("size", [1e-8, 1e-4, 1.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("numbers", [(5, 1, 0), (1, 5, 0), (2, 4, 0), (3, 3, 0)])
def test_minus_near_null_rotors(numbers: Numbers, dtype: type, size: float) -> None:
    """-exp(n ^ e) turns in a plane that n ^ e fixes, whatever rounding makes of its square."""
    alg = Algebra(*numbers)
    p = alg.signature.p
    e = alg.basis_vectors
    null = (e[0] + e[p]) ^ e[1 if p >= 2 else p + 1]
    rng = np.random.default_rng(5)
    for _ in range(3):
        frame = exp(alg.bivector(0.3 * rng.normal(size=alg.n * (alg.n - 1) // 2)))
        rotor = -exp((frame * (size * null) * ~frame).grade(2)).to(dtype=dtype)
        found = log(rotor)
        error = deviation(found, rotor)
        assert error <= 16 * float(np.finfo(dtype).eps) * (1 + float((found.coeffs**2).sum()))


# ----------------------------------------------------------------------------- safety nets


def test_stalled_eigenvalue_iterations_are_overcome(monkeypatch: pytest.MonkeyPatch) -> None:
    """QZ was seen to stall on matrices with entries below one; a rotated pencil has another way."""
    from scipy import linalg

    alg = Algebra(7, 1)
    b = alg.bivector({"e18": 2.0, "e23": 1.3, "e45": 1.1, "e67": 1.0})
    rotor, original = exp(b), linalg.eigvals
    stalls = {"left": 2}

    def stalling(*args: object, **keywords: object) -> object:
        if stalls["left"]:
            stalls["left"] -= 1
            raise linalg.LinAlgError("did not converge")
        return original(*args, **keywords)

    monkeypatch.setattr(linalg, "eigvals", stalling)
    assert np.abs((log(rotor) - b).coeffs).max() <= 64 * EPS
    assert stalls["left"] == 0
    stalls["left"] = 10**6
    with pytest.raises(NoRealLogarithm, match="eigenvalues of the action were not found"):
        log(rotor)


def test_a_second_attempt_is_flagged_and_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the first attempt finds nothing, the second is within rounding, or none."""
    alg = Algebra(4, 2)
    b = alg.bivector({"e12": 0.5, "e36": 0.9})
    no_batch = np.zeros((1, 6, 6)), np.zeros(1, dtype=bool)
    monkeypatch.setattr(logarithm, "principal_in_closed_form", lambda rotor, g: no_batch)
    original = log_single.principal_isometry
    for wrong, answered in ((0.0, True), (1e-9, False)):
        calls: list[float] = []

        def failing(
            rotor: np.ndarray,
            g: tuple[int, ...],
            noise: float,
            wrong: float = wrong,
            calls: list[float] = calls,
        ) -> object:
            calls.append(noise)
            if len(calls) == 1:
                raise log_single.NoLogarithm("planted")
            found = original(rotor, g, noise)
            return found._replace(b=found.b * (1 + wrong))

        monkeypatch.setattr(log_single, "principal_isometry", failing)
        found = log(exp(b), flags=True, on_error="nan")
        assert bool(found.on_cut) is answered
        assert np.isfinite(found.bivector.coeffs).all() == answered
        assert calls[1] == log_single.LOOSENED * calls[0]


def test_rotors_of_short_floats_are_replaced_by_exact_ones() -> None:
    alg = Algebra(4, 2)
    rotor = exp(alg.bivector(np.linspace(-0.5, 0.5, 15))).to(dtype=np.float32)
    wide = rotor.to(dtype=np.float64)
    values = np.empty(32)
    values[wide.layout.mask_array >> 1] = wide.coeffs
    exact = log_single.exact_rotor(values, alg.metric)[wide.layout.mask_array >> 1]
    repaired = alg.even(exact)
    assert np.abs((repaired * ~repaired - 1).coeffs).max() <= 16 * EPS
    assert np.abs((wide * ~wide - 1).coeffs).max() > 1e-9
    assert np.abs((repaired - wide).coeffs).max() <= 1e-6
    assert log_principal.ROUNDING < log_single.NOISY


# --------------------------------------------------------------------------- several boosts

SEVERAL = [(2.1, 2.1), (5.0, 3.0), (8.0, 5.0), (12.0, 2.1), (3.0, 3.0, 2.5)]
INDEFINITE = [(2, 2, 0), (3, 2, 0), (3, 3, 0), (4, 4, 0)]


@pytest.mark.parametrize(
    ("numbers", "rapidities"),
    [(s, x) for s in INDEFINITE for x in SEVERAL if len(x) <= min(s[:2])],
    ids=str,
)
def test_several_boosts_keep_what_rounding_leaves(
    numbers: Numbers, rapidities: tuple[float, ...]
) -> None:
    """The smaller ones hide in the rounding of R: error <= eps e^(2 s) |B|, s their sum."""
    signature = Signature(*numbers)
    n, p = signature.n, signature.p
    b = np.zeros((n, n))
    for k, rapidity in enumerate(rapidities):
        b += plane(n, k, p + k, rapidity)
    limit = ACCURACY["log, several boosts, rapidities"].limit * EPS
    hidden = np.exp(2 * (sum(rapidities) - max(rapidities)))
    for seed in range(3):
        case = turned(b, rotated_frame(signature, np.random.default_rng(seed)))
        judgement = JudgedCase(Case("boosts", "", case), signature, np.dtype(float))
        found = PublicSubject().log(judgement.rounded_rotor[None], signature)[0]
        assert np.abs(found - case).max() <= limit * hidden * np.abs(case).max()
        assert judgement.judge_log(found)[0] <= BUDGET
