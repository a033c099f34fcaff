"""The examples of docs/language.md, run as a reader would, and its list of functions."""

import os
import re
import subprocess
import sys
from pathlib import Path

import tilewright.language as tl
from documented_examples import load_module

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "language.md").read_text()


def test_examples_run(tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    script = tmp_path / "examples.py"
    script.write_text("\n".join(blocks))
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    subprocess.run([sys.executable, script], check=True, env=environment)


def test_example_of_libdevice(backend, rng, tmp_path):
    import numpy as np

    text = (ROOT / "docs" / "libdevice.md").read_text()
    (example,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    path = tmp_path / "softplus.py"
    path.write_text(example)
    module = load_module(path)
    x = rng.standard_normal(100).astype(np.float32)
    y = backend.poisoned((100,), "float32")
    module.softplus[4,](backend.array(x), y, 100, 32)
    np.testing.assert_allclose(backend.numpy(y), np.log1p(np.exp(x)), rtol=1e-5)


def test_listed_functions_exist():
    table = PAGE[PAGE.index("| the grid |") : PAGE.index("Each has a docstring")]
    names = [name for name in re.findall(r"`([a-z0-9_]+)`", table) if not name.startswith("_")]
    assert len(names) > 60
    for name in names:
        assert getattr(tl, name).__doc__, name


def test_every_function_has_a_docstring():
    for name in tl.__all__:
        assert getattr(tl, name).__doc__, name
