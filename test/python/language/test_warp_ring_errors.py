"""Mistakes with rings and their slots are reported at the line of the kernel, before anything runs."""

import inspect
import re

import pytest
import tilewright.language as tl
import tilewright.language.warp as warp
from tilewright.frontend import CompilationError, KernelFunction
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel


class TestRings:
    def test_number_of_slots(self, refused):
        def kernel(x_ptr, n):
            warp.ring(n, ((64, 64), tl.float16))  # !

        refused(kernel, "a number of slots that is known while compiling, 1 or more, got")

    def test_blocks(self, refused):
        def kernel(x_ptr, n):
            warp.ring(2, 64)  # !

        refused(kernel, "a tensor descriptor, a tl.block_type or a pair (shape, dtype), got 64")

    def test_block_shape(self, refused):
        def kernel(x_ptr, n):
            warp.ring(2, ((48, 64), tl.float16))  # !

        refused(kernel, "powers of two up to 4096, got [48, 64]")

    def test_size_of_a_cluster(self, refused):
        def kernel(x_ptr, n):
            warp.ring(2, ((64, 64), tl.float16), cluster=3)  # !

        refused(kernel, "a cluster has 1, 2, 4 or 8 thread blocks, got 3")

    def test_clusters_of_two_sizes(self, refused):
        def kernel(x_ptr, n):
            x = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [64, 64])
            one = warp.ring(2, x, cluster=2)
            other = warp.ring(2, x, cluster=4)  # !

            def produce():
                for ring in (one, other):
                    slot = ring.acquire()
                    slot.load(0, x, [0, 0])
                    ring.commit(slot)

            def consume():
                for ring in (one, other):
                    ring.release(ring.wait())

            warp.specialize(warp.role(produce, warps=1), warp.role(consume, warps=1))

        refused(
            kernel, "all rings and shared blocks of a kernel must have the same cluster size, got 2 and 4"
        )

    def test_outside_of_roles(self, refused):
        def kernel(x_ptr, n):
            ring = warp.ring(2, ((64, 64), tl.float16))
            ring.wait()  # !

        assert "warp.specialize" in refused(kernel, "wait stands in a role").hint

    def test_inside_of_a_role(self, refused):
        def kernel(x_ptr, n):
            def role():
                warp.ring(2, ((64, 64), tl.float16))  # !

            warp.specialize(warp.role(role, warps=4))

        refused(kernel, "a ring is made at the top of a kernel")

    def test_two_producers(self, refused):
        def kernel(x_ptr, n):
            x = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [64, 64])
            ring = warp.ring(2, x)

            def one():
                slot = ring.acquire()
                slot.load(0, x, [0, 0])
                ring.commit(slot)

            def other():
                ring.acquire()  # !

            warp.specialize(warp.role(one, warps=1), warp.role(other, warps=1))

        refused(kernel, "another role fills this ring already")

    def test_no_consumer(self, refused):
        def kernel(x_ptr, n):
            x = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [64, 64])
            ring = warp.ring(2, x)  # !

            def produce():
                slot = ring.acquire()
                slot.load(0, x, [0, 0])
                ring.commit(slot)

            warp.specialize(warp.role(produce, warps=1))

        refused(kernel, "no role waits for slots of this ring to read them")


def filled(body):
    """A kernel with `body(x, ring, n)` as the producer of a ring, and a consumer that reads it."""

    def kernel(x_ptr, n):
        x = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [64, 64])
        ring = warp.ring(2, x)

        def consume():
            ring.release(ring.wait())

        warp.specialize(warp.role(body, x, ring, n, warps=1), warp.role(consume, warps=1))

    return kernel


@pytest.fixture
def refuses_role():
    """`refuses_role(role, message)`: as `refused`, for the producer of a ring of float16 blocks [64, 64]."""

    def check(role, message, x="*fp16", divisible=16):
        role = KernelFunction(role)
        lines, first = inspect.getsourcelines(role.fn)
        (marked,) = [first + i for i, line in enumerate(lines) if line.rstrip().endswith("# !")]
        types = {"x_ptr": x, "n": "i32"}
        with pytest.raises(CompilationError, match=re.escape(message)) as caught:
            compile_kernel(
                filled(role),
                types,
                {},
                dict.fromkeys(types, divisible),
                "sm_90a",
                Options(),
                stop_after="warp",
            )
        assert caught.value.frames[0].line == marked

    return check


