"""Diagnostics of every pass show the whole expression, its function and the calls that led there."""

from types import SimpleNamespace

import pytest
import tilewright as tw
import tilewright.language as tl
import tilewright.language.warp as warp
from tilewright.language.builtin import builtin
from tilewright.language.ir import builder
from tilewright.language.tensor import tensor
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel

pytestmark = pytest.mark.once


def refusal(kernel, types, target="sm_90a", constants=None, **options):
    with pytest.raises(tw.CompilationError) as caught:
        attrs = dict.fromkeys(types, 16)
        compile_kernel(kernel.fn, types, constants or {}, attrs, target, Options(**options))
    return caught.value


def underlined(frame):
    return frame.text[frame.column - 1 :][: frame.width]


def check(error, message, *chain):
    """`chain` has the function and the underlined text of each frame."""
    assert message in error.message
    assert "' op " not in str(error)
    assert [(frame.function, underlined(frame)) for frame in error.frames] == list(chain)
    assert {frame.file for frame in error.frames} == {__file__}
    shown = str(error).splitlines()
    heads = [i for i, line in enumerate(shown) if line.startswith(("  at ", "  called from "))]
    for (function, text), head in zip(chain, heads, strict=True):
        assert shown[head].endswith(f", in {function}")
        assert shown[head + 2].strip() == "^" * len(text)
        assert shown[head + 1][shown[head + 2].index("^") :].startswith(text)


def create(op, operands, type, **attrs):
    """The handle of the result of an op that the language itself would not create."""
    return builder().create(op, operands, [type], attrs)[0]


@tw.jit
def copied(value):
    return 1 + tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [value, value], tl.int32, True, 1)


@tw.jit
def copies(x):
    tl.store(x, copied(tl.load(x)))


def test_verifier_of_tile():
    error = refusal(copies, {"x": "*i32"})
    call = 'tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [value, value], tl.int32, True, 1)'
    check(error, "needs input registers", ("copied", call), ("copies", "copied(tl.load(x))"))


@builtin
def load_either(condition, x, y, n, index):
    """Load through a descriptor that `arith.select` chooses, which the language never does."""
    type = SimpleNamespace(ir="!tile.desc<16xf32>")
    made = [
        create("tile.make_descriptor", [base.handle, n.handle], type, operandSegmentSizes=[1, 1, 0])
        for base in (x, y)
    ]
    chosen = create("arith.select", [condition.handle, *made], type)
    block = tl.block_type(tl.float32, [16])
    return tensor(create("tile.descriptor_load", [chosen, index.handle], block), block)


@tw.jit
def choose(x, y, n, i):
    return load_either(i > 0, x, y, n, i) + 1.0


@tw.jit
def chooses(x, y, n, i):
    tl.store(x + tl.arange(0, 16), choose(x, y, n, i))


@pytest.mark.parametrize("target", ["cpu", "sm_90a"])
def test_pass_on_tile(target):
    error = refusal(chooses, {"x": "*fp32", "y": "*fp32", "n": "i64", "i": "i32"}, target)
    message = "the descriptor must be made in the same kernel"
    call = "load_either(i > 0, x, y, n, i)"
    check(error, message, ("choose", call), ("chooses", "choose(x, y, n, i)"))


def filled(produce):
    """A kernel with a ring whose producer calls `produce`."""

    @tw.jit
    def kernel(x_ptr, n):
        x = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [64, 64])
        ring = warp.ring(2, x)

        def fill():
            produce(ring, x)

        def consume():
            ring.release(ring.wait())

        warp.specialize(warp.role(fill, warps=1), warp.role(consume, warps=1))

    return kernel


ROLES = "warp.specialize(warp.role(fill, warps=1), warp.role(consume, warps=1))"
FILLED = ("fill", "produce(ring, x)"), ("kernel", ROLES)


@tw.jit
def acquire_only(ring, x):
    slot = ring.acquire()
    slot.load(0, x, [0, 0])


def test_verifier_of_warp():
    error = refusal(filled(acquire_only), {"x_ptr": "*fp16", "n": "i32"})
    check(error, "has a slot that is used 0 times", ("acquire_only", "ring.acquire()"), *FILLED)


@tw.jit
def load_twice(ring, x):
    slot = ring.acquire()
    slot.load(0, x, [0, 0])
    slot.load(0, x, [0, 64])
    ring.commit(slot)


def test_pass_on_tile_for_gpus():
    error = refusal(filled(load_twice), {"x_ptr": "*fp16", "n": "i32"})
    check(error, "block 0 is loaded 2 times", ("load_twice", "ring.commit(slot)"), *FILLED)


