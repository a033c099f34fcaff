"""Compiles and assembles kernels for a GPU; needs no GPU."""

import pytest
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel

FLOATS = ("eps", "scale", "alpha", "beta")


def has_assembler():
    """Whether an assembler is installed. The driver does not count: without a GPU it assembles nothing."""
    from tilewright import _tilewright
    from tilewright.runtime.assemblers import assembler_paths

    return bool(_tilewright.assemblers(assembler_paths()))


needs_assembler = pytest.mark.skipif(not has_assembler(), reason="no assembler of PTX on this machine")


def signature(kernel, dtype, constants, types=None):
    """Returns the types of the arguments that are not constants.

    They come from `types`, else from the name: pointers of `dtype`, fp32 for `FLOATS`, i32 for all others.
    """
    result = {}
    for name in kernel.arg_names:
        if name not in constants:
            result[name] = f"*{dtype}" if name.endswith("_ptr") else "fp32" if name in FLOATS else "i32"
    return result | (types or {})


def assemble(kernel, dtype, constants, target, num_warps, num_stages=2, types=None, **others):
    """Compiles the kernel for aligned arrays with extents divisible by 16; `others` are more options."""
    types = signature(kernel, dtype, constants, types)
    divisible = {name: 16 for name, ty in types.items() if ty != "fp32"}
    options = Options(num_warps=num_warps, num_stages=num_stages, **others)
    return compile_kernel(kernel.fn, types, constants, divisible, target, options)


def tensor_maps(compiled):
    """Returns the number of tensor maps of a launch, and whether the kernel is persistent."""
    _, persistent, maps = compiled.metadata.get("launch_recipe", (0, 0, 0))[:3]
    return maps, bool(persistent)


def matmul_constants(**changes):
    """Returns the constants of the matmul kernel: a plain matmul with contiguous rows, plus `changes`."""
    plain = {
        "SCALED": 0,
        "HAS_ALPHA": False,
        "BIAS": "none",
        "ADD": "none",
        "ACTIVATION": None,
        "INDICES": "",
        "extra": None,
    }
    batch = {"BATCH_O": 0, "BATCH_A": 0, "BATCH_B": 0, "BATCH_C": 0}
    how = {"PRECISION": "ieee", "EXACT": False, "SPLIT_K": 1, "GROUP_M": 8}
    return {**plain, **batch, **how, "stride_on": 1, "stride_ak": 1, **changes}
