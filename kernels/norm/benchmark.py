"""Benchmark cases of the norms."""

from .._benchmark import ITEMSIZE, Case


def _torch_layer_norm(x, weight, bias):
    import torch

    return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias)


def _torch_rms_norm(x, weight):
    import torch

    return torch.nn.functional.rms_norm(x, x.shape[-1:], weight, 1e-6)


def _numpy_layer_norm(x, weight, bias):
    import numpy as np

    mean = x.mean(axis=1, keepdims=True)
    return (x - mean) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5) * weight + bias


def _numpy_rms_norm(x, weight):
    import numpy as np

    return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-6) * weight


def cases(gpu):
    """Rows of several lengths; the longest does not fit in the registers of one program."""
    on_gpu = [((32768, 8192), "bfloat16"), ((2048, 131072), "bfloat16")]
    for (m, n), dtype in on_gpu if gpu else [((4096, 4096), "float32")]:
        traffic = 2 * m * n * ITEMSIZE[dtype]
        yield Case(
            "layer norm",
            f"{m} x {n}",
            dtype,
            make=lambda randn, m=m, n=n: (randn(m, n), randn(n), randn(n)),
            run=lambda kernels, x, weight, bias: kernels.layer_norm(x, weight, bias),
            torch=_torch_layer_norm,
            numpy=_numpy_layer_norm,
            bytes=traffic,
        )
        yield Case(
            "rms norm",
            f"{m} x {n}",
            dtype,
            make=lambda randn, m=m, n=n: (randn(m, n), randn(n)),
            run=lambda kernels, x, weight: kernels.rms_norm(x, weight),
            torch=_torch_rms_norm,
            numpy=_numpy_rms_norm,
            bytes=traffic,
        )
