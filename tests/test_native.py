"""The C kernel is the blade product r x ~s and its transpose, on every instruction set.

Bounds, set before the runs: equal on integers; relative to the largest component, 1e-13 in double
and 4e-6 in single precision.  The blade product of this file sorts masks by counting transpositions
and shares no code with the library.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from geomlin import NotSupported
from geomlin.layout import full_layout
from geomlin.native import describe, library
from geomlin.spinor_transforms import coefficients_to_even_blocks, odd_right_factor

ROOT = Path(__file__).resolve().parent.parent
DIMENSIONS = range(2, 13)
LEVELS = ("baseline", "avx2", "avx512")
BATCHES = (0, 1, 15, 16, 17, 33)
BOUNDS = {"float64": 1e-13, "float32": 4e-6}

built = pytest.mark.needs("compiler")


def require_kernel(level: str | None = None) -> Any:
    """The implementation, on one instruction set; skips only what this processor cannot run."""
    from geomlin.native import Library
    from geomlin.nn.native_action import NativeAction

    found = library()
    assert found is not None, "the extension is not built: pip install -e . with a C compiler"
    levels = found.module.levels()
    if level is None:
        return NativeAction(found)
    if level not in levels:
        pytest.skip(f"this processor has no {level}")
    return NativeAction(Library(found.module, levels.index(level)))


# ---- the oracle


@cache
def odd_parity(n: int) -> np.ndarray:
    """Whether the number of ones is odd, for every mask."""
    return np.bitwise_count(np.arange(1 << n)).astype(np.int64) & 1


def signs(a: int, n: int) -> np.ndarray:
    """Sign of e_a e_b for every b: each index of b passes the larger ones of a."""
    passed, larger = 0, a >> 1
    while larger:
        passed, larger = passed ^ larger, larger >> 1
    return 1 - 2 * odd_parity(n)[passed & np.arange(1 << n)]


def blade_product(r: np.ndarray, x: np.ndarray, n: int) -> np.ndarray:
    """r x, by mask: r (2^n,), x (..., 2^n)."""
    y = np.zeros_like(x)
    masks = np.arange(1 << n)
    for a in np.flatnonzero(r):
        y[..., a ^ masks] += r[a] * signs(int(a), n) * x
    return y


def reverse(x: np.ndarray, n: int) -> np.ndarray:
    """~x, by mask: k(k-1)/2 transpositions of k indices."""
    grades = np.bitwise_count(np.arange(1 << n)).astype(np.int64)
    return x * (1 - 2 * (grades * (grades - 1) // 2 % 2))


def sandwich(r: np.ndarray, x: np.ndarray, s: np.ndarray, n: int) -> np.ndarray:
    """r x ~s of coefficients in blade order; x ~s = ~(s ~x)."""
    masks = full_layout(n).mask_array
    by_mask = np.empty_like(x)
    by_mask[..., masks] = x
    right = reverse(blade_product(s, reverse(by_mask, n), n), n)
    return blade_product(r, right, n)[..., masks]


def even_multivector(rng: np.random.Generator, n: int, blades: int | None) -> np.ndarray:
    """An even multivector by mask: some integer blades, or all with real coefficients of norm 1."""
    even = np.flatnonzero(odd_parity(n) == 0)
    result = np.zeros(1 << n)
    if blades is None:
        result[even] = rng.standard_normal(len(even))
        return result / np.linalg.norm(result)
    chosen = rng.choice(even, min(blades, len(even)), replace=False)
    result[chosen] = rng.choice([-2, -1, 1, 2], len(chosen))
    return result


def factors(r: np.ndarray, s: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """(A, S) of x -> r x ~s for even r and s by mask."""
    masks = full_layout(n).mask_array
    a = coefficients_to_even_blocks(r[masks], n)[0]
    right = coefficients_to_even_blocks(reverse(s, n)[masks], n)[0]
    return a, np.stack([right, odd_right_factor(right, n)])


def tensors(*arrays: np.ndarray, dtype: str) -> list[Any]:
    import torch

    return [torch.tensor(array, dtype=getattr(torch, dtype)) for array in arrays]


def relative_error(found: Any, wanted: np.ndarray) -> float:
    """Largest error relative to the largest component; 0 for empty arrays."""
    assert tuple(found.shape) == wanted.shape
    if not wanted.size:
        return 0.0
    return float(np.abs(found.double().numpy() - wanted).max() / max(np.abs(wanted).max(), 1e-300))


class Case(NamedTuple):
    """Generic even r, s, b by mask, rows x and g, and r x ~s, r b x ~s, r x ~(s b)."""

    r: np.ndarray
    s: np.ndarray
    b: np.ndarray
    x: np.ndarray
    g: np.ndarray
    y: np.ndarray
    y_along_r: np.ndarray
    y_along_s: np.ndarray


@cache
def generic_case(n: int) -> Case:
    """As many rows as the largest batch: multiples of five, on which the oracle works."""
    rng = np.random.default_rng(n)
    r, s, b = (even_multivector(rng, n, None) for _ in range(3))
    which, factor = np.arange(max(BATCHES)) % 5, rng.uniform(0.5, 2, (max(BATCHES), 1))
    few = rng.standard_normal((5, 1 << n))

    def rows(values: np.ndarray) -> np.ndarray:
        return values[which] * factor

    return Case(
        r,
        s,
        b,
        rows(few),
        rng.standard_normal((max(BATCHES), 1 << n)),
        rows(sandwich(r, few, s, n)),
        rows(sandwich(blade_product(r, b, n), few, s, n)),
        rows(sandwich(r, few, blade_product(s, b, n), n)),
    )


# ---- without the extension


def test_the_oracle_agrees_with_the_library() -> None:
    from geomlin import Algebra

    n, rng = 5, np.random.default_rng(1)
    alg, order = Algebra(5), full_layout(5).mask_array
    r, x, s = rng.integers(-3, 4, (3, 1 << n)).astype(float)
    found = sandwich(r, x[order], s, n)
    r_, x_, s_ = (alg.multivector(v[order]) for v in (r, x, s))
    assert np.array_equal(found, (r_ * x_ * ~s_).coeffs)


def test_zero_turns_the_kernel_off(monkeypatch: pytest.MonkeyPatch) -> None:
    from geomlin.nn.native_action import implementation

    monkeypatch.setenv("GEOMLIN_NATIVE", "0")
    assert library() is None
    assert implementation() is None
    assert describe() == "plain torch: GEOMLIN_NATIVE=0 turned the native kernel off"


def test_native_is_light() -> None:
    code = "import sys, geomlin.native as n; n.describe(); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


# ---- choosing


@built
def test_the_variable_chooses_the_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    for level in require_kernel().module.levels():
        monkeypatch.setenv("GEOMLIN_NATIVE", level)
        found = library()
        assert found is not None
        assert found.instructions == level
        assert describe().startswith(f"native kernel ({level},")
    monkeypatch.setenv("GEOMLIN_NATIVE", "sse9")
    with pytest.raises(NotSupported, match="sse9"):
        library()


@built
def test_the_widest_instructions_are_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEOMLIN_NATIVE", raising=False)
    found = library()
    assert found is not None
    assert found.instructions == found.module.levels()[-1]


# ---- the operator


@built
@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", DIMENSIONS)
def test_exact_on_integers(n: int, level: str, dtype: str) -> None:
    """Forward, and the transpose x -> ~r x s, without rounding."""
    kernel, rng = require_kernel(level), np.random.default_rng(n)
    r, s = even_multivector(rng, n, 3), even_multivector(rng, n, 3)
    x = rng.integers(-1, 2, (18, 1 << n)).astype(float)
    A, S, inputs = tensors(*factors(r, s, n), x[:, None], dtype=dtype)
    y = kernel.forward(inputs, kernel.pack(A[None, None], S[None, None], None))
    assert np.array_equal(y[:, 0].double().numpy(), sandwich(r, x, s, n))
    back, _, _ = kernel.backward(inputs, inputs, A[None, None], S[None, None], None)
    transposed = sandwich(reverse(r, n), x, reverse(s, n), n)
    assert np.array_equal(back[:, 0].double().numpy(), transposed)


@built
@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", DIMENSIONS)
def test_rotor_action_within_bounds(n: int, level: str, dtype: str) -> None:
    """Every batch on both sides of a group of rows."""
    kernel, case = require_kernel(level), generic_case(n)
    A, S, inputs = tensors(*factors(case.r, case.s, n), case.x[:, None], dtype=dtype)
    tables = kernel.pack(A[None, None], S[None, None], None)
    for batch in BATCHES:
        y = kernel.forward(inputs[:batch], tables)
        assert relative_error(y[:, 0], case.y[:batch]) <= BOUNDS[dtype]


@built
@pytest.mark.parametrize("n", [4, 6, 8, 10, 12])
def test_the_odd_half_needs_its_own_factor(n: int) -> None:
    """False twin: the even factor on both halves, which is right for odd n only."""
    kernel, rng = require_kernel(), np.random.default_rng(n)
    r, s = even_multivector(rng, n, 3), even_multivector(rng, n, 3)
    x = rng.integers(-2, 3, (2, 1 << n)).astype(float)
    A, S, inputs = tensors(*factors(r, s, n), x[:, None], dtype="float64")
    S[1] = S[0]
    y = kernel.forward(inputs, kernel.pack(A[None, None], S[None, None], None))
    assert relative_error(y[:, 0], sandwich(r, x, s, n)) > 1e-3


@built
@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", DIMENSIONS)
def test_moments_are_the_derivatives(n: int, level: str, dtype: str) -> None:
    """<g, r b x ~s> = sum_t <moment_r, rho_t(b)> and <g, r x ~(s b)> = sum <moment_s, rho(~b)>.

    The left sides are blade products, bilinear in the direction b: no finite differences.
    """
    kernel, case = require_kernel(level), generic_case(n)
    x, g, rows = case.x, case.g, slice(19)
    A, S, inputs, grads = tensors(
        *factors(case.r, case.s, n), x[rows, None], g[rows, None], dtype=dtype
    )
    _, moment_r, moment_s = kernel.backward(grads, inputs, A[None, None], S[None, None], None)
    left, right = factors(case.b, case.b, n)
    wanted_r, wanted_s = ((g * y)[rows].sum() for y in (case.y_along_r, case.y_along_s))
    size = np.linalg.norm(x) * np.linalg.norm(g)
    assert abs((moment_r[0, 0].double().numpy() * left).sum() - wanted_r) <= BOUNDS[dtype] * size
    assert abs((moment_s[0, 0].double().numpy() * right).sum() - wanted_s) <= BOUNDS[dtype] * size
    twin = (moment_s[0, 0].double().numpy() * right[::-1]).sum()  # the halves exchanged
    assert n % 2 or abs(twin - wanted_s) > BOUNDS[dtype] * size


@built
@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize(("inputs", "outputs"), [(1, 1), (2, 3), (3, 1)])
@pytest.mark.parametrize("n", DIMENSIONS)
def test_equals_plain_torch(n: int, inputs: int, outputs: int, dtype: str) -> None:
    """Forward, grad_x and both moments, with several chunks and a scale (one of them zero)."""
    from geomlin.nn.plain import PlainAction

    kernel, plain, rng = require_kernel(), PlainAction(), np.random.default_rng(n)
    pairs = [
        factors(even_multivector(rng, n, None), even_multivector(rng, n, None), n)
        for _ in range(inputs * outputs)
    ]
    a, s = (np.stack([pair[k] for pair in pairs]) for k in (0, 1))
    scale = rng.standard_normal((inputs, outputs))
    scale[-1, -1] = 0 if inputs * outputs > 1 else -1.5
    x, g = (rng.standard_normal((21, chunks, 1 << n)) for chunks in (inputs, outputs))
    a, s = (v.reshape(inputs, outputs, *v.shape[1:]) for v in (a, s))
    x_, g_, a_, s_, scale_ = tensors(x, g, a, s, scale, dtype=dtype)
    for factor in (scale_, None):
        pairs_of_results = zip(
            (
                kernel.forward(x_, kernel.pack(a_, s_, factor)),
                *kernel.backward(g_, x_, a_, s_, factor),
            ),
            (
                plain.forward(x_, plain.pack(a_, s_, factor)),
                *plain.backward(g_, x_, a_, s_, factor),
            ),
            strict=True,
        )
        for found, wanted in pairs_of_results:
            assert relative_error(found, wanted.double().numpy()) <= BOUNDS[dtype]


# ---- from bivectors to factors and back


def bivectors(n: int) -> dict[str, np.ndarray]:
    """Generic ones, and those whose eigenvectors are not determined, (.., n (n - 1) / 2)."""
    rng, first = np.random.default_rng(n), np.triu_indices(n, 1)[0]
    count = len(first)
    equal = np.zeros((n, n))
    for k in range(0, n - 1, 2):
        equal[k, k + 1] = 0.7
    frame = np.linalg.qr(rng.standard_normal((n, n)))[0]
    turned = frame @ (equal - equal.T) @ frame.T
    return {
        "generic": rng.standard_normal(count),
        "large": 30 * rng.standard_normal(count),
        "tiny": 1e-9 * rng.standard_normal(count),
        "zero": np.zeros(count),
        "one plane": np.eye(1, count)[0],
        "equal angles": equal[np.triu_indices(n, 1)],
        "equal angles, turned": turned[np.triu_indices(n, 1)],
    }


def rotor(b: np.ndarray, n: int) -> np.ndarray:
    """exp(b) by mask, from the library's numpy exponential."""
    from geomlin import Algebra, exp

    found = exp(Algebra(n).bivector(b))
    result = np.zeros(1 << n)
    result[found.layout.mask_array] = found.coeffs
    return result


