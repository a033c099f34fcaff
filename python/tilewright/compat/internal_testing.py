"""`triton._internal_testing`: helpers of test suites written for Triton. Needs NumPy, torch and pytest."""

import contextlib
import sys

import numpy as np
import pytest
import torch

from .. import knobs
from ..language.dtypes import dtype as element_type
from ..language.dtypes import str_to_ty
from . import driver
from .functions import SIGNATURE_NAMES
from .modules import reinterpret
from .processes import ProcessResult, run_in_process
from .settings import Group

__all__ = [
    "ProcessResult",
    "_fresh_knobs_impl",
    "default_alloc_fn",
    "dtypes",
    "dtypes_with_bfloat16",
    "float_dtypes",
    "float_dtypes_with_bfloat16",
    "get_arch",
    "get_current_target",
    "get_hip_lds_size",
    "int_dtypes",
    "integral_dtypes",
    "is_ampere_or_newer",
    "is_blackwell",
    "is_blackwell_ultra",
    "is_compile_warmup",
    "is_cuda",
    "is_hip",
    "is_hip_cdna",
    "is_hip_cdna2",
    "is_hip_cdna3",
    "is_hip_cdna4",
    "is_hip_gfx11",
    "is_hip_gfx12",
    "is_hip_gfx1250",
    "is_hip_rdna",
    "is_hip_rdna3",
    "is_hip_rdna4",
    "is_hopper",
    "is_hopper_or_newer",
    "is_interpreter",
    "is_sm12x",
    "is_xpu",
    "numpy_random",
    "random_float",
    "random_int",
    "requires_tma",
    "run_in_process",
    "skip_if_unsupported_cluster_size",
    "str_to_triton_dtype",
    "supports_clc",
    "supports_tma",
    "supports_ws",
    "tma_dtypes",
    "tma_skip_msg",
    "to_numpy",
    "to_triton",
    "torch_dtype_name",
    "torch_dtypes",
    "torch_float8_dtypes",
    "uint_dtypes",
    "unwrap_tensor",
]

int_dtypes = ["int8", "int16", "int32", "int64"]
uint_dtypes = ["uint8", "uint16", "uint32", "uint64"]
integral_dtypes = int_dtypes + uint_dtypes
float_dtypes = ["float16", "float32", "float64"]
float_dtypes_with_bfloat16 = [*float_dtypes, "bfloat16"]
dtypes = integral_dtypes + float_dtypes
dtypes_with_bfloat16 = [*dtypes, "bfloat16"]
torch_float8_dtypes = ["float8_e4m3fn", "float8_e5m2"]
torch_dtypes = ["bool", *int_dtypes, "uint8", *float_dtypes_with_bfloat16]
tma_dtypes = sorted({*dtypes_with_bfloat16} - {"int64", "uint64", "float64"})


def is_interpreter():
    """Whether kernels run in the NumPy interpreter."""
    return knobs.TRITON_INTERPRET.flag() or knobs.INTERPRET.flag()


def get_current_target():
    """The `GPUTarget` that kernels run on, None in the interpreter."""
    return None if is_interpreter() else driver.driver.active.get_current_target()


def get_arch():
    """The architecture as text."""
    target = get_current_target()
    return "" if target is None else str(target.arch)


def is_cuda():
    """Whether kernels run on a CUDA device."""
    target = get_current_target()
    return target is not None and target.backend == "cuda"


def _generation():
    """The major compute capability of the CUDA device in use, 0 where there is none."""
    return get_current_target().arch // 10 if is_cuda() else 0


def is_ampere_or_newer():
    """Whether the CUDA device in use has compute capability 8.0 or more."""
    return _generation() >= 8


def is_hopper():
    """Whether the CUDA device in use has compute capability 9.x."""
    return _generation() == 9


def is_hopper_or_newer():
    """Whether the CUDA device in use has compute capability 9.0 or more."""
    return _generation() >= 9


def is_blackwell():
    """Whether the CUDA device in use has compute capability 10.x."""
    return _generation() == 10


def is_blackwell_ultra():
    """Whether the CUDA device in use has compute capability 10.3."""
    return is_cuda() and get_current_target().arch == 103


def is_sm12x():
    """Whether the CUDA device in use has compute capability 12.x."""
    return _generation() == 12


def _never():
    """False: there is no back end for these devices."""
    return False


is_hip = is_hip_cdna = is_hip_cdna2 = is_hip_cdna3 = is_hip_cdna4 = _never
is_hip_rdna = is_hip_rdna3 = is_hip_rdna4 = is_hip_gfx11 = is_hip_gfx12 = is_hip_gfx1250 = is_xpu = _never


def __getattr__(name):
    """Questions about devices that later releases of Triton ask."""
    if name.startswith(("is_hip_", "is_rubin", "is_blackwell_")):
        return _never
    raise AttributeError(name)


def get_hip_lds_size():
    """0: there is no such device."""
    return 0


