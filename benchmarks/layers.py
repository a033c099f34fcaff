"""Times the linear layers of language models beside PyTorch's products, which are cuBLAS's, in one run.

    python benchmarks/layers.py [--rows 1 16 4096] [--dtype bfloat16] [--out layers.json]

x @ weight.T for the weights of some two dozen layers and from one row of x, a token to decode, to 4096, a prompt.
Random data; the L2 cache is flushed before each call; the libraries take turns. Each time is a median; results are
compared with PyTorch's. A line is the geometric mean over the layers. Under a minute on an H100.
"""

import argparse
import concurrent.futures
import pathlib
from statistics import geometric_mean

import needs
import report
from gemm import Product, measure
from needs import torch
from rich.console import Console
from rich.table import Table
from tilewright import kernels

# Columns and k of the weights: attention and feed-forward layers of models of 0.1 to 70 billion parameters, whole
# or divided among devices, low-rank projections, and the vocabulary's.
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
    """One product."""
    M, (N, K) = x.shape[0], weight.shape
    return Product(
        f"{M} x {N} x {K}",
        2 * M * N * K,
        lambda: kernels.matmul(x, weight.T),
        lambda: torch.mm(x, weight.T),
    )


def summary(rows, products):
    """One line: means over the layers, and the extremes of what we take of the other's time."""
    ratios = [product["ratio"] for product in products]
    return {
        "name": f"{rows} {'row' if rows == 1 else 'rows'}",
        "ours": geometric_mean([product["ours"] for product in products]),
        "torch": geometric_mean([product["torch"] for product in products]),
        "ratio": geometric_mean(ratios),
        "least": min(ratios),
        "greatest": max(ratios),
        "difference": max(product["difference"] for product in products),
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
    """Runs the products, prints the table, keeps the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", nargs="*", type=int, default=ROWS, help="rows of x")
    parser.add_argument("--dtype", default="bfloat16", choices=("float16", "bfloat16"))
    parser.add_argument("--out", type=pathlib.Path, help=report.OUT)
    options = parser.parse_args()
    needs.torch_gpu()
    how = {"device": "cuda", "dtype": getattr(torch, options.dtype)}
    weights = [torch.randn(*sides, **how) for sides in WEIGHTS]
    cases = {
        rows: [(torch.randn(rows, weight.shape[1], **how), weight) for weight in weights]
        for rows in options.rows
    }
    # Kernels compile side by side, without Python's lock.
    with concurrent.futures.ThreadPoolExecutor() as pool:
        every = [case for some in cases.values() for case in some]
        list(pool.map(lambda case: kernels.matmul(case[0], case[1].T), every))
    products = {rows: [measure(layer(x, weight)) for x, weight in some] for rows, some in cases.items()}
    lines = [summary(rows, some) for rows, some in products.items()]
    show(lines)
    if options.out:
        facts = report.facts(torch.cuda.get_device_name(), "torch", dtype=options.dtype)
        every = [product for some in products.values() for product in some]
        report.keep(options.out, {"facts": facts, "unit": "TFLOP/s", "rows": lines, "products": every})


if __name__ == "__main__":
    main()
