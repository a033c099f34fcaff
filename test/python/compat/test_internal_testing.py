"""`triton._internal_testing`, which suites written for Triton import."""

import subprocess
import sys

import numpy as np
import pytest
import tilewright.compat
from optional_packages import needs

tilewright.compat.install()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402

torch = needs("torch")

from triton import _internal_testing as given  # noqa: E402


def test_every_name_is_there():
    for name in given.__all__:
        assert hasattr(given, name), name
    with pytest.raises(AttributeError, match=r"'triton\._internal_testing' has no attribute 'nothing'"):
        given.nothing  # noqa: B018


def test_looking_through_modules_imports_nothing():
    """`inspect` asks all modules for their files, also while PyTorch is being imported."""
    code = (
        "import inspect, sys, tilewright.compat; tilewright.compat.install(); "
        "inspect.getmodule(lambda: 0); assert not hasattr(sys.modules['triton._internal_testing'], '__file__'); "
        "assert 'tilewright.compat.internal_testing' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", given.dtypes_with_bfloat16)
def test_arrays_there_and_back(name):
    values = given.numpy_random((3, 4), name)
    tensor = given.to_triton(values, "cpu", dst_type=name)
    assert values.shape == (3, 4) and given.torch_dtype_name(tensor.dtype) == name
    np.testing.assert_array_equal(given.to_numpy(tensor), values)
    assert given.str_to_triton_dtype(name) == getattr(tl, name)


@pytest.mark.parametrize("low, high", [(-1, 2), (0, 1)])
def test_integers_are_never_zero(low, high):
    assert (given.numpy_random(1000, "int32", low=low, high=high) != 0).all()
    assert given.numpy_random((), "int32", low=0, high=1).item() == 1


def test_other_kinds_of_values():
    assert given.numpy_random(4, "bool").dtype == bool
    eighths = given.to_triton(given.numpy_random(4, "float8e5"), "cpu", dst_type="float8e5")
    assert eighths.dtype == torch.float8_e5m2 and given.unwrap_tensor(eighths) is eighths
    assert given.torch_dtype_name(tl.int8) == "int8"
    for call in (
        lambda: given.numpy_random(4, "complex64"),
        lambda: given.torch_dtype_name(np.int8),
        lambda: given.to_numpy(np.zeros(1)),
        lambda: triton.reinterpret(torch.zeros(1, dtype=torch.int16), tl.float8e4b15),
    ):
        with pytest.raises((RuntimeError, TypeError, ValueError)):
            call()


def test_the_device(backend):
    assert given.is_interpreter() == (backend.name == "interpreter")
    if backend.name == "cuda":
        assert (
            given.is_cuda()
            and given.is_ampere_or_newer()
            and given.supports_tma() == given.is_hopper_or_newer()
        )
        assert given.get_arch() == str(given.get_current_target().arch)
    assert not given.is_hip_mi300()  # releases to come have more of them
    assert not given.is_hip() and not given.is_xpu() and given.get_hip_lds_size() == 0
    assert given.default_alloc_fn(16, 8, None).numel() == 16


def fails_with(kind, message):
    import os
    import sys

    print(os.environ.get("GIVEN"), file=sys.stderr)
    if kind is SystemExit:
        os._exit(3)
    if kind is not None:
        raise kind(message)


def test_functions_in_processes_of_their_own():
    result = given.run_in_process(fails_with, (None, ""), env={"GIVEN": "seven"})
    assert result.exc is None and result.driver_stderr_output.strip() == "seven"
    result = given.run_in_process(fails_with, (), {"kind": ValueError, "message": "wrong"})
    assert isinstance(result.exc, ValueError) and str(result.exc) == "wrong"
    with pytest.raises(RuntimeError, match=r"fails_with\(\) ended with 3: None"):
        given.run_in_process(fails_with, (SystemExit, ""))


def test_random_numbers():
    assert all(3 <= given.random_int(3, 5) < 5 for _ in range(9)) and 0 <= given.random_float() < 1
    assert not given.is_compile_warmup() and not given.supports_clc()
    given.skip_if_unsupported_cluster_size(1)
