"""Times the shapes of `gemm.py` against PyTorch and the best of Triton's tutorials, in one run.

    python benchmarks/gemm_triton.py [--only 4096] [--dtype float16 bfloat16] [--out gemm-triton.json]

Triton compiles each kernel of `tutorial_kernels.py` in each configuration. A short measurement finds the three fastest,
a second one the best of them. A third one interleaves it with `kernels.matmul` and `torch.mm`, which is cuBLAS's. The
L2 cache is flushed before each call. Times are medians; small matmuls are timed for several copies of the operands, with
a common output for each copy. Results are compared with PyTorch's; a Triton kernel with a wrong result is left out.
"""

import argparse
import pathlib
import statistics
from functools import partial
from itertools import product

import needs
import report
from gemm import SHAPES, copies_for, difference, time_copies
from needs import torch
from rich.console import Console
from rich.table import Table
from tilewright import kernels
from tutorials import CONFIGS, KINDS, compilers, fill_caches, finalists, operands, show_failed

# Adds tiles for few rows and small matmuls.
MORE_CONFIGS = (*CONFIGS, (64, 256, 64, 4, 4), (128, 64, 64, 4, 4), (64, 32, 64, 5, 4))


def name(dtype, shape, layout):
    """Returns the name of a matmul."""
    return f"{str(dtype).removeprefix('torch.')} {' x '.join(map(str, shape))} {layout}"


def measure(triton, dtype, shape, layout):
    """Returns one row of results."""
    M, N, K = shape
    copies = [operands(M, N, K, layout, dtype) for _ in range(copies_for(2 * M * N * K))]
    a, b, _ = copies[0]
    expected = torch.mm(a, b).float()
    quick, failed = finalists(triton, KINDS, layout, copies, MORE_CONFIGS, expected)
    calls = {
        "ours": [partial(kernels.matmul, a, b, out=c) for a, b, c in copies],
        "torch": [partial(torch.mm, a, b, out=c) for a, b, c in copies],
    }
    if quick:
        seconds = dict(zip(quick, time_copies(quick.values(), budget=1)))
        best = min(seconds, key=seconds.get)
        calls["triton"] = quick[best]
    # Times the best again: the times that chose it are biased by chance.
    seconds = dict(zip(calls, time_copies(calls.values())))
    row = {
        "name": name(dtype, shape, layout),
        "difference": difference(kernels.matmul(a, b), expected),
        **{which: 2e-12 * M * N * K / time for which, time in seconds.items()},
        "of torch": seconds["torch"] / seconds["ours"],
    }
    if quick:
        row |= {
            "of triton": seconds["triton"] / seconds["ours"],
            "triton's kernel": " ".join(map(str, (best[0], *best[1]))),
        }
    return row | ({"triton failed": failed} if failed else {})


def show(rows):
    """Prints the table, and geometric mean and minimum of the ratios."""
    table = Table(title="TFLOP/s: the library, cuBLAS and the best of Triton's tutorials")
    numbers = ("ours", "torch", "triton", "of torch", "of triton")
    for column in ("matmul", *numbers, "Triton's kernel"):
        table.add_column(column, justify="right" if column in numbers else "left")
    for row in rows:
        cells = [f"{row[key]:.{3 if 'of' in key else 1}f}" if key in row else "-" for key in numbers]
        table.add_row(row["name"], *cells, row.get("triton's kernel", "none"))
    Console(width=140).print(table)
    for key in ("of torch", "of triton"):
        ratios = [row[key] for row in rows if key in row]
        if ratios:
            mean = statistics.geometric_mean(ratios)
            print(f"{key}: geometric mean of {len(ratios)} ratios: {mean:.3f}, the least: {min(ratios):.3f}")
    for row in rows:
        if not row["difference"] <= 1e-2:
            print("WRONG:", row["name"], row["difference"])
        show_failed(f"triton {row['name']}", row.get("triton failed", ()))


def main():
    """Fills Triton's cache, measures, prints the table, writes the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="matmuls whose name contains this")
    parser.add_argument(
        "--dtype", nargs="*", default=("float16", "bfloat16"), choices=("float16", "bfloat16")
    )
    parser.add_argument("--workers", type=int, default=8, help="processes that fill the cache")
    parser.add_argument("--out", type=pathlib.Path, help=report.OUT)
    options = parser.parse_args()
    needs.torch_gpu()
    triton = next((compiler for compiler in compilers() if compiler.name == "triton"), None)
    if triton is None:
        parser.error("Triton is not installed")
    dtypes = [getattr(torch, name) for name in options.dtype]
    layouts = ("NT", "NN")
    fill_caches(product(["triton"], KINDS, MORE_CONFIGS, layouts, dtypes), options.workers)
    facts = report.facts(torch.cuda.get_device_name(), "torch", "triton")
    wanted = (case for case in product(dtypes, SHAPES, layouts) if options.only in name(*case))
    rows = (measure(triton, *case) for case in wanted)
    rows = report.gather(options.out, {"facts": facts, "unit": "TFLOP/s"}, rows)
    show(rows)
    if options.out:
        report.show(options.out)


if __name__ == "__main__":
    main()
