"""Sorting by hand, which makes hundreds of tiles with many dimensions of two."""

import numpy as np
import pytest

from .published import sorting as kernels


@pytest.mark.parametrize("n, log2, descending", [(5, 3, 0), (30, 5, 1), (300, 9, 0)])
def test_pairs(backend, rng, n, log2, descending):
    x = rng.standard_normal((3, n)).astype(np.float32)
    keys, positions = backend.array(x), backend.array(np.tile(np.arange(n, dtype=np.int32), (3, 1)))
    kernels.sort_pairs_kernel[(3,)](keys, positions, n, LOG2=log2, DESCENDING=descending)
    order = np.argsort(-x if descending else x, axis=1)
    np.testing.assert_array_equal(backend.numpy(positions), order)
    np.testing.assert_array_equal(backend.numpy(keys), np.take_along_axis(x, order, 1))
