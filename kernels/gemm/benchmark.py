"""Benchmark cases of the matmuls."""

from .._benchmark import ITEMSIZE, Case


def _torch_linear_gelu(a, b, bias):
    import torch

    return torch.nn.functional.gelu(torch.addmm(bias, a, b))


def _ends(ones, rows):
    """Returns the end rows of groups of ``rows`` rows."""
    return ((ones * 0 + 1).cumsum(0) * rows).int()


def _torch_swiglu(x, gate, up):
    import torch

    return torch.nn.functional.silu(x @ gate) * (x @ up)


def _variants():
    """Batches, groups and gated units, on a GPU."""
    import torch

    yield Case(
        "batched matmul",
        "32 x 1024 x 1024 x 1024",
        "float16",
        make=lambda randn: (randn(32, 1024, 1024), randn(32, 1024, 1024)),
        run=lambda kernels, a, b: kernels.matmul(a, b),
        torch=torch.bmm,
        bytes=3 * 32 * 1024**2 * 2,
        flops=2 * 32 * 1024**3,
    )
    yield Case(
        "grouped matmul",
        "8 x (2048 x 4096 x 2048)",
        "bfloat16",
        make=lambda randn: (randn(16384, 2048), randn(8, 4096, 2048).mT, _ends(randn(8), 2048)),
        run=lambda kernels, a, b, ends: kernels.grouped_matmul(a, b, ends),
        torch=lambda a, b, ends: torch._grouped_mm(a, b, offs=ends),
        bytes=2 * (16384 * 2048 + 8 * 4096 * 2048 + 16384 * 4096),
        flops=2 * 16384 * 4096 * 2048,
    )
    yield Case(
        "swiglu",
        "4096 x 14336 x 4096",
        "bfloat16",
        make=lambda randn: (randn(4096, 4096), randn(14336, 4096).T, randn(14336, 4096).T),
        run=lambda kernels, x, gate, up: kernels.gated_matmul(x, gate, up),
        torch=_torch_swiglu,
        bytes=2 * (4096 * 4096 + 3 * 14336 * 4096),
        flops=4 * 4096 * 14336 * 4096,
    )


def cases(gpu):
    """Square matmuls, plain and with a fused epilogue, and on a GPU the other kinds."""
    if gpu:
        yield from _variants()
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
