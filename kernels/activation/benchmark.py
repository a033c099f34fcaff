"""Benchmark cases of the activations."""

from .._benchmark import ITEMSIZE, Case


def cases(gpu):
    """GELU and SiLU of a large array."""
    dtype, shape = ("bfloat16", (32768, 8192)) if gpu else ("float32", (4096, 4096))
    traffic = 2 * shape[0] * shape[1] * ITEMSIZE[dtype]

    def functional():
        import torch

        return torch.nn.functional

    for name, run, torch in (
        ("gelu", lambda kernels, x: kernels.gelu(x), lambda x: functional().gelu(x)),
        (
            "gelu tanh",
            lambda kernels, x: kernels.gelu(x, "tanh"),
            lambda x: functional().gelu(x, approximate="tanh"),
        ),
        ("silu", lambda kernels, x: kernels.silu(x), lambda x: functional().silu(x)),
    ):
        yield Case(
            name,
            "{} x {}".format(*shape),
            dtype,
            make=lambda randn: (randn(*shape),),
            run=run,
            torch=torch,
            bytes=traffic,
        )
