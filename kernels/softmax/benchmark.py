"""Benchmark cases of softmax."""

from .._benchmark import ITEMSIZE, Case


def _numpy_softmax(x):
    import numpy as np

    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def cases(gpu):
    """Rows of several lengths; the longest does not fit in the registers of one program."""
    on_gpu = [((32768, 8192), "bfloat16"), ((8192, 1024), "float16"), ((2048, 131072), "bfloat16")]
    for shape, dtype in on_gpu if gpu else [((4096, 4096), "float32")]:
        yield Case(
            "softmax",
            "{} x {}".format(*shape),
            dtype,
            make=lambda randn, shape=shape: (randn(*shape),),
            run=lambda kernels, x: kernels.softmax(x),
            torch=lambda x: x.softmax(-1),
            numpy=_numpy_softmax,
            bytes=2 * shape[0] * shape[1] * ITEMSIZE[dtype],
        )