def spectrum(b: np.ndarray, n: int) -> tuple[Any, Any]:
    """(sides, 1, 1, n) eigenvalues and eigenvectors of i b, from b (sides, P)."""
    import torch

    matrix = np.zeros((len(b), 1, 1, n, n))
    matrix[..., *np.triu_indices(n, 1)] = b[:, None, None]
    skew = torch.tensor(matrix - matrix.swapaxes(-1, -2))
    return torch.linalg.eigh(1j * skew)


@built
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", DIMENSIONS)
def test_factors_are_those_of_the_exponentials(n: int, level: str) -> None:
    """A and S from the spectrum are the blocks of the numpy exponential, within 1e-13 (1 + |b|)."""
    from geomlin.nn.native_rotors import native_factors

    kernel, cases = require_kernel(level), bivectors(n)
    names = list(cases)
    for left, right in zip(names, names[1:] + names[:1], strict=True):
        b = np.stack([cases[left], cases[right]])
        A, S = native_factors(kernel, *spectrum(b, n))
        bound = 1e-13 * (1 + np.abs(b).sum())
        wanted = factors(rotor(b[0], n), rotor(b[1], n), n)
        for found, blocks in zip((A, S), wanted, strict=True):
            assert np.abs(found[0, 0].numpy() - blocks).max() <= bound
        A, S = native_factors(kernel, *spectrum(b[:1], n))  # one rotor on both sides
        wanted = factors(rotor(b[0], n), rotor(b[0], n), n)
        assert np.abs(S[0, 0].numpy() - wanted[1]).max() <= bound


