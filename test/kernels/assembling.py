"""Kernels assembled for a GPU without one."""

import pytest
from tilewright.runtime.compiler import compile_kernel
from tilewright.runtime.options import Options

FLOATS = ("eps", "scale", "alpha", "beta")


def has_assembler():
    """Whether one is found; the driver alone assembles nothing here."""
    from tilewright import _tilewright
    from tilewright.runtime.assemblers import assembler_paths

    return bool(_tilewright.assemblers(assembler_paths()))


needs_assembler = pytest.mark.skipif(not has_assembler(), reason="no assembler of PTX on this machine")


def signature(kernel, dtype, constants, types=None):
    """Types of the arguments that are no constants: as in `types`, else pointers of `dtype`, floats by name,
    i32.
    """
    result = {}
    for name in kernel.arg_names:
        if name not in constants:
            result[name] = f"*{dtype}" if name.endswith("_ptr") else "fp32" if name in FLOATS else "i32"
    return result | (types or {})


def assemble(kernel, dtype, constants, target, num_warps, num_stages=2, types=None, **others):
    """The kernel, compiled as for aligned arrays of sizes divisible by 16; `others` are more options."""
    types = signature(kernel, dtype, constants, types)
    divisible = {name: 16 for name, ty in types.items() if ty != "fp32"}
    options = Options(num_warps=num_warps, num_stages=num_stages, **others)
    return compile_kernel(kernel.fn, types, constants, divisible, target, options)


def tensor_maps(compiled):
    """How many tensor maps the host makes for a launch, and whether the grid is walked by fewer programs."""
    _, persistent, maps = compiled.metadata.get("launch_recipe", (0, 0, 0))[:3]
    return maps, bool(persistent)


def matmul_constants(**changes):
    """Constants of the matrix product, of one plain product with contiguous rows where nothing is changed."""
    plain = {
        "SCALED": 0,
        "HAS_ALPHA": False,
        "BIAS": "none",
        "ADD": "none",
        "ACTIVATION": None,
        "PLACED": "",
        "extra": None,
    }
    batch = {"BATCH_O": 0, "BATCH_A": 0, "BATCH_B": 0, "BATCH_C": 0}
    how = {"PRECISION": "ieee", "EXACT": False, "SPLIT_K": 1, "GROUP_M": 8}
    return {**plain, **batch, **how, "stride_on": 1, "stride_ak": 1, **changes}
