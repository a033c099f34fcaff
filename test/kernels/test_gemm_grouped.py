"""Grouped matmuls."""

import numpy as np
import pytest
from tilewright import kernels
from tilewright.kernels.gemm import reference


def expected(a, b, ends, bias=None, activation="none"):
    """Returns the rows of all groups, in float64."""
    starts = [0, *ends[:-1]]
    return np.concatenate(
        [
            reference.matmul(a[i:j], b[g], None if bias is None else bias[g], activation)
            for g, (i, j) in enumerate(zip(starts, ends))
        ]
    )


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("ends", [[300], [0, 128, 128, 300], [1, 2, 3, 299, 300], [0, 0, 300, 300]], ids=str)
@pytest.mark.parametrize("layout", ["N", "T"])
def test_groups(backend, rng, dtype, ends, layout):
    a = backend.array(rng.standard_normal((300, 70)), dtype)
    b = backend.array(rng.standard_normal((len(ends), *((70, 90) if layout == "N" else (90, 70)))), dtype)
    b = b if layout == "N" else b.swapaxes(1, 2)
    out = backend.poisoned((300, 90), dtype)
    assert kernels.grouped_matmul(a, b, backend.array(ends, "int32"), out=out) is out
    backend.check(out, expected(backend.numpy(a), backend.numpy(b), ends), dtype)


def test_bias_and_activation(backend, rng):
    a = backend.array(rng.standard_normal((150, 40)), "float16")
    b = backend.array(rng.standard_normal((3, 40, 130)), "float16")
    bias = backend.array(rng.standard_normal((3, 130)), "float32")
    ends = [20, 150, 150]
    result = kernels.grouped_matmul(a, b, backend.array(ends, "int64"), bias, "gelu", out_dtype="float32")
    numbers = [backend.numpy(x) for x in (a, b)]
    backend.check(result, expected(*numbers, ends, backend.numpy(bias), "gelu"), "float32")


def test_rows_after_the_groups_are_not_written(backend, rng):
    a = backend.array(rng.standard_normal((200, 32)), "float32")
    b = backend.array(rng.standard_normal((2, 32, 50)), "float32")
    out = backend.poisoned((200, 50), "float32")
    kernels.grouped_matmul(a, b, backend.array([60, 137], "int32"), out=out)
    result = backend.numpy(out)
    backend.check(result[:137], expected(backend.numpy(a)[:137], backend.numpy(b), [60, 137]), "float32")
    assert np.isnan(result[137:]).all()


@pytest.mark.parametrize("seed", range(6))
def test_random(backend, seed):
    rng = np.random.default_rng(seed)
    groups, rows, columns, depth = (int(2 ** rng.uniform(0, top)) for top in (5, 9, 8, 8))
    ends = np.sort(rng.integers(0, rows + 1, groups))
    ends[-1] = rows
    dtype = str(rng.choice(["float32", "float16", "bfloat16"]))
    a = backend.array(rng.standard_normal((rows, depth + 1)), dtype)[:, 1:]
    b = backend.array(rng.standard_normal((groups, depth, columns)), dtype)
    config = rng.choice([None, {"block_m": 16, "block_n": 32, "block_k": 32}])
    out = backend.poisoned((rows, columns), dtype)
    kernels.grouped_matmul(a, b, backend.array(ends, "int32"), out=out, config=config)
    backend.check(out, expected(backend.numpy(a), backend.numpy(b), ends), dtype)


def test_many_groups(backend, rng):
    sizes = rng.integers(0, 3, 700)
    ends = np.cumsum(sizes)
    a = backend.array(rng.standard_normal((int(ends[-1]), 16)), "float32")
    b = backend.array(rng.standard_normal((700, 16, 8)), "float32")
    result = kernels.grouped_matmul(a, b, backend.array(ends, "int32"), config={"block_m": 16, "block_n": 16})
    backend.check(result, expected(backend.numpy(a), backend.numpy(b), ends), "float32")


def test_grouped_matmul_refuses(backend):
    def ones(*shape, dtype="float32"):
        return backend.array(np.ones(shape), dtype)

    a, b, ends = ones(4, 5), ones(2, 5, 6), backend.array([1, 4], "int32")
    for error, message, call in [
        (ValueError, r"b has shape \(5, 6\), expected \(groups, 5, N\)", lambda: kernels.grouped_matmul(a, b[0], ends)),
        (TypeError, "b is float16, expected float32, the type of a", lambda: kernels.grouped_matmul(
            a, ones(2, 5, 6, dtype="float16"), ends)),
        (ValueError, r"ends has shape \(1,\), expected \(2,\)", lambda: kernels.grouped_matmul(a, b, ends[:1])),
        (TypeError, "ends is float32, expected int32 or int64", lambda: kernels.grouped_matmul(a, b, ones(2))),
        (ValueError, r"bias has shape \(6,\), expected \(2, 6\)", lambda: kernels.grouped_matmul(a, b, ends, ones(6))),
        (ValueError, "needs split_k=1 and swap=False", lambda: kernels.grouped_matmul(
            a, b, ends, config={"split_k": 2})),
    ]:  # fmt: skip
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize("ends", [[2, 1], [-1, 4], [1, 5]], ids=str)
def test_ends_are_checked_or_harmless(backend, ends):
    a, b = (backend.array(np.ones(shape), "float32") for shape in [(4, 5), (2, 5, 6)])
    wrong = backend.array(ends, "int32")
    if backend.name == "cuda":
        kernels.grouped_matmul(a, b, wrong)
        return
    with pytest.raises(ValueError, match="ends must rise from 0 to at most 4"):
        kernels.grouped_matmul(a, b, wrong)
