"""Times the linear layers of language models against PyTorch's matmuls, which are cuBLAS's, in one run.

    python benchmarks/layers.py [--rows 1 16 4096] [--dtype bfloat16] [--out layers.json]

It computes x @ weight.T for the weights in `WEIGHTS`. x has from one row (a token to decode) to 4096 rows (a prompt).
The method is that of `gemm.py`. A line of the table is the geometric mean over the layers.
"""

import argparse
import concurrent.futures
import pathlib
from statistics import geometric_mean

import needs
import report
from gemm import Matmul, measure
from needs import torch
from rich.console import Console
from rich.table import Table
from tilewright import kernels

# Columns and k of the weights of models of 0.1 to 70 billion parameters, whole or divided among devices: attention and
# feed-forward layers, low-rank projections, and the vocabulary projection.
WEIGHTS = (
    (768, 768),
    (2304, 768),
    (3072, 768),
    (768, 3072),
    (3584, 3584),
    (4608, 3584),
    (3584, 18944),
    (4096, 4096),
    (6144, 4096),
    (28672, 4096),
    (32000, 4096),
    (4096, 14336),
    (5120, 5120),
    (13824, 5120),
    (576, 7168),
    (2112, 7168),
    (4096, 7168),
    (7168, 2048),
    (24576, 1536),
    (7168, 16384),
    (1280, 8192),
    (8192, 1024),
    (7168, 8192),
    (8192, 3584),
    (10240, 8192),
)
ROWS = (1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)


def layer(x, weight):
    """Returns the matmul of one layer."""
    M, (N, K) = x.shape[0], weight.shape
    return Matmul(
        f"{M} x {N} x {K}",
        2 * M * N * K,
        lambda: kernels.matmul(x, weight.T),
        lambda: torch.mm(x, weight.T),
    )


def summary(rows, matmuls):
    """Returns one line: means over the layers, and the extremes of the ratios of times."""
    ratios = [matmul["ratio"] for matmul in matmuls]
    return {
        "name": f"{rows} {'row' if rows == 1 else 'rows'}",
        "ours": geometric_mean([matmul["ours"] for matmul in matmuls]),
        "torch": geometric_mean([matmul["torch"] for matmul in matmuls]),
        "ratio": geometric_mean(ratios),
        "least": min(ratios),
        "greatest": max(ratios),
        "difference": max(matmul["difference"] for matmul in matmuls),
    }


def show(lines):
    """Prints the table."""
    table = Table(title="TFLOP/s, geometric means over the layers")
    for column in ("rows", "ours", "torch", "ratio", "least", "greatest", "difference"):
        table.add_column(column, justify="right")
    for line in lines:
        numbers = [f"{line[key]:.3f}" for key in ("ratio", "least", "greatest")]
        table.add_row(
            line["name"], f"{line['ours']:.1f}", f"{line['torch']:.1f}", *numbers, f"{line['difference']:.1e}"
        )
    Console(width=120).print(table)


def main():
    """Times the layers, prints the table, writes the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", nargs="*", type=int, default=ROWS, help="rows of x")
    parser.add_argument("--dtype", default="bfloat16", choices=("float16", "bfloat16"))
    parser.add_argument("--out", type=pathlib.Path, help=report.OUT)
    options = parser.parse_args()
    needs.torch_gpu()
    how = {"device": "cuda", "dtype": getattr(torch, options.dtype)}
    weights = [torch.randn(*shape, **how) for shape in WEIGHTS]
    cases = {
        rows: [(torch.randn(rows, weight.shape[1], **how), weight) for weight in weights]
        for rows in options.rows
    }
    # Kernels compile in parallel: compilation releases Python's lock.
    with concurrent.futures.ThreadPoolExecutor() as pool:
        every = [case for some in cases.values() for case in some]
        list(pool.map(lambda case: kernels.matmul(case[0], case[1].T), every))
    results = {rows: [measure(layer(x, weight)) for x, weight in some] for rows, some in cases.items()}
    lines = [summary(rows, some) for rows, some in results.items()]
    show(lines)
    if options.out:
        facts = report.facts(torch.cuda.get_device_name(), "torch", dtype=options.dtype)
        every = [matmul for some in results.values() for matmul in some]
        report.keep(options.out, {"facts": facts, "unit": "TFLOP/s", "rows": lines, "products": every})


if __name__ == "__main__":
    main()
