"""Kernels of inline PTX with one, two and three operands, and helpers of their tests."""

import numpy as np
import tilewright as tw
import tilewright.language as tl

KINDS = {"int32": "r", "uint32": "r", "int64": "l", "uint64": "l", "float32": "f", "float64": "d"}

#: Numbers that are special cases of instructions.
SPECIAL = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-40, -1e-40, 3e9, -3e9] * 8, np.float32)


@tw.jit
def one(
    x,
    out,
    N: tl.constexpr,
    ASM: tl.constexpr,
    CONSTRAINTS: tl.constexpr,
    TYPE: tl.constexpr,
    PACK: tl.constexpr,
):
    i = tl.arange(0, N)
    tl.store(out + i, tl.inline_asm_elementwise(ASM, CONSTRAINTS, [tl.load(x + i)], TYPE, True, PACK))


@tw.jit
def two(x, y, out, N: tl.constexpr, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, TYPE: tl.constexpr):
    i = tl.arange(0, N)
    args = [tl.load(x + i), tl.load(y + i)]
    tl.store(out + i, tl.inline_asm_elementwise(ASM, CONSTRAINTS, args, TYPE, True, 1))


@tw.jit
def three(x, y, z, out, N: tl.constexpr, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, TYPE: tl.constexpr):
    i = tl.arange(0, N)
    args = [tl.load(x + i), tl.load(y + i), tl.load(z + i)]
    tl.store(out + i, tl.inline_asm_elementwise(ASM, CONSTRAINTS, args, TYPE, True, 1))


def letter(dtype):
    return KINDS.get(np.dtype(dtype).name, "h")


def run(backend, asm, arrays, result):
    """Returns the results of the text for the arrays, of NumPy type `result`."""
    out = backend.poisoned(arrays[0].shape, result)
    constraints = ",".join([f"={letter(result)}", *(letter(array.dtype) for array in arrays)])
    kernel = (one, two, three)[len(arrays) - 1]
    more = (1,) if kernel is one else ()
    given = [backend.array(array) for array in arrays]
    kernel[1,](*given, out, len(arrays[0]), asm, constraints, getattr(tl, result), *more)
    return backend.numpy(out)


def numbers(rng, dtype, count):
    if np.dtype(dtype).kind in "fV":
        return [rng.uniform(0.25, 8, 64).astype(dtype) for _ in range(count)]
    info = np.iinfo(dtype)
    return [rng.integers(info.min, info.max, 64, dtype, endpoint=True) for _ in range(count)]


def wide(x):
    return x.astype(np.int64 if x.dtype.kind == "i" else np.uint64)
