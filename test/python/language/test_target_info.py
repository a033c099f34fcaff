"""`tl.target_info`, in kernels and outside of them."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.language.target_info import Target


@tl.constexpr_function
def describe():
    target = tl.target_info.current_target()
    return (target.backend == "cuda") + 10 * (target.warp_size == 32) + 100 * target.arch


@tw.jit
def facts(out):
    tl.store(out, describe())
    tl.store(out + 1, tl.target_info.cuda_capability_geq(8, 0))
    is_cdna = tl.target_info.is_hip_cdna3() or tl.target_info.is_hip_cdna4()
    tl.store(out + 2, tl.target_info.is_hip() or is_cdna or tl.target_info.is_hip_gfx1250())


def test_in_kernels(backend):
    out = backend.array(np.full(3, -1, np.int32))
    facts[1,](out)
    described, is_new, is_hip = backend.numpy(out).tolist()
    assert (described % 100, is_new, is_hip) == ((11, 1, 0) if backend.name == "cuda" else (0, 0, 0))
    assert (described >= 8000) == (backend.name == "cuda")


def test_outside_of_kernels():
    """What kernels on the current device would see."""
    info = tl.target_info
    assert info.current_target().backend == ("cuda" if tw.cuda.is_available() else "cpu")
    assert bool(info.is_cuda()) == tw.cuda.is_available()
    assert bool(info.cuda_capability_geq(8)) == tw.cuda.is_available() and not info.cuda_capability_geq(200)


@pytest.mark.parametrize(
    "name, parts", [("sm_90a", ("cuda", 90, 32)), ("sm_80", ("cuda", 80, 32)), ("cpu", ("cpu", 0, 1))]
)
def test_parts(name, parts):
    target = Target(name)
    assert (target.backend, target.arch, target.warp_size) == parts and target == name