@built
@pytest.mark.parametrize("n", DIMENSIONS)
def test_pull_back_is_the_derivative_of_the_exponential(n: int) -> None:
    """<grad, v> = <M_r, rho(~r r')> + <M_s, rho(~s' s)> along v, at equal angles too.

    The derivatives r' are central differences of the numpy exponential: 1e-8 (1 + |b|) relative.
    """
    from geomlin.nn.native_rotors import native_pull_back

    kernel, rng, cases = require_kernel(), np.random.default_rng(n), bivectors(n)
    names, step = [name for name in cases if name != "large"], 3e-6
    shape = factors(rotor(cases["zero"], n), rotor(cases["zero"], n), n)
    moments = [rng.standard_normal(v.shape) for v in shape]
    for left, right in zip(names, names[1:] + names[:1], strict=True):
        b = np.stack([cases[left], cases[right]])
        v = rng.standard_normal(b.shape)
        tensors_ = tensors(*(m[None, None] for m in moments), dtype="float64")
        grad = native_pull_back(kernel, *tensors_, *spectrum(b, n))[:, 0, 0].numpy()
        directions = []
        for at, along in zip(b, v, strict=True):
            change = (rotor(at + step * along, n) - rotor(at - step * along, n)) / (2 * step)
            directions.append(blade_product(reverse(rotor(at, n), n), change, n))
        along_r = factors(directions[0], directions[1], n)
        wanted = (moments[0] * along_r[0]).sum(), (moments[1] * along_r[1]).sum()
        for side in (0, 1):
            scale = np.linalg.norm(moments[side]) * np.linalg.norm(v[side]) * np.sqrt(1 << n)
            assert abs((grad[side] * v[side]).sum() - wanted[side]) <= 1e-8 * scale
            assert abs((grad[side] * v[side]).sum() + wanted[side]) > 1e-8 * scale  # false twin
        one = native_pull_back(kernel, *tensors_, *spectrum(b[[0, 0]], n))
        both = native_pull_back(kernel, *tensors_, *spectrum(b[:1], n))
        assert np.allclose(both, one.sum(0, keepdim=True), rtol=0, atol=1e-12 * scale)


