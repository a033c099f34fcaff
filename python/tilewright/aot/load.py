"""Finding a kernel by file and name."""

import importlib
import importlib.util
import sys
from pathlib import Path

from ..runtime.jit import JITFunction
from ..tuning.launching import LaunchWrapper


class KernelNotFound(LookupError):
    """A text that names no kernel."""

    def __str__(self):
        return str(self.args[0])


def _kernel_of(value):
    """The kernel that `value` is, or launches after tuning it or adding to its arguments; None for anything else."""
    kernel = value.kernel if isinstance(value, LaunchWrapper) else value
    return kernel if isinstance(kernel, JITFunction) else None


def load_kernel(spec):
    """The kernel that "FILE.py:NAME" names, or the kernel inside a tuned one. The file is imported, as part of its
    package if it has one.

    Raises `KernelNotFound`, and the errors of the file.
    """
    path, separator, name = spec.rpartition(":")
    if not separator or not path or not name.isidentifier():
        raise KernelNotFound(f"a kernel is named FILE.py:KERNEL, got {spec!r}")
    module = load_module(path)
    found = getattr(module, name, None)
    if kernel := _kernel_of(found):
        return kernel
    kernels = [key for key, value in vars(module).items() if _kernel_of(value)]
    there = f"it has {', '.join(kernels)}" if kernels else "it has no kernel"
    what = "is not a kernel (decorate it with @tilewright.jit)" if found is not None else "is not there"
    raise KernelNotFound(f"{path}: {name} {what}; {there}")


def load_module(path):
    """The module that the file `path` is. Raises `KernelNotFound`, and the errors of the file."""
    if not Path(path).is_file():
        raise KernelNotFound(f"no file {path}")
    if not path.endswith(".py"):
        raise KernelNotFound(f"{path} is no file of Python, whose name ends in .py")
    try:
        return _import(Path(path).resolve())
    except SystemExit as end:
        raise KernelNotFound(
            f"{path} ends the program when it is imported (status {end.code}); "
            "leave that to if __name__ == '__main__'"
        ) from None


def load_function(spec):
    """The function that "FILE.py:NAME" names. Raises as `load_kernel`."""
    path, _, name = spec.rpartition(":")
    found = getattr(load_module(path), name, None)
    if _kernel_of(found) or not callable(found):
        raise KernelNotFound(
            f"{path} has no function {name}() to call the kernel; give a signature or a call"
        )
    return found


def _import(path):
    """The file as a module. It can import modules next to it, or next to its package."""
    names, directory = [path.stem], path.parent
    while (directory / "__init__.py").exists():
        names.insert(0, directory.name)
        directory = directory.parent
    sys.path.insert(0, str(directory))
    if len(names) > 1:
        return importlib.import_module(".".join(names))
    return _import_alone(path)


def _import_alone(path):
    """A file outside of packages. Its name may be taken by another module, or not be importable."""
    name, known = path.stem, sys.modules.get(path.stem)
    if known is not None:
        if getattr(known, "__file__", None) == str(path):
            return known
        name = f"{name} of {path.parent}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
