"""Benchmark cases of the elementwise kernels."""

from .._benchmark import ITEMSIZE, Case


def cases(gpu):
    """The sum of two long vectors."""
    dtype, n = ("float32", 1 << 28) if gpu else ("float32", 1 << 24)
    yield Case(
        "add",
        f"{n}",
        dtype,
        make=lambda randn: (randn(n), randn(n)),
        run=lambda kernels, x, y: kernels.add(x, y),
        torch=lambda x, y: x + y,
        numpy=lambda x, y: x + y,
        bytes=3 * n * ITEMSIZE[dtype],
    )
