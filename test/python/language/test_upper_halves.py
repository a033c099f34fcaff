"""Differences of upper halves of products in 64 bits, which assemblers compute without the carry of zero."""

import importlib.util

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from integer_kernels import random_kernel
from sass_carries import lost_carries
from tilewright import _tilewright
from tilewright.explain.stages import find_disassembler, sass_stage
from tilewright.runtime.assemblers import assembler_paths

FAULTY_PTX = 95  # the newest PTX version of the assemblers that are known to lose carries: CUDA 13.5


@tw.jit
def differences(x_ptr, y_ptr, out, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(out + i, tl.umulhi(x, 0x55555556).to(tl.int64) - y.to(tl.int64))
    tl.store(out + N + i, tl.umulhi(x, x).to(tl.int64) + -y.to(tl.int64))
    tl.store(out + 2 * N + i, (x // 641).to(tl.int64) - y.to(tl.int64))
    high = (x.to(tl.int32).to(tl.int64) * -(2**31)) >> 32
    tl.store(out + 3 * N + i, high.to(tl.uint32).to(tl.int64) - y.to(tl.int64))


def test_differences_have_their_carries(backend):
    x = np.array([0, 1, 3, 2**31, 2**32 - 1, 640, 641, 2**31 - 1] * 4, np.uint32)
    y = np.repeat(np.array([0, 1, 2**31, 2**32 - 1], np.uint32), 8)
    out = backend.poisoned(4 * len(x), "int64")
    differences[1,](backend.array(x), backend.array(y), out, len(x))
    wide, signed = x.astype(np.uint64), x.astype(np.int32).astype(np.int64)
    thirty_two = np.uint64(32)
    highs = [wide * np.uint64(0x55555556) >> thirty_two, wide * wide >> thirty_two, wide // np.uint64(641)]
    highs.append((signed * -(2**31) >> 32) & 0xFFFFFFFF)
    expected = np.concatenate([high.astype(np.int64) - y.astype(np.int64) for high in highs])
    np.testing.assert_array_equal(backend.numpy(out), expected)


LISTINGS = {
    "sm_80": ["IADD3 R0, RZ, -R0, RZ", "MOV R7, R0", "IMAD.HI.U32 R6, P0, R9, 0x55555556, R6",
              "IADD3.X R7, RZ, -0x1, RZ, P0, !PT"],
    "signed": ["@P1 IMAD.MOV R7, RZ, RZ, -R11", "IMAD.HI R4, P1, R10, R13.reuse, R6", "IMAD.X R5, RZ, RZ, ~R2, P1"],
    "sm_100": ["IADD3 R7, PT, PT, RZ, -R0, RZ", "IMAD.HI.U32 R6, P0, R9, R8, R6",
               "IADD3.X R7, PT, PT, RZ, -0x1, RZ, P0, !PT"],
    "uniform": ["UIADD3 UR4, URZ, -UR4, URZ", "UMOV UR5, UR4", "UMOV UR4, URZ",
                "UIMAD.WIDE.U32 UR4, UP0, UR6, 0x55555556, UR4", "UIADD3.X UR6, URZ, -0x1, URZ, UP0, !UPT"],
}  # fmt: skip


def listed(texts):
    return [f"        /*{16 * index:04x}*/                   {text} ;" for index, text in enumerate(texts)]


@pytest.mark.once
@pytest.mark.parametrize("texts", LISTINGS.values(), ids=LISTINGS)
def test_lost_carries_are_found(texts):
    assert len(lost_carries(listed(texts))) == 1
    # A negation with a carry, an upper word of a sum, and another addend are right.
    assert not lost_carries(listed([text.replace("RZ, -", "P3, RZ, -") for text in texts]))
    assert not lost_carries(listed([text.replace("-0x1", "RZ").replace("~", "") for text in texts]))
    assert not lost_carries(listed(texts[1:] if len(texts) == 3 else texts[2:]))


@pytest.fixture
def listing(assemble):
    """`listing(kernel, types, **constants)`: the SASS of a kernel."""
    if find_disassembler() is None:
        pytest.skip("no disassembler of SASS on this machine")

    def compile_(kernel, types, **constants):
        stage = sass_stage(assemble(kernel, types, constants, num_warps=1).asm["cubin"])
        assert stage.lines, stage.note
        return stage.lines

    return compile_


@tw.jit
def subtract_in_ptx(x_ptr, y_ptr, out):
    x, y = tl.load(x_ptr), tl.load(y_ptr)
    text = """{ .reg .b32 h; .reg .b64 a, b;
    mul.hi.u32 h, $1, 0x55555556; cvt.u64.u32 a, h; cvt.u64.u32 b, $2; sub.s64 $0, a, b; }"""
    tl.store(out, tl.inline_asm_elementwise(text, "=l,r,r", [x, y], tl.int64, is_pure=True, pack=1))


@pytest.mark.once
@pytest.mark.compiled
def test_the_assembler_loses_the_carry_of_ptx(listing):
    if _tilewright.assemblers(assembler_paths())[0]["max_ptx_version"] > FAULTY_PTX:
        pytest.skip("this assembler may have no fault")
    assert lost_carries(listing(subtract_in_ptx, {"x_ptr": "*u32", "y_ptr": "*u32", "out": "*i64"}))


@pytest.mark.once
@pytest.mark.compiled
@pytest.mark.parametrize("number", range(24))
def test_no_random_kernel_loses_a_carry(listing, tmp_path, number):
    path = tmp_path / f"random_{number}.py"
    path.write_text(random_kernel(number))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert not lost_carries(listing(module.kernel, {"x_ptr": "*u32", "y_ptr": "*i64", "out": "*i64"}, N=32))
