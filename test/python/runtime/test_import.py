"""`import tilewright` is light: first launches and rare functions import their modules on demand."""

import os
import subprocess
import sys
from pathlib import Path

import tilewright

ON_DEMAND = (
    "tilewright._tilewright",
    "tilewright.arrays",
    "tilewright.compat",
    "tilewright.devices",
    "tilewright.frontend.compile",
    "tilewright.hooks",
    "tilewright.interpreter",
    "tilewright.kernels",
    "tilewright.language.extra.cuda",
    "tilewright.language.extra.libdevice",
    "tilewright.language.semantic.arithmetic",
    "tilewright.language.semantic.memory",
    "tilewright.language.semantic.promote",
    "tilewright.runtime.background",
    "tilewright.runtime.compiler",
    "tilewright.streams",
    "tilewright.testing",
    "tilewright.tuning",
    "concurrent.futures",
    "json",
    "matplotlib",
    "ml_dtypes",
    "rich",
    "shutil",
    "torch",
)


def test_import_is_light():
    code = (
        "import sys; before = set(sys.modules); import tilewright; "
        f"print([name for name in {ON_DEMAND} if name in sys.modules and name not in before])"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(tilewright.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout == "[]\n", done.stderr


def test_modules_on_demand_are_attributes():
    code = """
        import tilewright as tw
        import tilewright.language as tl
        from tilewright.frontend import compile_to_tile, source_of
        from tilewright.language.extra import cuda, libdevice
        assert tl.extra.libdevice is libdevice and cuda.libdevice is libdevice and tl.extra.extern_elementwise
        for module, name in ((tl.extra, "nothing"), (tw.frontend, "nothing")):
            try:
                getattr(module, name)
            except AttributeError as error:
                print(error)
    """
    lines = "\n".join(line[8:] for line in code.splitlines())
    environment = {**os.environ, "PYTHONPATH": str(Path(tilewright.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, env=environment)
    assert done.stdout.splitlines() == [
        "module 'tilewright.language.extra' has no attribute 'nothing'",
        "module 'tilewright.frontend' has no attribute 'nothing'",
    ], done.stderr
