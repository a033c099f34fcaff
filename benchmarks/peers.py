"""Sources of kernels, compiled by Triton.

A kernel of the language is a kernel of Triton with two imports changed. A copy of the package with these changes lets
the benchmarks measure both compilers on the same source.
"""

import hashlib
import importlib.util
import pathlib
import sys
import tempfile

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "kernels"


def triton_kernels():
    """Returns the kernels as a package that Triton compiles; None if Triton is not installed."""
    if importlib.util.find_spec("triton") is None:
        return None
    folder = tempfile.TemporaryDirectory(prefix="tilewright-benchmark-")
    for source in KERNELS.rglob("*.py"):
        target = pathlib.Path(folder.name, "triton_kernels", source.relative_to(KERNELS))
        target.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text()
        text = text.replace("import tilewright as tw", "import triton as tw")
        text = text.replace("import tilewright.language as tl", "import triton.language as tl")
        text = text.replace('@tw.jit(numerics="triton")', "@tw.jit")  # Triton's only mode
        target.write_text(text)
    sys.path.insert(0, folder.name)
    try:
        package = importlib.import_module("triton_kernels")
    finally:
        sys.path.remove(folder.name)
    # Triton reads the source of a kernel when it compiles it, so the files live as long as the package.
    package.folder = folder
    return package


def load_with(text, name):
    """Loads `text` as a module from a file, since compilers read source files; the same file in all processes."""
    name = f"{name}_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    path = pathlib.Path(tempfile.gettempdir(), f"{name}.py")
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(text)
    pathlib.Path(file.name).replace(path)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
