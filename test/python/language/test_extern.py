"""Functions by the symbols of CUDA's library, and special registers."""

import math

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.frontend import CompilationError

SINE: tl.constexpr = {
    (tl.float32,): ("__nv_sinf", tl.float32),
    (tl.float64,): ("__nv_sin", tl.float64),
}


@tw.jit
def sine(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, tl.extra.extern_elementwise("libdevice", "", [tl.load(x + i)], SINE, is_pure=True))


@tw.jit
def registers(times, numbers):
    pid = tl.program_id(0)
    tl.store(times + pid, tl.extra.cuda.globaltimer())
    tl.store(numbers + pid, tl.extra.cuda.smid())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sine(backend, rng, dtype):
    x = rng.standard_normal(64).astype(dtype)
    y = backend.poisoned((64,), dtype)
    sine[1,](backend.array(x), y, 64)
    backend.check(y, np.sin(x.astype(np.float64)), dtype)


SYMBOLS = {
    "__nv_sinf": "sin", "__nv_fast_expf": "fast_expf", "__nv_fabsf": "abs", "__nv_fabs": "abs", "__nv_abs": "abs",
    "__nv_llabs": "abs", "__nv_fadd_rn": "add_rn", "__nv_dadd_rz": "add_rz", "__nv_frcp_ru": "rcp_ru",
    "__nv_dsqrt_rd": "sqrt_rd", "__nv_frsqrt_rn": "rsqrt_rn", "__nv_fmaf_rn": "fma_rn", "__nv_fma_rd": "fma_rd",
    "__nv_clzll": "clz", "__nv_popcll": "popc", "__nv_umulhi": "mulhi", "__nv_mul64hi": None, "__nv_usad": "sad",
    "__nv_uhadd": "hadd", "__nv_urhadd": "rhadd", "__nv_umul24": "mul24", "__nv_isnand": "isnan",
    "__nv_float2int_rn": "float2int_rn", "__nv_powf": "pow", "__nv_erff": "erf", "__nv_brev": "brev",
    "__nv_finitef": "finitef", "__nv_isfinited": "isfinited", "__nv_signbitd": "signbit", "other": None,
}  # fmt: skip


@pytest.mark.parametrize("symbol, name", SYMBOLS.items())
def test_symbols(symbol, name):
    from tilewright.language.extra.extern import _function

    if name is None:
        with pytest.raises(tl.LanguageError, match="extern_elementwise knows the functions of libdevice"):
            _function(symbol)
    else:
        assert _function(symbol) is getattr(tl.extra.libdevice, name)


def test_types_that_are_no_keys(tile):
    def kernel(x):
        tl.extra.extern_elementwise("", "", [tl.load(x)], SINE, True)

    with pytest.raises(
        CompilationError, match=r"extern_elementwise takes \(fp32\) or \(fp64\), got \(fp16\)"
    ):
        tile(kernel, "*fp16")


@pytest.mark.cuda
def test_registers(backend):
    times, numbers = backend.poisoned((64,), "int64"), backend.poisoned((64,), "int32")
    registers[64,](times, numbers)
    times, numbers = backend.numpy(times), backend.numpy(numbers)
    assert (times > 0).all() and times.max() - times.min() < 10**9
    assert ((0 <= numbers) & (numbers < 1000)).all() and math.isfinite(times.sum())


@pytest.mark.compiled
def test_registers_assemble(assemble):
    text = assemble(registers, {"times": "*i64", "numbers": "*i32"}, {}).asm["ptx"]
    assert "%globaltimer" in text and "%smid" in text
