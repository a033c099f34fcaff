"""The package of the source tree unless one is installed, and kernels compiled to look at their IR."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

if importlib.util.find_spec("tilewright") is None:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))


@pytest.fixture
def jit():
    """The decorator of functions in the language, without anything that launches them."""
    from tilewright.frontend import KernelFunction

    return KernelFunction


@pytest.fixture
def tile():
    """`tile(fn, "*fp32", "i32:16", N=4)`: the text of the module; ":16" is a divisibility."""

    def compile_(fn, *signature, options=None, **constants):
        import inspect

        from tilewright.frontend import compile_to_tile

        fn = getattr(fn, "fn", fn)
        names = [name for name in inspect.signature(fn).parameters if name not in constants]
        types = [entry.partition(":")[0] if isinstance(entry, str) else entry for entry in signature]
        attrs = {
            name: int(entry.partition(":")[2])
            for name, entry in zip(names, signature, strict=False)
            if isinstance(entry, str) and ":" in entry
        }
        return str(compile_to_tile(fn, dict(zip(names, types, strict=False)), constants, attrs, options))

    return compile_


@pytest.fixture
def rejects():
    """`rejects(fn, message, x="*fp32")`: compiling the kernel fails with the message, at its line marked `# !`.
    A type may be a tuple of types.
    """
    import inspect
    import re

    from tilewright.frontend import CompilationError, compile_to_tile
    from tilewright.runtime.structured import Group

    def check(fn, message, **types):
        trees = {}
        for name, given in list(types.items()):
            if isinstance(given, tuple):
                parts = {f"{name}.{i}": part for i, part in enumerate(types.pop(name))}
                trees[name] = Group(tuple(parts))
                types.update(parts)
        lines, first = inspect.getsourcelines(fn)
        (marked,) = [first + i for i, line in enumerate(lines) if line.rstrip().endswith("# !")]
        with pytest.raises(CompilationError, match=re.escape(message)) as caught:
            compile_to_tile(fn, types, {}, trees=trees)
        assert (caught.value.file, caught.value.line) == (inspect.getsourcefile(fn), marked)
        return caught.value

    return check


@pytest.fixture
def assemble():
    """`assemble(kernel, types, constants, attrs, **options)`: compile a kernel for sm_90a without running it."""
    from tilewright import _tilewright
    from tilewright.options import Options
    from tilewright.runtime.assemblers import assembler_paths
    from tilewright.runtime.compiler import compile_kernel

    if not _tilewright.assemblers(assembler_paths()):
        pytest.skip("no assembler of PTX on this machine")

    def compile_(kernel, types, constants, attrs=None, **options):
        with pytest.MonkeyPatch.context() as patch:
            if (
                os.environ.get("TILEWRIGHT_ASSEMBLER") == "driver"
            ):  # launches may want that, it tells nothing here
                patch.delenv("TILEWRIGHT_ASSEMBLER")
            return compile_kernel(
                kernel.fn, types, constants, attrs or {}, "sm_90a", Options(**{"num_warps": 4, **options})
            )

    return compile_
