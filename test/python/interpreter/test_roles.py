"""Roles in the interpreter run one at a time in a deterministic order, and a hang is an error."""

import threading

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
import tilewright.language.warp as warp


def run(kernel, *arrays, programs=1, **constants):
    tw.interpret(kernel)[(programs,)](*arrays, **constants)


@tw.jit
def uneven(x_ptr, y_ptr, FILLED: tl.constexpr, READ: tl.constexpr, SLOTS: tl.constexpr):
    """A producer fills some slots, and a consumer reads some."""
    x = tl.make_tensor_descriptor(x_ptr, [8, 64], [64, 1], [1, 64])
    ring = warp.ring(SLOTS, x)

    def produce():
        for i in range(FILLED):
            slot = ring.acquire()
            slot.load(0, x, [i, 0])
            ring.commit(slot)

    def consume():
        for i in range(READ):
            slot = ring.wait()
            tl.store(y_ptr + i * 64 + tl.arange(0, 64)[None, :], slot[0].read())
            ring.release(slot)

    warp.specialize(warp.role(produce, warps=1), warp.role(consume, warps=4))


@pytest.fixture
def blocks(rng):
    return rng.standard_normal((8, 64)).astype(np.float32), np.zeros((8, 64), np.float32)


@pytest.mark.parametrize("slots", [1, 2, 8])
def test_blocks_arrive_in_order(blocks, slots):
    x, y = blocks
    run(uneven, x, y, FILLED=8, READ=8, SLOTS=slots)
    np.testing.assert_array_equal(y, x)


def test_a_role_that_waits_for_nothing(blocks):
    before = threading.active_count()
    with pytest.raises(
        tl.LanguageError, match=r"hangs: consume\(\) waits for a full slot of the ring of 2 slots"
    ):
        run(uneven, *blocks, FILLED=3, READ=4, SLOTS=2)
    assert threading.active_count() == before


def test_roles_that_wait_for_each_other(blocks):
    with pytest.raises(tl.LanguageError, match=r"produce\(\) waits for an empty slot") as caught:
        run(uneven, *blocks, FILLED=8, READ=1, SLOTS=2)
    assert "equally many" in caught.value.hint


def test_an_error_in_one_role_ends_all(blocks):
    x, y = blocks
    before = threading.active_count()
    with pytest.raises(tl.LanguageError, match="past the end of"):
        run(uneven, x, y[:4].copy(), FILLED=8, READ=8, SLOTS=2)
    assert threading.active_count() == before


def test_the_traceback_leads_to_the_line(blocks):
    import traceback

    with pytest.raises(tl.LanguageError) as caught:
        run(uneven, *blocks, FILLED=0, READ=1, SLOTS=2)
    lines = [frame.line for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert "slot = ring.wait()" in lines


@tw.jit
def turns(x_ptr, log_ptr):
    """Two roles read one ring; each logs its reads in order."""
    x = tl.make_tensor_descriptor(x_ptr, [8, 64], [64, 1], [1, 64])
    ring = warp.ring(2, x)

    def produce():
        for i in range(4):
            slot = ring.acquire()
            slot.load(0, x, [i, 0])
            ring.commit(slot)

    def consume(number: tl.constexpr):
        for _ in range(4):
            slot = ring.wait()
            count = tl.atomic_add(log_ptr, 1)
            tl.store(log_ptr + 1 + count, number)
            ring.release(slot)

    warp.specialize(
        warp.role(produce, warps=4), warp.role(consume, 0, warps=4), warp.role(consume, 1, warps=4)
    )


def test_the_order_is_the_same_every_time(blocks):
    logs = []
    for _ in range(3):
        log = np.full(9, 0, np.int32)
        run(turns, blocks[0], log)
        logs.append(log.tolist())
    assert logs[0][0] == 8
    assert sorted(logs[0][1:]) == [0] * 4 + [1] * 4
    assert logs[1:] == logs[:1] * 2


def test_programs_do_not_share_rings(blocks):
    x, y = blocks
    run(uneven, x, y, programs=3, FILLED=8, READ=8, SLOTS=2)
    np.testing.assert_array_equal(y, x)


@tw.jit
def released_nothing(x_ptr):
    x = tl.make_tensor_descriptor(x_ptr, [8, 64], [64, 1], [1, 64])
    ring = warp.ring(2, x)

    def consume():
        ring.release(ring.no_slot())

    warp.specialize(warp.role(consume, warps=4))


def test_no_slot_is_released(blocks):
    with pytest.raises(tl.LanguageError, match="the slot that is released is none") as caught:
        run(released_nothing, blocks[0])
    assert "when=" in caught.value.hint


@tw.jit
def half_loaded(x_ptr):
    x = tl.make_tensor_descriptor(x_ptr, [8, 64], [64, 1], [1, 64])
    ring = warp.ring(2, x, x)

    def produce():
        slot = ring.acquire()
        slot.load(1, x, [0, 0])
        ring.commit(slot)

    warp.specialize(warp.role(produce, warps=4))


def test_blocks_that_were_not_loaded(blocks):
    with pytest.raises(tl.LanguageError, match="block 0 is loaded 0 times"):
        run(half_loaded, blocks[0])


@tw.jit
def dots(a_ptr, b_ptr, c_ptr):
    index = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]

    def compute():
        a, b = warp.shared((64, 64), tl.float32), warp.shared((64, 64), tl.float32)
        a.store(tl.load(a_ptr + index))
        b.store(tl.load(b_ptr + index))
        acc = warp.wgmma(a, b.T, tl.zeros((64, 64), tl.float32))
        tl.store(c_ptr + index, warp.wgmma_wait(acc))

    warp.specialize(warp.role(compute, warps=4))


def test_float32_loses_13_bits():
    a, b = np.full((64, 64), 1 + 2**-11, np.float32), np.eye(64, dtype=np.float32)
    b[0, 0] = 1 + 2**-10
    c = np.empty((64, 64), np.float32)
    run(dots, a, b, c)
    expected = np.ones((64, 64), np.float32)
    expected[:, 0] = 1 + 2**-10
    np.testing.assert_array_equal(c, expected)


@tw.jit
def crowded(x_ptr):
    barrier = warp.named_barrier(6)

    def role():
        barrier.arrive()

    warp.specialize(warp.role(role, warps=4), warp.role(role, warps=4))


def test_more_warps_than_a_barrier_counts(blocks):
    with pytest.raises(tl.LanguageError, match="8 warps come to a barrier of 6 at once"):
        run(crowded, blocks[0])


@tw.jit
def alone(x_ptr):
    barrier = warp.named_barrier(8)

    def role():
        barrier.wait()

    warp.specialize(warp.role(role, warps=4))


def test_a_barrier_to_which_nobody_comes(blocks):
    with pytest.raises(tl.LanguageError, match=r"hangs: role\(\) waits for a barrier of 8 warps"):
        run(alone, blocks[0])
