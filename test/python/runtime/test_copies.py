"""Kernels as Python objects: copied, pickled, and sent to another process by name."""

import copy
import multiprocessing
import pickle

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def doubled(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) * 2, i < n)


@tw.autotune([tw.Config({"BLOCK": 16}), tw.Config({"BLOCK": 32})], key=["n"])
@tw.jit
def tuned(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) * 2, i < n)


@pytest.mark.parametrize("kernel", [doubled, tuned])
def test_a_copy_is_the_kernel_itself(kernel):
    holder = copy.deepcopy({"kernel": kernel})
    assert holder["kernel"] is kernel and copy.copy(kernel) is kernel
    assert pickle.loads(pickle.dumps(kernel)) is kernel


def test_a_kernel_without_a_name_is_not_pickled():
    @tw.jit
    def inner(x):
        pass

    with pytest.raises((pickle.PicklingError, AttributeError), match="inner"):
        pickle.dumps(inner)


def run(kernel, n):
    x, out = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
    kernel[(tw.cdiv(n, 16),)](x, out, n, BLOCK=16)
    return out


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_a_kernel_is_sent_to_another_process(method):
    assert np.array_equal(run(doubled, 40), np.arange(40) * 2)
    with multiprocessing.get_context(method).Pool(2) as pool:
        results = pool.starmap(run, [(doubled, 40), (doubled, 50)])
    assert [np.array_equal(result, np.arange(len(result)) * 2) for result in results] == [True, True]


@tw.jit
def scaled(out, BLOCK: tl.constexpr, FACTORS: tl.constexpr, ON: tl.constexpr):
    if ON:
        i = tl.arange(0, BLOCK)
        tl.store(out + i, i * FACTORS[0] + FACTORS[1])


def test_numbers_of_numpy_are_constants(backend):
    out = backend.array(np.zeros(8), "float32")
    scaled[1,](out, np.int64(8), (np.int32(3), np.float64(0.5)), np.bool_(True))
    assert backend.numpy(out).tolist() == [i * 3 + 0.5 for i in range(8)]
