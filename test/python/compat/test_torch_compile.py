"""`torch.compile`: Tilewright compiles and launches the Triton kernels that PyTorch generates."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tilewright.compat
from optional_packages import needs

tilewright.compat.install()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.backends import backends as BACKENDS  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource, CompiledKernel  # noqa: E402
from triton.compiler.compiler import make_backend  # noqa: E402
from triton.runtime import driver as DRIVER  # noqa: E402

pytestmark = pytest.mark.compiled


def test_programs(backend):
    """Runs in a new process: PyTorch caches its choice of Triton."""
    needs("torch")
    if backend.is_emulated:
        pytest.skip("PyTorch has no tensors on an emulated GPU")
    program = Path(__file__).with_name("torch_program.py")
    environment = {**os.environ, "PYTHONPATH": str(Path(tilewright.__file__).parents[1])}
    command = [sys.executable, program, "cuda" if backend.name == "cuda" else "cpu"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-4000:]


@triton.jit
def scale_kernel(x_ptr, factor, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, factor * tl.load(x_ptr + i, i < n), i < n)


@triton.constexpr_function
def doubled(x):
    return 2 * x


def test_functions_of_constants():
    assert (
        doubled(3).value == 6 and doubled.src.startswith("def doubled(x):") and doubled.__name__ == "doubled"
    )
    assert isinstance(doubled, triton.runtime.jit.ConstexprFunction)
    assert pickle.loads(pickle.dumps(doubled)) is doubled


def scale_source():
    return ASTSource(
        scale_kernel,
        {"x_ptr": "*fp32", "factor": "fp32", "out_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"},
        {"BLOCK": 16},
    )


def launch(made, backend, *, factor=3):
    made._init_handles()
    out = backend.array(np.zeros(20), "float32")
    made.run(
        2,
        1,
        1,
        None,
        made.function,
        None,
        None,
        None,
        None,
        backend.array(np.arange(20), "float32"),
        factor,
        out,
        20,
        16,
    )
    backend.check(out, np.arange(20.0) * factor, "float32")


def test_a_compiled_kernel_runs_as_it_is(backend):
    """Also for arguments that a launch would specialise on."""
    made = triton.compile(scale_source(), options={"debug": True, "sanitize_overflow": False})
    assert made.launch_metadata((1, 1, 1), None) is None
    launch(made, backend)
    launch(made, backend, factor=1)
    with pytest.raises(
        TypeError, match=r"scale_kernel\(\) takes 5 arguments, constants included, but 2 were given"
    ):
        made.run(1, 1, 1, None, None, None, None, None, None, 1, 2.0)
    x, out = (backend.array(np.zeros(4), "float32") for _ in range(2))
    launched = scale_kernel.warmup(x, 1.0, out, 4, 16)
    with pytest.raises(TypeError, match=r"has no run\(\): it was not made by triton.compile"):
        launched.run(1, 1, 1)


def test_a_compiled_kernel_goes_to_another_process(backend):
    """In the form of PyTorch's workers: without its function, and with metadata as a named tuple."""
    from collections import namedtuple

    made = triton.compile(scale_source())
    function, scale_kernel.fn = scale_kernel.fn, None
    scale_kernel.used_global_vals = None
    try:
        state = pickle.loads(pickle.dumps({**made.__dict__, "run": None}))
    finally:
        scale_kernel.fn = function
    assert state["src"].fn is not scale_kernel and state["src"].fn.arg_names == scale_kernel.arg_names
    again = CompiledKernel.__new__(CompiledKernel)
    metadata = namedtuple("KernelMetadata", sorted(state["metadata"]))(**state["metadata"])
    again.__dict__.update(state, metadata=metadata)
    launch(again, backend)
    assert again.hash == made.hash


def test_backends():
    assert "cpu" in BACKENDS and "nvidia" in BACKENDS
    assert sum(entry.driver.is_active() for entry in BACKENDS.values()) == 1
    backend = make_backend(DRIVER.active.get_current_target())
    assert all(isinstance(DRIVER.active, entry.driver) for entry in BACKENDS.values())
    assert backend.supports_target(backend.target) and backend.hash() == make_backend(backend.target).hash()
    assert backend.parse_options({"num_warps": 8, "unknown": 1}).num_warps == 8
    with pytest.raises(ValueError, match="not for 'hip'"):
        make_backend(GPUTarget("hip", "gfx942", 64))


def test_a_device_that_only_the_parent_of_a_fork_can_use(monkeypatch):
    """The state of PyTorch's workers: a device exists, and they compile for it."""
    torch = needs("torch")
    monkeypatch.setattr("tilewright.cuda.is_available", lambda: False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    assert BACKENDS["nvidia"].driver.is_active() and not BACKENDS["cpu"].driver.is_active()
    monkeypatch.setattr(torch.version, "cuda", None)
    assert not BACKENDS["nvidia"].driver.is_active() and BACKENDS["cpu"].driver.is_active()


PARENT = '''
import os, subprocess, sys
import tilewright.compat
tilewright.compat.install()
tilewright.compat.install(*sys.argv[1:])
assert sorted(tilewright.compat.CHILDREN) == ["distribution/3.6.0", "distribution/3.9.0", "ieee", "triton"]
assert [entry for entry in sys.path if entry in tilewright.compat.CHILDREN.values()] == [
    tilewright.compat.CHILDREN[name] for name in (sys.argv[1], f"distribution/{sys.argv[2]}")
]
child = """
import importlib.metadata, triton, triton.language
print(triton.is_tilewright, triton.JITFunction.default_numerics, triton.__version__, importlib.metadata.version("triton"))
"""
subprocess.run([sys.executable, "-c", child], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, check=True)
tilewright.compat.uninstall()
assert not any(entry in tilewright.compat.CHILDREN.values() for entry in sys.path)
'''


@pytest.mark.parametrize("numerics, release", [("triton", "3.6.0"), ("ieee", "3.9.0")])
def test_processes_that_the_program_starts(numerics, release):
    environment = {**os.environ, "PYTHONPATH": str(Path(tilewright.__file__).parents[1])}
    command = [sys.executable, "-c", PARENT, numerics, release]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", numerics, release, release]
