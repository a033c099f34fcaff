"""Repeated calls of array functions repeat the launches of the first call with their own arrays."""

import numpy as np
import pytest
from tilewright import kernels
from tilewright.kernels import _calls

M, N, K = 48, 40, 64


@pytest.fixture
def recorded(monkeypatch):
    """Lists the plans of calls that ran in full, in order."""
    made = []
    record = _calls._record

    def noted(*args):
        result, plan = record(*args)
        made.append(plan)
        return result, plan

    monkeypatch.setattr(_calls, "_record", noted)
    return made


@pytest.fixture
def array(backend, rng):
    """`array(*shape)` allocates an array of random numbers."""
    return lambda *shape: backend.array(rng.standard_normal(shape), "float32")


CALLS = {
    "add": (kernels.add, [(M, N), (M, N)], {}),
    "softmax": (kernels.softmax, [(M, N)], {}),
    "long softmax": (kernels.softmax, [(2, 20000)], {}),
    "gelu": (kernels.gelu, [(M, N)], {"approximate": "tanh"}),
    "layer_norm": (kernels.layer_norm, [(M, N), (N,), (N,)], {"eps": 1e-3}),
    "rms_norm": (kernels.rms_norm, [(2, M, N), (N,)], {}),
    "matmul": (kernels.matmul, [(M, K), (K, N), (N,)], {"activation": "relu", "alpha": 0.5}),
    "batch": (kernels.matmul, [(3, M, K), (K, N)], {}),
    "split": (kernels.matmul, [(M, K), (K, N)], {"config": kernels.gemm.Config(16, 16, 16, split_k=3)}),
    "parts": (kernels.matmul, [(M, K), (K, N)], {"config": {"split_k": 2, "block_k": 16}}),
    "swapped": (kernels.matmul, [(M, K), (K, N)], {"config": kernels.gemm.Config(16, 16, 16, swap=True)}),
    "gated": (kernels.gated_matmul, [(M, K), (K, N), (K, N)], {}),
    "attention": (kernels.attention, [(1, 2, M, 16)] * 3, {"causal": True}),
}


@pytest.mark.parametrize("case", CALLS)
def test_repeated_calls_compute_the_same(backend, recorded, array, case):
    function, shapes, options = CALLS[case]
    for _ in range(3):
        given = [array(*shape) for shape in shapes]
        out = backend.numpy(function(*given, **options)).copy()
        expected = function(*[backend.array(backend.numpy(x), "float32") for x in given], **options)
        np.testing.assert_array_equal(out, backend.numpy(expected))
        whole = backend.numpy(getattr(function, "__wrapped__", function)(*given, **options))
        np.testing.assert_array_equal(out, whole)
    assert len(recorded) <= 1 and all(recorded)


def test_each_call_allocates_its_result(backend, array):
    first = kernels.softmax(array(M, N))
    kept = backend.numpy(first).copy()
    second = kernels.softmax(array(M, N))
    assert first is not second
    np.testing.assert_array_equal(backend.numpy(first), kept)


def test_given_results_are_filled(backend, array):
    for _ in range(2):
        x, out = array(M, N), array(M, N)
        assert kernels.softmax(x, out=out) is out
        np.testing.assert_array_equal(backend.numpy(out), backend.numpy(kernels.softmax(x)))


def test_other_signatures_are_recorded_anew(backend, recorded, array):
    x = array(M + 1, N + 3)
    views = [x[:M, :N], x[1:, :N], x[:M, 1 : N + 1], x[:M, :N], x[: M - 1, :N]]
    for view in views:
        rows = np.exp(backend.numpy(view) - backend.numpy(view).max(1, keepdims=True))
        np.testing.assert_allclose(
            backend.numpy(kernels.softmax(view)), rows / rows.sum(1, keepdims=True), rtol=1e-5
        )
    assert len(recorded) >= 2
    count = len(recorded)
    for eps in (0.5, 0.25, 0.5):
        kernels.rms_norm(x, eps=eps)
    assert len(recorded) == count + 2


def test_one_array_twice_and_two_arrays(backend, array):
    x, y = array(M, N), array(M, N)
    for left, right in ((x, x), (x, y), (y, y), (y, x)):
        np.testing.assert_array_equal(
            backend.numpy(kernels.add(left, right)), backend.numpy(left) + backend.numpy(right)
        )


def test_calls_with_one_array_twice_are_repeated(backend, recorded, array):
    for _ in range(3):
        x, y = array(M, N), array(M, N)
        expected = 2 * backend.numpy(x)
        np.testing.assert_array_equal(backend.numpy(kernels.add(x, x)), expected)
        assert kernels.add(x, x, out=x) is x and kernels.add(x, y, out=y) is y
        np.testing.assert_array_equal(backend.numpy(x), expected)
    assert len(recorded) <= 3 and all(recorded)


def test_results_that_are_arguments_are_refused_each_time(backend, array):
    a, b = array(N, N), array(N, N)
    for _ in range(2):
        kernels.matmul(a, b, out=array(N, N))
        with pytest.raises(ValueError, match="out is a, which is read"):
            kernels.matmul(a, b, out=a)


def test_copies_are_made_each_time(backend, recorded, array):
    for _ in range(2):
        x, y = array(N, M).T, array(M, N)
        np.testing.assert_array_equal(backend.numpy(kernels.add(x, y)), backend.numpy(x) + backend.numpy(y))
    assert not any(recorded)


def test_errors_are_raised_each_time(array):
    for _ in range(2):
        with pytest.raises(ValueError, match="y has shape"):
            kernels.add(array(3, 4), array(4, 3))


def test_zeros_differ_by_their_sign():
    assert _calls._key_of((0.0,), 1, {}) != _calls._key_of((-0.0,), 1, {})
    assert _calls._key_of((1,), 1, {}) != _calls._key_of((True,), 1, {})
    assert _calls._key_of(({"a": 0.0},), 1, {}) != _calls._key_of(({"a": -0.0},), 1, {})


def test_arguments_without_a_key():
    assert _calls._key_of(({"a": [1]},), 1, {}) is None
    assert _calls._key_of(((1, 2),), 1, {}) is None
    assert _calls._key_of((np.float32(1),), 1, {}) is None


def test_only_so_many_calls_are_kept(monkeypatch, array):
    monkeypatch.setattr(_calls, "MAX_PLANS", 2)
    for n in range(1, 6):
        kernels.softmax(array(2, n))
        assert len(kernels.softmax.known) <= 2
