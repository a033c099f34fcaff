"""Kernels and a stand-in for the compiler, for tests of the steps before and after compilation."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import tilewright
import tilewright as tw
import tilewright.language as tl
from tilewright.runtime import specializer
from tilewright.runtime.compiled import CompiledKernel


@pytest.fixture
def kernel():
    @tw.jit
    def kernel(x, y, n, scale=1.0, BLOCK: tl.constexpr = 64):
        pass

    return kernel


@pytest.fixture
def compilations(monkeypatch):
    """The arguments of every compilation. Nothing is compiled, so kernels may only be warmed up."""
    made = []

    def fake(
        fn, arg_types, constexprs, attrs, target, options, stop_after="", trees=None, symbol="", extents=False
    ):
        made.append(
            {
                "types": arg_types,
                "constants": constexprs,
                "attrs": attrs,
                "target": target,
                "options": options,
            }
        )
        return CompiledKernel(fn.__name__, target, {}, {}, arg_types, constexprs)

    monkeypatch.setattr(specializer, "compile_kernel", fake)
    return made


PRELUDE = """
import numpy as np
import tilewright as tw
import tilewright.language as tl
from tilewright.runtime import specializer
from tilewright.runtime.compiled import CompiledKernel

metadata = {"num_threads": 128, "shared": 0}

def fake(fn, types, constants, attrs, target, options, stop_after="", trees=None, symbol="", extents=False):
    return CompiledKernel("kernel", target, {"ptx": f"target {target}"}, metadata, types, constants)

specializer.compile_kernel = fake

@tw.jit
def kernel(x, y, n):
    pass

def show(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
"""


@pytest.fixture
def double():
    """`double(name)`: the path of a double of the driver, which the build makes with the C++ tests."""
    return _double


def _double(name):
    module = Path(tilewright.__file__).parent / "_tilewright"
    built = next(iter(module.parent.glob("_tilewright*.so"))).resolve().parents[2]
    path = built / "test" / "unit" / "Runtime" / "Cuda" / f"lib{name}.so"
    if not path.exists():
        pytest.skip(f"{path} is not built")
    return path


@pytest.fixture
def run(tmp_path):
    """`run(code, driver)`: the output of `code`, run in a new process with that driver."""

    def run(code, driver):
        script = tmp_path / "script.py"
        script.write_text(PRELUDE + textwrap.dedent(code))
        package = Path(tilewright.__file__).parents[1]
        environment = {**os.environ, "PYTHONPATH": str(package), "TILEWRIGHT_LIBCUDA": str(driver)}
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


@pytest.fixture
def program(tmp_path):
    """`program(*parts, **environment)`: a finished process that ran the parts in order."""

    def program(*parts, **environment):
        script = tmp_path / "program.py"
        script.write_text("\n".join(map(textwrap.dedent, parts)))
        package = str(Path(tilewright.__file__).parents[1])
        return subprocess.run(
            [sys.executable, script],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "PYTHONPATH": package, **environment},
        )

    return program


@pytest.fixture
def change(request, monkeypatch):
    """`change(name, value)`: a global of the test's module has another value from now on."""
    return lambda name, value: monkeypatch.setitem(vars(request.module), name, value)


@pytest.fixture
def result(backend):
    """`result(kernel)`: the value that a launch of the kernel stores."""
    out = backend.array(np.zeros(1, np.int32))

    def result(kernel, *args, **options):
        kernel[1,](out, *args, **options)
        return int(backend.numpy(out)[0])

    return result
