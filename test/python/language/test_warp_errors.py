"""Mistakes in kernels at the warp level are reported at their line, before anything runs."""

import inspect
import re

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
import tilewright.language.warp as warp
from tilewright.frontend import CompilationError, KernelFunction
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel


def nothing():
    """A plain function, which is not a role."""


@tw.jit
def idle():
    pass


@pytest.mark.parametrize(
    "target, message",
    [("cpu", "the CPU back end has no rings, roles and wgmma"), ("sm_80", "needs sm_90a, Hopper's GPUs")],
)
def test_other_targets(refused, target, message):
    def kernel(x_ptr, n):
        ring = warp.ring(2, ((64, 64), tl.float16))  # !
        ring.acquire()

    refused(kernel, message, target)


def test_a_launch_on_the_cpu_names_the_back_end(backend):
    if backend.name != "cpu":
        pytest.skip("for the CPU back end")

    @tw.jit
    def kernel(x_ptr):
        warp.specialize(warp.role(idle, warps=4))

    with pytest.raises(CompilationError, match=r"warp\.specialize is for GPUs: the CPU back end"):
        kernel[(1,)](np.zeros(4, np.float16))


class TestRoles:
    def test_no_function(self, refused):
        def kernel(x_ptr, n):
            warp.specialize(warp.role(nothing, warps=4))  # !

        refused(kernel, "a role runs a function, got function nothing")

    def test_no_role(self, refused):
        def kernel(x_ptr, n):
            warp.specialize(idle)  # !

        assert "warp.role" in refused(kernel, "warp.specialize takes roles, got").hint

    @pytest.mark.parametrize("warps, registers, message", [
        (0, None, "a role has 1 to 32 warps, a constant, got 0"),
        (4, 100, "a thread has 24 to 240 registers, a multiple of 8, got 100"),
        (1, 24, "registers are given to warpgroups of 4 warps, and this role has 1"),
        (32, None, "the roles have at most 32 warps together, got 64"),
        (8, 240, "the roles ask for 122880 registers, a multiprocessor has 65536"),
    ])  # fmt: skip
    def test_sizes(self, refused, warps, registers, message):
        warps, registers = tl.constexpr(warps), tl.constexpr(registers)

        def kernel(x_ptr, n):
            warp.specialize(*[warp.role(idle, warps=warps, registers=registers) for _ in range(2)])  # !

        refused(kernel, message)

    def test_some_budgets(self, refused):
        def kernel(x_ptr, n):
            warp.specialize(warp.role(idle, warps=4, registers=40), warp.role(idle, warps=4))  # !

        refused(kernel, "either all roles have a budget of registers or none has")

    def test_something_returned(self, refused):
        def kernel(x_ptr, n):
            def role():
                return n

            warp.specialize(warp.role(role, warps=4))  # !

        refused(kernel, "the role role() returns nothing")

    def test_twice(self, refused):
        def kernel(x_ptr, n):
            def role():
                tl.store(x_ptr, n.to(tl.float16))

            warp.specialize(warp.role(role, warps=4))
            warp.specialize(warp.role(role, warps=4))  # !

        refused(kernel, "a kernel has at most one set of roles")

    def test_in_a_loop(self, refused):
        def kernel(x_ptr, n):
            def role():
                tl.store(x_ptr, n.to(tl.float16))

            for _ in range(n):
                warp.specialize(warp.role(role, warps=4))  # !

        refused(kernel, "roles must be at the top level of a kernel, not inside loops")

    def test_in_a_role(self, refused):
        def kernel(x_ptr, n):
            def role():
                warp.specialize(warp.role(idle, warps=4))  # !

            warp.specialize(warp.role(role, warps=4))

        refused(kernel, "a role has no roles of its own")

    def test_values_of_another_role(self, refused):
        def kernel(x_ptr, n):
            def one():
                mine = n + 1
                tl.store(x_ptr, mine.to(tl.float16))

            def other():
                tl.store(x_ptr, mine.to(tl.float16))  # noqa: F821 # !

            warp.specialize(warp.role(one, warps=4), warp.role(other, warps=4))

        refused(kernel, "'mine' is not defined")

    def test_blocks_outside(self, refused):
        def kernel(x_ptr, n):
            block = tl.load(x_ptr + tl.arange(0, 64))  # !

            def role():
                tl.store(x_ptr + tl.arange(0, 64), block)

            warp.specialize(warp.role(role, warps=4))

        refused(kernel, "blocks must be computed inside roles, whose warps hold them")

    def test_memory_of_another_role(self, refused):
        def kernel(x_ptr, n):
            tile = warp.shared((64,), tl.float16)

            def one():
                tile.store(1.0)

            def other():
                tl.store(x_ptr + tl.arange(0, 64), tile.read())  # !

            warp.specialize(warp.role(one, warps=4), warp.role(other, warps=4))

        refused(kernel, "another role, which runs at the same time, uses this block of shared memory")


