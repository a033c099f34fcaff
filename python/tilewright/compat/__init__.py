"""Running code written for Triton: `tilewright.compat.install()`, then `import triton` gives Tilewright.

    import tilewright.compat
    tilewright.compat.install()

    import triton
    import triton.language as tl

Kernels decorated with this `triton.jit` have Triton's numerics: float32 dots are in TF32 and `/` has a
relative error of 2 ULP. `install(numerics="ieee")` gives them Tilewright's. The
modules are listed in docs/from-triton.md.
"""

import os
import sys

from . import listening, modules

#: The releases of Triton whose names are available. The first is the default.
RELEASES = ("3.6.0", "3.9.0")

#: Directories for child processes: with a module `triton` that installs this one, by numerics, and with the metadata of a
#: distribution `triton`, by release, where packages look up its version.
CHILDREN = {
    name: os.path.join(os.path.dirname(__file__), "children", name)
    for name in ("triton", "ieee", *(f"distribution/{release}" for release in RELEASES))
}


def is_installed():
    """Whether `import triton` gives Tilewright."""
    return getattr(sys.modules.get("triton"), "is_tilewright", False)


def install(numerics="triton", release=RELEASES[0]):
    """Make `import triton` give Tilewright, in this process from now on, and in those that it starts with its `sys.path`:
    workers of `multiprocessing` and of PyTorch's compiler.

    `numerics` is the default of kernels: "triton" or "ieee", see `tilewright.jit`. `release` is one of `RELEASES`, the
    value of `triton.__version__`: a later one for packages that refuse older ones. A second call changes `numerics` for
    kernels decorated later.

    Raises `RuntimeError` if Triton itself has been imported already, and `ValueError` for other numerics and releases.
    """
    if release not in RELEASES:
        raise ValueError(f"release is one of {', '.join(RELEASES)}, got {release!r}")
    if "triton" in sys.modules and not is_installed():
        raise RuntimeError(
            "triton has been imported already, so code may hold parts of it: call tilewright.compat.install() "
            "before anything that imports triton"
        )
    sys.modules.update(modules.make(release, numerics))
    listening.watch.install()
    _leave_path()
    sys.path[:0] = CHILDREN[numerics], CHILDREN[f"distribution/{release}"]


def uninstall():
    """Forget the modules again; code that has imported them keeps its references."""
    listening.watch.remove()
    if is_installed():
        for name in [name for name in sys.modules if name == "triton" or name.startswith("triton.")]:
            del sys.modules[name]
        _leave_path()


def _leave_path():
    sys.path[:] = [entry for entry in sys.path if entry not in CHILDREN.values()]