@tw.jit
def multiply(x, y):
    return tl.dot(x, y)


@tw.jit
def multiply_in_lines(x, y):
    return tl.dot(
        x,
        y,
    )


@tw.jit
def multiplies(x, y, out, N: tl.constexpr, multiply: tl.constexpr):
    rows, columns, inner = tl.arange(0, 64), tl.arange(0, N), tl.arange(0, 64)
    left = tl.load(x + rows[:, None] * 64 + inner[None, :])
    right = tl.load(y + inner[:, None] * N + columns[None, :])
    tl.store(out + rows[:, None] * N + columns[None, :], multiply(left, right))


@pytest.mark.parametrize(
    "helper, function, text",
    [(multiply, "multiply", "tl.dot(x, y)"), (multiply_in_lines, "multiply_in_lines", "tl.dot(")],
)
def test_pass_on_warp(helper, function, text):
    """An expression of several lines is underlined in its first one."""
    types = {"x": "*fp16", "y": "*fp16", "out": "*fp32"}
    error = refusal(multiplies, types, constants={"N": 256, "multiply": helper}, maxnreg=152)
    message = "each thread holds 128 accumulators of this wgmma at once"
    check(error, message, (function, text), ("multiplies", "multiply(left, right)"))


@tw.jit
def large_ring(x_ptr, n):
    x = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [128, 256])
    ring = warp.ring(4, x)

    def fill():
        slot = ring.acquire()
        slot.load(0, x, [0, 0])
        ring.commit(slot)

    def consume():
        ring.release(ring.wait())

    warp.specialize(warp.role(fill, warps=1), warp.role(consume, warps=1))


def test_error_of_a_whole_kernel():
    """The location is the definition of the kernel. Notes name the lines of the parts."""
    error = refusal(large_ring, {"x_ptr": "*fp16", "n": "i32"})
    check(error, "bytes of shared memory, but a CTA", ("large_ring", "def large_ring(x_ptr, n):"))
    assert error.notes[0].endswith(f"bytes are needed here (line {error.line + 2}: ring = warp.ring(4, x))")


@builtin
def sine(x):
    return tensor(create("llvm.intr.sin", [x.handle], tl.float64), tl.float64)


@tw.jit
def wave(x):
    return 1 + sine(tl.load(x))


@tw.jit
def waves(x):
    tl.store(x, wave(x + 1))


def test_legality_for_gpus():
    error = refusal(waves, {"x": "*fp64"})
    check(error, "'sin' of 'f64' has no code", ("wave", "sine(tl.load(x))"), ("waves", "wave(x + 1)"))


def test_legality_for_cpus():
    error = refusal(waves, {"x": "*fp64"}, "cpu")
    check(error, "cannot be compiled for the CPU", ("wave", "sine(tl.load(x))"), ("waves", "wave(x + 1)"))


@tw.jit
def assemble_wrong(v, N: tl.constexpr):
    größe = 0; v += tl.inline_asm_elementwise(N, "=r,r", [v], tl.int32, True, 1)  # fmt: skip # noqa: E702
    return v + größe


@tw.jit
def assemble(x, first: tl.constexpr, second: tl.constexpr):
    v = tl.load(x)
    for _ in range(3):
        v = assemble_wrong(v, first)
    tl.store(x, assemble_wrong(v, second))


RIGHT, WRONG = "mov.b32 $0, $1;", "{ .reg .b32 %t; mov.b32 %t, ${1}; no.such $0, %t; }"
CALLS = {(RIGHT, WRONG): "assemble_wrong(v, second)", (WRONG, RIGHT): "assemble_wrong(v, first)"}


@pytest.mark.parametrize("assembler", ["ptxas", "nvjitlink"])
@pytest.mark.parametrize("texts", CALLS)
def test_assembler(monkeypatch, texts, assembler):
    """The caret is below the call whose assembly is wrong, even at one line with others that are right."""
    from tilewright import _tilewright
    from tilewright.runtime.assemblers import assembler_paths

    kinds = [found.get("kind", "").lower() for found in _tilewright.assemblers(assembler_paths())]
    if assembler not in kinds:
        pytest.skip(f"no {assembler} on this machine")
    monkeypatch.setenv("TILEWRIGHT_ASSEMBLER", assembler)
    error = refusal(assemble, {"x": "*i32"}, constants=dict(zip(("first", "second"), texts, strict=True)))
    call = 'tl.inline_asm_elementwise(N, "=r,r", [v], tl.int32, True, 1)'
    check(error, "no", ("assemble_wrong", call), ("assemble", CALLS[texts]))
