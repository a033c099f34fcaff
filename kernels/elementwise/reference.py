"""Float64 reference of the elementwise kernels."""

import numpy as np


def add(x, y):
    """X + y."""
    return np.asarray(x, np.float64) + np.asarray(y, np.float64)