class TestBarriers:
    def test_number_of_warps(self, refused):
        def kernel(x_ptr, n):
            warp.named_barrier(0)  # !

        refused(kernel, "1 to 32 warps come to a barrier, a constant, got 0")

    def test_too_few_warps(self, refused):
        def kernel(x_ptr, n):
            barrier = warp.named_barrier(2)

            def role():
                barrier.wait()  # !

            warp.specialize(warp.role(role, warps=4))

        refused(kernel, "4 warps of role() come to a barrier of 2")

    def test_in_a_role(self, refused):
        def kernel(x_ptr, n):
            def role():
                warp.named_barrier(8)  # !

            warp.specialize(warp.role(role, warps=4))

        refused(kernel, "a barrier between roles is made at the top of a kernel")

    def test_outside_of_roles(self, refused):
        def kernel(x_ptr, n):
            warp.named_barrier(8).arrive()  # !

        refused(kernel, "arrive stands in a role")

    def test_too_many(self, refused):
        def kernel(x_ptr, n):
            barriers = [warp.named_barrier(4) for _ in range(14)]

            def role():
                for barrier in barriers:
                    barrier.arrive()  # !

            warp.specialize(warp.role(role, warps=4))

        refused(kernel, "these roles have at most 13 barriers between them, this is number 14")


@pytest.fixture
def refuses_dot(refused):
    """`refuses_dot(multiply, message)`: `multiply(a, b)` of blocks [64, 64] in shared memory, in a role."""

    def check(multiply, message, element=tl.float16, warps=4):
        multiply, element, warps = KernelFunction(multiply), tl.constexpr(element), tl.constexpr(warps)

        def kernel(x_ptr, n):
            def role():
                multiply(warp.shared((64, 64), element), warp.shared((64, 64), element))

            warp.specialize(warp.role(role, warps=warps))

        lines, first = inspect.getsourcelines(multiply.fn)
        (marked,) = [first + i for i, line in enumerate(lines) if line.rstrip().endswith("# !")]
        with pytest.raises(CompilationError, match=re.escape(message)) as caught:
            compile_kernel(
                kernel, {"x_ptr": "*fp16", "n": "i32"}, {}, {}, "sm_90a", Options(), stop_after="warp"
            )
        assert caught.value.frames[0].line == marked

    return check


