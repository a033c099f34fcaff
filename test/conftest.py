"""Shared by all Python tests: the back end under test, its arrays, and result checks."""

import gc
import os
import sys
from pathlib import Path

# Reference matmuls are small, and BLAS threads that spin between them slow down parallel tests.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import grids
import ml_dtypes
import numpy as np
import pytest

# Largest relative error (norm of the difference over norm of the reference) due to rounding.
TOLERANCE = {"float64": 1e-12, "float32": 2e-6, "float16": 1.5e-3, "bfloat16": 1e-2}


def pytest_addoption(parser):
    parser.addoption(
        "--backend",
        choices=("cpu", "cuda", "emulated", "interpreter"),
        default="cpu",
        help="where kernels run: compiled for the CPU (default), on a GPU, as PTX on an emulated one, or interpreted "
        "in NumPy",
    )

    parser.addoption(
        "--all-configurations",
        action="store_true",
        help="run every case of grids of three or more parameters, not those that together hold every pair of values, "
        "and assemble every configuration that kernels of the library are launched with, not one of each tile",
    )

    parser.addoption(
        "--kernels", type=int, default=2000, help="how many different random kernels to check on the back end"
    )


def pytest_configure(config):
    os.environ.setdefault("TILEWRIGHT_CHECK", "1")
    config.addinivalue_line("markers", "cuda: needs a CUDA device")
    config.addinivalue_line("markers", "compiled: needs a compiler, so is not for the interpreter")
    config.addinivalue_line(
        "markers", "once: launches nothing on the back end under test, so runs on one of them"
    )
    if config.getoption("--backend") == "interpreter":
        os.environ["TILEWRIGHT_INTERPRET"] = "1"  # read when a kernel is decorated
    if config.getoption("--backend") == "emulated":
        _emulate_gpu()
        config.pluginmanager.register(_NoTensors())


def _emulate_gpu():
    """Installs the emulated driver, which takes PTX, instead of CUDA's, and arrays in its memory instead of CuPy's."""
    root = Path(__file__).resolve().parents[1]
    build = next(iter((root / "python" / "tilewright").glob("_tilewright*.so"))).resolve().parents[2]
    os.environ["TILEWRIGHT_LIBCUDA"] = str(build / "test" / "emulator" / "libEmulatedCuda.so")
    os.environ["TILEWRIGHT_ASSEMBLER"] = "driver"
    sys.path.insert(0, str(root / "test" / "emulator" / "python"))


class _NoTensors:
    """Skips tests that create PyTorch tensors on the emulated GPU; PyTorch does not know it."""

    @staticmethod
    def pytest_runtest_setup():
        if torch := sys.modules.get("torch"):
            torch.cuda._lazy_init = lambda: pytest.skip("PyTorch has no tensors on an emulated GPU")


def pytest_collection_modifyitems(config, items):
    backend = config.getoption("--backend")
    for item in items:
        if item.get_closest_marker("cuda") and backend != "cuda":
            item.add_marker(pytest.mark.skip(reason="runs with --backend cuda"))
        if item.get_closest_marker("compiled") and backend == "interpreter":
            item.add_marker(pytest.mark.skip(reason="needs a compiler"))
        if item.get_closest_marker("once") and backend != "cpu":
            item.add_marker(pytest.mark.skip(reason="runs with --backend cpu"))
    if backend == "emulated":
        # Tests without launches behave the same on other back ends.
        items[:] = [item for item in items if "backend" in item.fixturenames]
    if not config.getoption("--all-configurations"):
        left_out = grids.left_out(items)
        config.hook.pytest_deselected(items=left_out)
        left_out = set(left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish():
    _freeze_live_objects()


def _freeze_live_objects():
    """Freezes all live objects, so that later collections, also explicit ones in tests, skip them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def _freeze_after_imports():
    """Freezes objects that earlier tests imported; PyTorch alone creates a million."""
    _freeze_live_objects()


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    """Tests neither see nor fill the user's disk cache."""
    os.environ.setdefault("TILEWRIGHT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


def numpy_dtype(name):
    """The NumPy type of that name, including types of ml_dtypes."""
    return np.dtype(getattr(ml_dtypes, name, None) or name)


class Backend:
    """Makes arrays for the back end under test and reads them back.

    An emulated GPU is named "cuda", as it behaves like a real one. Its arrays are no tensors.
    """

    def __init__(self, name):
        self.is_emulated = name == "emulated"
        self.name = "cuda" if self.is_emulated else name

    def array(self, values, dtype=None):
        """An array of the back end with ``values``, rounded to ``dtype`` (a name)."""
        values = np.asarray(values)
        values = values if dtype is None else values.astype(numpy_dtype(dtype))
        if self.name != "cuda":
            return np.array(values)
        if self.is_emulated:
            import cupy

            return cupy.array(values)
        import torch

        if values.dtype.kind in "biu" or values.dtype in (np.float16, np.float32, np.float64):
            return torch.from_numpy(values.copy()).cuda()
        # Types of ml_dtypes travel as bits.
        bits = torch.from_numpy(values.view(f"u{values.itemsize}").copy())
        return bits.view(getattr(torch, values.dtype.name)).cuda()

    def synchronize(self):
        """Waits for the GPU; an emulated one is always done."""
        if not self.is_emulated:
            import torch

            torch.cuda.synchronize()

    def poisoned(self, shape, dtype):
        """An array of NaN or a wild integer, so that unwritten elements show."""
        dtype = numpy_dtype(dtype)
        fill = 0x5B if dtype.kind in "biu" else float("nan")
        return self.array(np.full(shape, fill, dtype))

    def numpy(self, x):
        """``x`` as a NumPy array; types that NumPy lacks as float32."""
        if self.is_emulated and hasattr(x, "get"):
            x = x.get()
        if isinstance(x, np.ndarray):
            return x.astype(np.float32) if x.dtype.kind == "V" or x.dtype.name in dir(ml_dtypes) else x
        x = x.detach().cpu()
        return (x.float() if x.dtype.is_floating_point and x.dtype.itemsize <= 2 else x).numpy()

    def check(self, result, reference, dtype, factor=1.0):
        """Asserts that ``result`` is ``reference`` (float64) up to the rounding of ``dtype``."""
        result = self.numpy(result).astype(np.float64)
        reference = np.asarray(reference, np.float64)
        assert result.shape == reference.shape
        assert np.array_equal(np.isnan(result), np.isnan(reference)), "NaN at other positions"
        keep = np.isfinite(reference)
        assert np.array_equal(result[~keep & ~np.isnan(reference)], reference[~keep & ~np.isnan(reference)])
        error = np.linalg.norm(result[keep] - reference[keep])
        limit = TOLERANCE[dtype] * factor * max(np.linalg.norm(reference[keep]), 1e-30)
        assert error <= limit, f"relative error {error / max(np.linalg.norm(reference[keep]), 1e-30):.3g}"


@pytest.fixture(scope="session")
def backend(request):
    return Backend(request.config.getoption("--backend"))


@pytest.fixture
def rng(request):
    """Random numbers, the same in each run of one test and different between tests."""
    return np.random.default_rng(list(request.node.nodeid.encode()))
