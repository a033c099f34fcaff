"""Benchmark cases of the matrix product."""

from .._benchmark import ITEMSIZE, Case


def _torch_linear_gelu(a, b, bias):
    import torch

    return torch.nn.functional.gelu(torch.addmm(bias, a, b))


def cases(gpu):
    """Square products, plain and with a fused epilogue."""
    sizes = [(1024, "float16"), (4096, "float16"), (4096, "bfloat16"), (4096, "float32")]
    for n, dtype in sizes if gpu else [(1024, "float32")]:
        work = {"bytes": 3 * n * n * ITEMSIZE[dtype], "flops": 2 * n**3}
        yield Case(
            "matmul",
            f"{n} x {n} x {n}",
            dtype,
            make=lambda randn, n=n: (randn(n, n), randn(n, n)),
            run=lambda kernels, a, b: kernels.matmul(a, b),
            torch=lambda a, b: a @ b,
            numpy=lambda a, b: a @ b,
            **work,
        )
        if n == 4096 and dtype == "float16":
            yield Case(
                "matmul + bias + gelu",
                f"{n} x {n} x {n}",
                dtype,
                make=lambda randn, n=n: (randn(n, n), randn(n, n), randn(n)),
                run=lambda kernels, a, b, bias: kernels.matmul(a, b, bias, "gelu"),
                torch=_torch_linear_gelu,
                **work,
            )