class TestSlots:
    def test_loaded_twice(self, refuses_role):
        def produce(x, ring, n):
            slot = ring.acquire()
            slot.load(0, x, [0, 0])
            slot.load(0, x, [0, 64])
            ring.commit(slot)  # !

        refuses_role(produce, "block 0 is loaded 2 times")

    def test_loaded_under_a_condition(self, refuses_role):
        def produce(x, ring, n):
            slot = ring.acquire()
            if n > 0:
                slot.load(0, x, [0, 0])  # !
            ring.commit(slot)

        refuses_role(produce, "a slot must be loaded after it is acquired and before it is committed")

    def test_loaded_after_the_commit(self, refuses_role):
        def produce(x, ring, n):
            slot = ring.acquire()
            ring.commit(slot)
            slot.load(0, x, [0, 0])  # !

        refuses_role(produce, "the slot was committed before")

    def test_no_such_block(self, refuses_role):
        def produce(x, ring, n):
            slot = ring.acquire()
            slot.load(1, x, [0, 0])  # !

        refuses_role(produce, "a slot of this ring has the blocks 0 to 0, got 1")

    def test_another_box(self, refuses_role):
        def produce(x, ring, n):
            other = tl.make_tensor_descriptor(x.parts[0], [n, n], [n, 1], [32, 64])
            slot = ring.acquire()
            slot.load(0, other, [0, 0])  # !

        refuses_role(
            produce, "block 0 of the slot is [64, 64] of fp16, the descriptor's blocks are [32, 64] of fp16"
        )

    def test_unknown_stride(self, refuses_role):
        def produce(x, ring, n):
            other = tl.make_tensor_descriptor(x.parts[0], [n, n], [n, n], [64, 64])
            slot = ring.acquire()
            slot.load(0, other, [0, 0])  # !

        refuses_role(produce, "the last stride of this descriptor is not known to be 1")

    def test_multicast_without_a_cluster(self, refuses_role):
        def produce(x, ring, n):
            slot = ring.acquire()
            slot.load(0, x, [0, 0], multicast=True)  # !

        refuses_role(produce, "only a ring of a cluster is filled for all its thread blocks at once")

    def test_no_descriptor(self, refuses_role):
        def produce(x, ring, n):
            slot = ring.acquire()
            slot.load(0, n, [0, 0])  # !

        refuses_role(produce, "a slot is loaded through a tensor descriptor, got int32")

    def test_unaligned_offset(self, refuses_role):
        def produce(x, ring, n):
            slot = ring.acquire()
            slot.load(0, x, [0, 3])  # !
            ring.commit(slot)

        refuses_role(produce, "its offset in a row is not known to be a multiple of 16 bytes")

    def test_unaligned_array(self, refuses_role):
        def produce(x, ring, n):
            slot = ring.acquire()
            slot.load(0, x, [0, 0])  # !
            ring.commit(slot)

        refuses_role(produce, "the array is not known to start at a multiple of 16 bytes", divisible=1)

    def test_never_committed(self, refuses_role):
        def produce(x, ring, n):
            slot = ring.acquire()  # !
            slot.load(0, x, [0, 0])

        refuses_role(produce, "has a slot that is used 0 times, expected once")

    def test_committed_twice(self, refuses_role):
        def produce(x, ring, n):
            slot = ring.acquire()
            slot.load(0, x, [0, 0])
            ring.commit(slot)
            ring.commit(slot)  # !

        refuses_role(produce, "the slot was given to commit before")

    def test_read_while_it_is_filled(self, refuses_role):
        def produce(x, ring, n):
            slot = ring.acquire()
            slot[0].read()  # !

        refuses_role(produce, "a slot that is being filled cannot be read")

    def test_released_instead_of_committed(self, refuses_role):
        def produce(x, ring, n):
            ring.release(ring.acquire())  # !

        refuses_role(produce, "release takes a slot to read, got a slot to fill")

    def test_released_under_a_condition(self, refuses_role):
        def produce(x, ring, n):
            slot = ring.wait()
            if n > 0:
                ring.release(slot)  # !

        refuses_role(produce, "a slot must be released where it is held, not under another condition")

    def test_read_after_the_release(self, refuses_role):
        def produce(x, ring, n):
            slot = ring.wait()
            block = slot[0]
            ring.release(slot)
            block.read()  # !

        refuses_role(produce, "belongs to a slot that was released before")

    def test_carried_blocks_are_gone(self, refuses_role):
        def produce(x, ring, n):
            held = ring.no_slot()
            for i in range(n):
                slot = ring.wait()
                held[0].read()  # !
                ring.release(held, when=i > 0)
                held = slot
            ring.release(held)

        refuses_role(produce, "the blocks of a slot that a loop carried are gone")

    def test_given_back_but_carried(self, refuses_role):
        def produce(x, ring, n):
            held = ring.no_slot()
            for i in range(n):  # !
                ring.release(held, when=i > 0)
                held = ring.wait()
                ring.release(held)

        refuses_role(
            produce, "'held' is carried to the next iteration, but it is a slot to read that has ended"
        )

    def test_used_after_a_branch(self, refuses_role):
        def produce(x, ring, n):
            slot = ring.wait()
            ring.release(slot)
            if n > 0:
                slot = ring.wait()
                ring.release(slot)
            ring.release(slot)  # !

        refuses_role(produce, "'slot' may have no value here: it ended in a branch of the 'if'")

    def test_stored_to(self, refuses_role):
        def produce(x, ring, n):
            slot = ring.wait()
            slot[0].store(1.0)  # !

        refuses_role(produce, "a slot that was waited for is only read")
