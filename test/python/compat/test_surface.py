"""Every public name of Triton is there under `import triton`.

`triton_names.json`, written by `list_names.py`, holds the names of two releases: the version that the module reports
and a later one.
"""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

NAMES = json.loads((Path(__file__).parent / "triton_names.json").read_text())
METHODS = NAMES.pop("methods")

#: Parts of Triton's own implementation that are public by the letter: its type system, helpers of its
#: builtins, and its remote caches. Kernels and the code around them do not use them.
INSIDES = {
    "triton.runtime": {"RedisRemoteCacheBackend", "RemoteCacheBackend"},
    "triton.testing": {"cuda_memcheck", "set_gpu_clock"},
    "triton.language.core": {
        "T",
        "TRITON_BUILTIN",
        "base_type",
        "base_value",
        "binary_op_type_legalization",
        "builtin_max",
        "builtin_min",
        "check_bit_width",
        "dispatch",
        "is_negative_zero",
        "item",
        "must_use_result",
        "slice_type",
        "tensor_descriptor_base",
        "tensor_descriptor_base_type",
        "tensor_descriptor_type",
    },
    "triton.language.math": {"T"},
    "triton.language.random": {"N_ROUNDS_DEFAULT"},
    "triton.language.standard": {"sort_impl"},
    "triton.language.extra.cuda": {"convert_custom_float8_sm70", "convert_custom_float8_sm80"},
}


@pytest.fixture(autouse=True)
def installed():
    import tilewright.compat

    tilewright.compat.install()
    yield
    tilewright.compat.uninstall()


@pytest.mark.parametrize("module", NAMES)
def test_nothing_is_missing(module):
    try:
        found = importlib.import_module(module)
    except ImportError:
        found = object()
    missing = {name for name in NAMES[module] if not hasattr(found, name)} - INSIDES.get(module, set())
    assert not missing


def test_no_method_is_missing():
    import triton.language as tl

    missing = {name for name in METHODS if not hasattr(tl.tensor, name)}
    assert missing == {"advance"} and hasattr(tl.tiles.block_pointer, "advance"), "which block pointers have"


def test_install_comes_before_triton(monkeypatch):
    import tilewright.compat

    tilewright.compat.uninstall()
    monkeypatch.setitem(sys.modules, "triton", sys)
    with pytest.raises(RuntimeError, match="triton has been imported already"):
        tilewright.compat.install()
    monkeypatch.delitem(sys.modules, "triton")
    with pytest.raises(ValueError, match="numerics is 'ieee' or 'triton', got 'exact'"):
        tilewright.compat.install(numerics="exact")
    with pytest.raises(ValueError, match=r"release is one of 3\.6\.0, 3\.9\.0, got '2\.0'"):
        tilewright.compat.install(release="2.0")


def test_a_module_of_its_own_process():
    code = """
import sys
import tilewright.compat; tilewright.compat.install()
import importlib.metadata, importlib.util
assert importlib.util.find_spec("triton") is not None
assert importlib.metadata.version("triton") == tilewright.compat.RELEASES[0]
assert "triton" in importlib.metadata.packages_distributions()["triton"]
import triton, triton.language as tl
from triton.language.extra import cuda
from triton.runtime.driver import active
from triton.tools.tensor_descriptor import TensorDescriptor
from triton.runtime import driver
from triton.runtime.driver import driver as same
import triton.runtime.driver as third
assert driver is same is third and "nvidia" in triton.backends.backends
assert triton.__version__.startswith("3.") and triton.cdiv(5, 2) == 3 and triton.next_power_of_2(5) == 8
assert tl.constexpr(3) + 1 == 4
tilewright.compat.install("ieee")
assert importlib.metadata.version("triton") == tilewright.compat.RELEASES[0] == triton.__version__
tilewright.compat.uninstall()
assert not any("compat" in entry for entry in sys.path)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
