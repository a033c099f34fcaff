"""Helpers for tests of the front end: compile a kernel and look at its IR."""

import pytest
from tilewright.frontend import compile_to_tile
from tilewright.frontend.function import KernelFunction


@pytest.fixture
def jit():
    return KernelFunction


@pytest.fixture
def tile():
    """`tile(fn, "*fp32", "i32:16", N=4)`: the text of the module; ":16" is a divisibility."""

    def compile_(fn, *signature, options=None, **constants):
        import inspect

        fn = getattr(fn, "fn", fn)
        names = [name for name in inspect.signature(fn).parameters if name not in constants]
        types = [entry.partition(":")[0] if isinstance(entry, str) else entry for entry in signature]
        attrs = {
            name: int(entry.partition(":")[2])
            for name, entry in zip(names, signature)
            if isinstance(entry, str) and ":" in entry
        }
        return str(compile_to_tile(fn, dict(zip(names, types)), constants, attrs, options))

    return compile_
