"""Finding a kernel by file and name."""

import importlib.util
import sys
from pathlib import Path

from ..runtime.jit import JITFunction


def load_kernel(place):
    """The kernel that "FILE.py:NAME" names; the file is run as a module to get it.

    Raises `ValueError` if `place` is not of this form, `FileNotFoundError`, and `LookupError` if the file
    has no such kernel.
    """
    path, separator, name = place.rpartition(":")
    if not separator or not path or not name.isidentifier():
        raise ValueError(f"a kernel is named FILE.py:KERNEL, got {place!r}")
    if not Path(path).is_file():
        raise FileNotFoundError(f"no file {path}")
    module = _run(Path(path).resolve())
    found = getattr(module, name, None)
    if isinstance(found, JITFunction):
        return found
    kernels = [key for key, value in vars(module).items() if isinstance(value, JITFunction)]
    there = f"it has {', '.join(kernels)}" if kernels else "it has no kernel"
    what = "is not a kernel (decorate it with @tilewright.jit)" if found is not None else "is not there"
    raise LookupError(f"{path}: {name} {what}; {there}")


def _run(path):
    """The file as a module; what lies beside it can be imported, as when it is run as a script."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module
