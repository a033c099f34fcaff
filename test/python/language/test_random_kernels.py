"""The interpreter and the back end under test agree on kernels made at random."""

import importlib.util
import os

import numpy as np
import pytest
import tilewright as tw
from random_kernels import COLUMNS, ROWS, source

pytestmark = pytest.mark.compiled
SEEDS = range(int(os.environ.get("TILEWRIGHT_TEST_SEEDS", "30")))
N, SIZE = ROWS * COLUMNS, ROWS * COLUMNS + 45


def load(seed, directory):
    path = directory / f"random_kernel_{seed}.py"
    path.write_text(source(seed))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def inputs(seed):
    rng = np.random.default_rng(seed)
    return [
        rng.uniform(-2, 2, SIZE).astype(np.float32),
        rng.uniform(-2, 2, SIZE).astype(np.float64),
        rng.uniform(-2, 2, SIZE).astype(np.float16),
        rng.integers(-50, 50, SIZE).astype(np.int32),
        rng.integers(-50, 50, SIZE).astype(np.int16),
        rng.integers(0, 50, SIZE).astype(np.uint8),
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_interpreter_and_compiler_agree(backend, tmp_path, seed):
    kernel = load(seed, tmp_path)
    arrays = inputs(seed)
    expected = np.full(SIZE, 77, np.float32), np.full(SIZE, 77, np.int32)
    tw.interpret(kernel)[2,](*expected, *arrays, seed + 5, SIZE, N=N)
    outputs = [backend.array(np.full(SIZE, 77, dtype)) for dtype in (np.float32, np.int32)]
    kernel[2,](*outputs, *map(backend.array, arrays), seed + 5, SIZE, N=N)
    text = source(seed)
    np.testing.assert_allclose(backend.numpy(outputs[0]), expected[0], rtol=1e-4, atol=1e-4, err_msg=text)
    np.testing.assert_array_equal(backend.numpy(outputs[1]), expected[1], err_msg=text)
