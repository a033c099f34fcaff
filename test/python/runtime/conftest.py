"""Kernels and a stand-in for the compiler, for tests of what happens before and after compiling."""

import pytest
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
    """The arguments of every compilation; nothing is compiled, so kernels may only be warmed up."""
    made = []

    def fake(fn, arg_types, constexprs, attrs, target, options, stop_after="", trees=None):
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
