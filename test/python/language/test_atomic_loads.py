"""Atomic loads and stores, and waiting for writes of other programs."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def message_kernel(data_ptr, flag_ptr, out_ptr, ROUNDS: tl.constexpr):
    """Program 0 sends numbers to program 1, which acknowledges each."""
    for step in range(ROUNDS):
        if tl.program_id(0) == 0:
            while tl.atomic_load(flag_ptr + 1) != step:
                pass
            tl.store(data_ptr, step * 17 + 3)
            tl.atomic_store(flag_ptr, step + 1)
        else:
            tl.atomic_poll(flag_ptr, step + 1)
            tl.store(out_ptr + step, tl.load(data_ptr))
            tl.atomic_store(flag_ptr + 1, step + 1)


@pytest.mark.compiled
def test_programs_talk(backend):
    data, flags, out = (backend.array(np.zeros(size), "int32") for size in (1, 2, 20))
    message_kernel[2,](data, flags, out, 20)
    assert backend.numpy(out).tolist() == [17 * step + 3 for step in range(20)]


@tw.jit
def poll_kernel(flags_ptr, out_ptr, N: tl.constexpr):
    """Each program except the last writes a flag; the last program waits for all flags."""
    i = tl.arange(0, N)
    if tl.program_id(0) == tl.num_programs(0) - 1:
        seen = (flags_ptr + i).atomic_poll(i + 1, sem="acquire", scope="gpu")
        tl.store(out_ptr + i, seen.to(tl.int32))
    else:
        tl.atomic_store(flags_ptr + tl.program_id(0), tl.program_id(0) + 1)


@pytest.mark.parametrize("name", ["int32", "uint64"])
def test_a_block_is_waited_for(backend, name):
    flags, out = backend.array(np.zeros(8), name), backend.array(np.zeros(8), "int32")
    poll_kernel[9,](flags, out, 8)
    assert backend.numpy(out).tolist() == [1] * 8


@tw.jit
def access_kernel(x_ptr, out_ptr, scalar_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x = (x_ptr + i).atomic_load(mask=i < n, sem="relaxed", scope="sys")
    tl.atomic_store(out_ptr + i, tl.where(i < n, x, 9), mask=i < n + 1, sem="relaxed", scope="cta")
    tl.static_assert(x.dtype == x_ptr.dtype.element_ty)
    tl.atomic_store(scalar_ptr, tl.atomic_load(x_ptr + 1))
    tl.atomic_store(scalar_ptr + 1, 4.0, mask=n < 0)


@pytest.mark.parametrize("source", ["float32", "int64", "float16", "bfloat16", "int16", "float64"])
def test_elements_under_a_mask(backend, source):
    values = [5, -3, 0, 2, 7, 1, 1, 1]
    x = backend.array(values, source)
    out, scalar = backend.array(np.zeros(8), "float32"), backend.array(np.zeros(2), "float32")
    access_kernel[1,](x, out, scalar, 5, 8)
    backend.check(out, [5, -3, 0, 2, 7, 9, 0, 0], "float32")
    backend.check(scalar, [-3, 0], "float32")
    assert backend.numpy(x).astype("float32").tolist() == values, "what is read stays"


@tw.jit
def glance_kernel(flags_ptr, out_ptr):
    i = tl.arange(0, 4)
    tl.store(out_ptr + i, tl.atomic_poll(flags_ptr + i, 2, timeout_ns=0).to(tl.int32))
    tl.store(out_ptr + 4, tl.atomic_poll(flags_ptr, 0, timeout_ns=0).to(tl.int32))


def test_a_glance(backend):
    flags, out = backend.array([0, 2, 2, 1], "int32"), backend.array(np.full(5, 7), "int32")
    glance_kernel[1,](flags, out)
    assert backend.numpy(out).tolist() == [0, 1, 1, 0, 1]


@tw.jit
def patient_kernel(flags_ptr, out_ptr, nanoseconds):
    i = tl.arange(0, 4)
    tl.store(out_ptr + i, tl.atomic_poll(flags_ptr + i, 2, timeout_ns=nanoseconds).to(tl.int32))


def test_poll_times_out(backend):
    flags, out = backend.array([0, 2, 2, 1], "int32"), backend.array(np.full(4, 7), "int32")
    if backend.name == "cuda":
        patient_kernel[1,](flags, out, 1000)
        assert backend.numpy(out).tolist() == [0, 1, 1, 0]
    else:
        with pytest.raises(tw.TilewrightError, match="needs the clock of a GPU"):
            patient_kernel[1,](flags, out, 1000)


def test_mistakes(rejects):
    def bytes_(x):
        tl.atomic_load(x)  # !

    rejects(bytes_, "tl.atomic_load takes elements of 16, 32 or 64 bits, got int8", x="*i8")

    def narrow(x):
        tl.atomic_store(x, 1.0)  # !

    rejects(narrow, "tl.atomic_store does not take fp16", x="*fp16")

    def released(x):
        tl.atomic_load(x, sem="release")  # !

    rejects(released, "sem is one of 'relaxed', 'acquire', got 'release'", x="*i32")

    def acquired(x):
        tl.atomic_store(x, 1, sem="acquire")  # !

    rejects(acquired, "sem is one of 'relaxed', 'release', got 'acquire'", x="*i32")

    def floats(x):
        tl.atomic_poll(x, 1.0)  # !

    rejects(floats, "tl.atomic_poll waits for integers, got fp32", x="*fp32")

    def negative(x):
        tl.atomic_poll(x, 1, timeout_ns=-1)  # !

    rejects(negative, "timeout_ns of tl.atomic_poll is 0 or more, got -1", x="*i32")

    def constant(x: tl.const):
        tl.atomic_load(x)  # !

    rejects(constant, "tl.atomic_load through a pointer to const", x="*ki32")


def test_numbers_become_scalars(tile):
    def kernel(out):
        tl.static_assert(tl.to_tensor(3).dtype == tl.int32 and tl.to_tensor(1 << 31).dtype == tl.uint32)
        tl.static_assert(tl.to_tensor(True).dtype == tl.int1 and tl.to_tensor(0.5).dtype == tl.float32)
        number = tl.to_tensor(tl.to_tensor(5))
        tl.store(out, number.to(tl.float32))

    assert "tile.store" in tile(kernel, "*fp32")