@built
@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("n", DIMENSIONS)
def test_pull_back_equals_plain_torch(n: int, dtype: str) -> None:
    """Several pairs, moments of either precision, one or two sides."""
    import torch

    from geomlin.nn import rotors
    from geomlin.nn.native_rotors import native_pull_back
    from geomlin.nn.tables import rotor_tables

    kernel, rng = require_kernel(), np.random.default_rng(n)
    tables = rotor_tables(n, torch.device("cpu"))
    for sides in (1, 2):
        b = torch.tensor(rng.standard_normal((sides, 2, 3, n * (n - 1) // 2)))
        found = rotors.spectrum(b, tables)
        shapes = (2, 3, *tables.shape), (2, 3, 2, *tables.shape)
        moments = tensors(*(rng.standard_normal(shape) for shape in shapes), dtype=dtype)
        grad = native_pull_back(kernel, *moments, found.values, found.vectors)
        h = torch.stack([moments[0].double().flatten(-4) @ tables.generators.T] * sides)
        right = moments[1].double().flatten(-4) @ tables.generators.T
        right = -(right[..., 0, :] + tables.hat * right[..., 1, :])
        h = torch.stack([h[0], right]) if sides == 2 else (h[0] + right)[None]
        wanted = rotors.phi_of_ad(h, found, tables)
        assert relative_error(grad, wanted.numpy()) <= 1e-13


# ---- batches, memory, threads


def example(n: int, batch: int, dtype: str = "float32") -> tuple[Any, ...]:
    """x, grad_y, A, S of one pair with generic even factors."""
    rng = np.random.default_rng(n)
    r, s = even_multivector(rng, n, None), even_multivector(rng, n, None)
    x, g = rng.standard_normal((2, batch, 1, 1 << n))
    A, S = factors(r, s, n)
    return tuple(tensors(x, g, A[None, None], S[None, None], dtype=dtype))


@built
@pytest.mark.parametrize("n", DIMENSIONS)
def test_threads_do_not_change_the_answer(n: int) -> None:
    """Rows are independent; the moments add up in another order.

    The last batch has work for three threads.
    """
    import torch

    kernel = require_kernel()
    before = torch.get_num_threads()
    try:
        for batch in (*BATCHES, 4 * 8192 // (1 << n) + 5):
            x, g, A, S = example(n, batch)
            results = []
            for threads in (1, 2, 3):
                torch.set_num_threads(threads)
                y = kernel.forward(x, kernel.pack(A, S, None))
                results.append((y, *kernel.backward(g, x, A, S, None)))
                again = kernel.backward(g, x, A, S, None)
                assert all(torch.equal(p, q) for p, q in zip(results[-1][1:], again, strict=True))
            for other, first in product(results[1:], results[:1]):
                for found, wanted in zip(other, first, strict=True):
                    assert relative_error(found, wanted.double().numpy()) <= BOUNDS["float32"]
    finally:
        torch.set_num_threads(before)


@built
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [2, 5, 8, 9, 11])
def test_a_row_of_nan_stays_alone(n: int, level: str) -> None:
    """Rows share vectors, not values."""
    import torch

    kernel = require_kernel(level)
    x, g, A, S = example(n, 20)
    tables = kernel.pack(A, S, None)
    clean, clean_back = kernel.forward(x, tables), kernel.backward(g, x, A, S, None)[0]
    others = torch.arange(20) != 3
    x[3], g[3] = torch.nan, torch.inf
    assert torch.equal(kernel.forward(x, tables)[others], clean[others])
    assert torch.equal(kernel.backward(g, x, A, S, None)[0][others], clean_back[others])
    assert not kernel.forward(x, tables)[3].isfinite().any()


@built
@pytest.mark.parametrize("batch", [1, 17])
@pytest.mark.parametrize("n", [3, 8, 11])
def test_strides(n: int, batch: int) -> None:
    """Views with any distance between rows are read in place, other strides are copied."""
    import torch

    kernel = require_kernel()
    x, g, A, S = example(n, batch)
    tables, width = kernel.pack(A, S, None), 1 << n
    wanted = kernel.forward(x, tables), *kernel.backward(g, x, A, S, None)
    padded = torch.full((batch, 1, 2 * width + 3), torch.nan)
    padded[..., 3 : width + 3] = x
    doubled = torch.full((batch, 1, width, 2), torch.nan)
    doubled[..., 1] = x
    transposed = x[:, 0].T.contiguous().T[:, None]
    for view in (padded[..., 3 : width + 3], doubled[..., 1], transposed):
        assert batch == 1 or not view.is_contiguous()
        assert torch.equal(kernel.forward(view, tables), wanted[0])
        for found, right in zip(kernel.backward(g, view, A, S, None), wanted[1:], strict=True):
            assert torch.equal(found, right)
    one_row = x[:1].expand(batch, 1, width)  # distance 0
    assert (
        relative_error(kernel.forward(one_row, tables)[-1], wanted[0][0].double().numpy()) <= 4e-6
    )


@built
def test_inputs_are_left_alone_and_outputs_are_new() -> None:
    import torch

    kernel = require_kernel()
    x, g, A, S = example(9, 40)
    copies = [v.clone() for v in (x, g, A, S)]
    y = kernel.forward(x, kernel.pack(A, S, None))
    results = y, *kernel.backward(g, x, A, S, None)
    assert all(torch.equal(p, q) for p, q in zip((x, g, A, S), copies, strict=True))
    pointers = {v.data_ptr() for v in (x, g, A, S, *results)}
    assert len(pointers) == 8


@built
def test_bad_input_has_a_name() -> None:
    import torch

    from geomlin import DtypeError, LayoutError

    kernel = require_kernel()
    x, g, A, S = example(5, 4)
    tables = kernel.pack(A, S, None)
    with pytest.raises(LayoutError, match=r"expected x of shape \(4, 1, 32\), got \(4, 1, 31\)"):
        kernel.forward(x[..., :31], tables)
    with pytest.raises(LayoutError, match="expected x"):
        kernel.forward(x[:, 0], tables)
    with pytest.raises(LayoutError, match="expected grad_y"):
        kernel.backward(g[:3], x, A, S, None)
    with pytest.raises(DtypeError, match="float32"):
        kernel.forward(x.double(), tables)
    with pytest.raises(DtypeError, match="float16"):
        kernel.pack(A.half(), S.half(), None)
    with pytest.raises(DtypeError, match="meta"):
        kernel.forward(x.to("meta"), tables)
    with pytest.raises(LayoutError, match="factors"):
        kernel.pack(A, S[:, :, :1], None)
    with pytest.raises(LayoutError, match="factors"):
        kernel.pack(A[0], S, None)
    with pytest.raises(LayoutError, match="scale"):
        kernel.pack(A, S, torch.ones(2, 1))
    cpu = torch.device("cpu")
    assert kernel.accepts(12, torch.float32, cpu)
    assert kernel.accepts(2, torch.float64, cpu)
    assert not kernel.accepts(13, torch.float32, cpu)
    assert not kernel.accepts(1, torch.float32, cpu)
    assert not kernel.accepts(8, torch.float16, cpu)
    assert not kernel.accepts(8, torch.float32, torch.device("meta"))


@built
def test_the_module_refuses_what_it_can_see() -> None:
    """Index maps that are no permutation would write anywhere; they are refused."""
    module = require_kernel().module
    places, ones = np.arange(4), np.ones(4, dtype=np.int8)
    words = np.array([[0, 0, 0, 1], [0, 0, 0, 0]])
    plan = module.plan(2, places, ones, words)
    refused = [
        (2, np.array([0, 1, 2, 2]), ones, words),
        (2, np.array([0, 1, 2, 4]), ones, words),
        (2, np.array([-1, 1, 2, 3]), ones, words),
        (2, places[:3], ones, words),
        (2, places, 2 * ones, words),
        (2, places, ones[:2], words),
        (2, places, ones, 2 * words),
        (2, places, ones, -words),
        (2, places, ones, words[1:]),
        (1, places[:2], ones[:2], words[:1]),
        (13, places, ones, words),
    ]
    for arguments in refused:
        with pytest.raises(ValueError, match="permutation"):
            module.plan(*arguments)
    with pytest.raises(TypeError, match="bytes-like"):
        module.plan(2, places, ones, None)
    with pytest.raises(ValueError, match="level"):
        module.forward(plan, 7, 0, 1, 1, 0, 4, 4, 1, 0, 0, 0)
    with pytest.raises(ValueError, match="chunks"):
        module.forward(plan, 0, 0, 0, 1, 0, 4, 4, 1, 0, 0, 0)
    with pytest.raises(TypeError, match="expected 12 arguments, got 1"):
        module.forward(plan)
    with pytest.raises(TypeError):
        module.forward(plan, 0, 0, 1, 1, 0, 4, 4, 1, 0, 0, "x")
    with pytest.raises(ValueError, match="PyCapsule"):
        module.table_size(None, 1)


# ---- building


@pytest.fixture(scope="module")
def fuzz_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """tests/native_fuzz.c with every kernel, under both sanitizers."""
    folder = tmp_path_factory.mktemp("fuzz")
    native = ROOT / "geomlin" / "native"
    sources = [ROOT / "tests" / "native_fuzz.c", *sorted(native.glob("*.c"))]
    flags = ["-O1", "-g", "-fopenmp", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    program = folder / "fuzz"
    compiler = os.environ.get("CC", "gcc")
    files = [str(source) for source in sources if source.name != "_rotor.c"]
    command = [compiler, *flags, f"-I{native}", "-o", str(program), *files, "-lm"]
    subprocess.run(command, check=True, timeout=600)
    return program


@built
@pytest.mark.slow
def test_no_byte_out_of_place(fuzz_program: Path) -> None:
    done = subprocess.run([str(fuzz_program)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(" cases, 0 wrong\n")


@built
@pytest.mark.slow
def test_the_sanitizer_would_see_it(fuzz_program: Path) -> None:
    """False twin: one number of x is missing."""
    done = subprocess.run([str(fuzz_program), "short"], capture_output=True, text=True, timeout=600)
    assert done.returncode != 0
    assert "heap-buffer-overflow" in done.stderr


@built
def test_installs_and_works_without_a_compiler(tmp_path: Path) -> None:
    """A compiler that always fails: the build succeeds, and the library says what is missing."""
    names = ("geomlin", "proofs", "setup.py", "pyproject.toml", "README.md", "LICENSE")
    source = tmp_path / "source"
    source.mkdir()
    for name in names:
        subprocess.run(["cp", "-r", str(ROOT / name), str(source)], check=True)
    for left in source.rglob("*.so"):
        left.unlink()
    environment = {**os.environ, "CC": "false"}
    environment.pop("GEOMLIN_NATIVE", None)
    wheels = tmp_path / "wheels"
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "-w",
        str(wheels),
        str(source),
    ]
    subprocess.run(command, check=True, env=environment, cwd=tmp_path)
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(next(wheels.glob("geomlin-*.whl"))) as wheel:
        wheel.extractall(unpacked)
    assert not list(unpacked.rglob("*.so"))
    assert (unpacked / "geomlin" / "native" / "__init__.py").exists()
    code = (
        "import geomlin.native as native; assert native.library() is None; print(native.describe())"
    )
    environment["PYTHONPATH"] = str(unpacked)
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
    )
    assert "install one, then geomlin again" in done.stdout
