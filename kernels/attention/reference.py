"""Float64 reference of attention."""

import math

import numpy as np


def attention(q, k, v, causal=False, scale=None):
    """softmax(scale * q @ k^T) @ v; rows without visible keys give zeros."""
    q, k, v = (np.asarray(x, np.float64) for x in (q, k, v))
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    s = scale * q @ k.swapaxes(-1, -2)
    if causal:
        i, j = np.arange(s.shape[-2])[:, None], np.arange(s.shape[-1])[None, :]
        s = np.where(j <= i + s.shape[-1] - s.shape[-2], s, -np.inf)
    highest = s.max(axis=-1, keepdims=True, initial=-np.inf)
    e = np.exp(s - np.where(np.isinf(highest), 0, highest))
    total = e.sum(axis=-1, keepdims=True)
    return (e / np.where(total == 0, 1, total)) @ v