def is_compile_warmup():
    """False: tests run, they do not only compile."""
    return False


def supports_clc():
    """False: no kernel cancels programs that have not started and runs their work."""
    return False


def skip_if_unsupported_cluster_size(num_ctas):
    """Skip the test if the CUDA device in use has no clusters of `num_ctas` thread blocks."""
    if is_cuda() and num_ctas > (8 if is_hopper_or_newer() else 1):
        pytest.skip(f"no clusters of {num_ctas} thread blocks on this device")


def random_int(low, high, *, warmup_value=None, **kwargs):
    """A random integer from `low` to below `high`; `kwargs` are those of `torch.randint`."""
    return int(torch.randint(low, high, size=(), **kwargs).item())


def random_float(*, warmup_value=0.5, **kwargs):
    """A random number from 0 to below 1; `kwargs` are those of `torch.rand`."""
    return float(torch.rand((), **kwargs).item())


def numpy_random(shape, dtype_str, rs=None, low=None, high=None):
    """A NumPy array of random values, always the same without `rs`, an `np.random.RandomState`: integers between `low`
    and `high` but never 0, floats of a normal distribution (bfloat16 as rounded float32), bytes for a float8."""
    rs = np.random.RandomState(seed=17) if rs is None else rs
    if dtype_str in integral_dtypes:
        limits = np.iinfo(dtype_str)
        low = limits.min if low is None else max(low, limits.min)
        high = limits.max if high is None else min(high, limits.max)
        values = rs.randint(low, high, shape, dtype=dtype_str)
        return (
            np.where(values == 0, values.dtype.type(1), values) if np.ndim(values) else values or values + 1
        )
    if "float8" in dtype_str:
        return rs.randint(20, 40, shape, dtype=np.int8)
    if dtype_str in float_dtypes:
        return np.asarray(rs.normal(0, 1, shape)).astype(dtype_str)
    if dtype_str == "bfloat16":
        bits = np.asarray(rs.normal(0, 1, shape)).astype(np.float32).view(np.uint32)
        return (bits & np.uint32(0xFFFF0000)).view(np.float32)
    if dtype_str in ("bool", "bool_", "int1"):
        return np.asarray(rs.normal(0, 1, shape)) > 0.0
    raise RuntimeError(f"numpy_random makes no {dtype_str}")


def to_triton(x, device, dst_type=None):
    """The NumPy array `x` as a torch tensor on `device`; bytes as `dst_type` "float8...", float32 as "bfloat16"."""
    name = x.dtype.name
    if name in uint_dtypes:
        return reinterpret(torch.tensor(x.view(name[1:]), device=device), element_type(name))
    made = torch.tensor(x, device=device)
    if dst_type and "float8" in dst_type:
        return reinterpret(made, str_to_triton_dtype(dst_type))
    return made.bfloat16() if name == "float32" and dst_type == "bfloat16" else made


def to_numpy(x):
    """A torch tensor as a NumPy array; bfloat16 as float32."""
    if not isinstance(x, torch.Tensor):
        raise ValueError(f"no tensor of torch: {x!r}")
    return (x.float() if x.dtype is torch.bfloat16 else x).cpu().numpy()


def str_to_triton_dtype(x):
    """The type of the language for a name of one, "float32" as well as "fp32"."""
    return str_to_ty(SIGNATURE_NAMES[x], None)


def torch_dtype_name(dtype):
    """The name of a type of torch or of the language."""
    if isinstance(dtype, element_type):
        return dtype.name
    if isinstance(dtype, torch.dtype):
        return str(dtype).removeprefix("torch.")
    raise TypeError(f"neither a type of torch nor of the language: {dtype!r}")


def unwrap_tensor(t):
    """`t`: there is nothing around it."""
    return t


def supports_tma(byval_only=False):
    """Whether descriptors run: in the interpreter, and on devices of compute capability 9.0 or more."""
    return is_interpreter() or is_hopper_or_newer()


def supports_ws():
    """Whether programs are split among warps: as `supports_tma`."""
    return supports_tma()


def tma_skip_msg(byval_only=False):
    """Why a test is left out where `supports_tma` is false."""
    return "needs a device of compute capability 9.0 or more"


requires_tma = pytest.mark.skipif(not supports_tma(), reason=tma_skip_msg())


def default_alloc_fn(size, align, stream):
    """Memory for `triton.set_allocator`."""
    return torch.empty(size, dtype=torch.int8, device=driver.driver.active.get_active_torch_device())


def _fresh_knobs_impl(skipped_attr=None):
    """Two functions: one resets `triton.knobs` except the groups `skipped_attr` and returns it, the other restores the
    settings."""
    stack = contextlib.ExitStack()

    def fresh():
        module = sys.modules["triton.knobs"]
        for name, group in vars(module).items():
            if isinstance(group, Group) and name not in (skipped_attr or ()):
                stack.enter_context(group.scope())
                group.reset()
        return module

    return fresh, stack.close