class TestWgmma:
    def test_operand_in_registers(self, refuses_dot):
        def multiply(a, b):
            warp.wgmma(a, b.read(), tl.zeros((64, 64), tl.float32))  # !

        refuses_dot(multiply, "operand b of warp.wgmma is a block in shared memory, got <[64, 64], fp16>")

    def test_shapes(self, refuses_dot):
        def multiply(a, b):
            warp.wgmma(a, b, tl.zeros((64, 32), tl.float32))  # !

        refuses_dot(
            multiply,
            "warp.wgmma of [64, 64] and [64, 64] onto [64, 32]: the accumulator has the shape [64, 64]",
        )

    def test_accumulator_type(self, refuses_dot):
        def multiply(a, b):
            warp.wgmma(a, b, tl.zeros((64, 64), tl.float16))  # !

        refuses_dot(multiply, "the accumulator of bf16 operands is fp32, got fp16", tl.bfloat16)

    def test_types(self, refuses_dot):
        def multiply(a, b):
            warp.wgmma(a, b, tl.zeros((64, 64), tl.float32))  # !

        refuses_dot(
            multiply, "warp.wgmma multiplies fp16, bf16, fp32, fp8e4nv, fp8e5, int8, got int32", tl.int32
        )

    def test_majors(self, refuses_dot):
        def multiply(a, b):
            warp.wgmma(a, b, tl.zeros((64, 64), tl.float32))  # !

        refuses_dot(
            multiply, "operand b of fp8e5 is not contiguous along the contracted dimension", tl.float8e5
        )

    def test_warps(self, refuses_dot):
        def multiply(a, b):
            acc = warp.wgmma(a, b, tl.zeros((64, 64), tl.float32))  # !
            b.store(warp.wgmma_wait(acc))

        refuses_dot(multiply, "wgmma is issued by whole warpgroups of 4 warps, this role has 2", warps=2)

    def test_more_warps_than_columns(self, refuses_dot):
        def multiply(a, b):
            narrow = warp.shared((64, 32), tl.float16)
            acc = warp.wgmma(a, narrow, tl.zeros((64, 32), tl.float32))  # !
            narrow.store(warp.wgmma_wait(acc))

        refuses_dot(multiply, "wgmma takes at least 64 rows and 8 columns per warpgroup", warps=32)

    def test_pending_accumulator(self, refuses_dot):
        def multiply(a, b):
            acc = warp.wgmma(a, b, tl.zeros((64, 64), tl.float32))
            acc = warp.wgmma_wait(acc, pendings=1)
            a.store(acc)  # !

        refuses_dot(multiply, "uses an accumulator whose wgmma may still be in flight")

    def test_pendings(self, refuses_dot):
        def multiply(a, b):
            warp.wgmma_wait(tl.zeros((64, 64), tl.float32), pendings=-1)  # !

        refuses_dot(multiply, "pendings of warp.wgmma_wait is a constant, 0 or more, got -1")

    def test_nothing_to_wait_for(self, refuses_dot):
        def multiply(a, b):
            warp.wgmma_wait(a)  # !

        refuses_dot(multiply, "warp.wgmma_wait takes the accumulators to wait for, which are blocks")

    def test_stored_shape(self, refuses_dot):
        def multiply(a, b):
            a.store(tl.zeros((32, 64), tl.float16))  # !

        refuses_dot(multiply, "a block of shape [64, 64] is stored, got [32, 64]")


class TestClusters:
    def test_block_of_one_program(self, refused):
        def kernel(x_ptr, n):
            part = warp.shared((64, 64), tl.float16)

            def role():
                part.read(1)  # !

            warp.specialize(warp.role(role, warps=4))

        assert "cluster=2" in refused(kernel, "only this program reaches the block").hint

    def test_made_in_a_role(self, refused):
        def kernel(x_ptr, n):
            def role():
                warp.shared((64, 64), tl.float16, cluster=2)  # !

            warp.specialize(warp.role(role, warps=4))

        refused(kernel, "a block of a cluster is made at the top of a kernel")

    def test_size(self, refused):
        def kernel(x_ptr, n):
            warp.shared((64, 64), tl.float16, cluster=3)  # !

        refused(kernel, "a cluster has 1, 2, 4 or 8 thread blocks, got 3")

    def test_rank(self, refused):
        def kernel(x_ptr, n):
            part = warp.shared((64, 64), tl.float16, cluster=2)

            def role():
                part.read(0.5)  # !

            warp.specialize(warp.role(role, warps=4))

        refused(kernel, "the rank of a program in its cluster is an integer, got")

    def test_barrier_outside_of_roles(self, refused):
        def kernel(x_ptr, n):
            warp.cluster_barrier()  # !

        refused(kernel, "warp.cluster_barrier stands in a role")

    def test_barrier_that_one_role_passes(self, refused):
        def kernel(x_ptr, n):
            warp.shared((64, 64), tl.float16, cluster=2)

            def role():
                warp.cluster_barrier()  # !

            warp.specialize(warp.role(role, warps=4), warp.role(idle, warps=4))

        refused(kernel, "waits for all threads of the cluster, but role 1 of the CTA has no such barrier")
