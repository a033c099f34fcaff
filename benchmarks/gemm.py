"""Times the matrix products of the library beside PyTorch's, which are cuBLAS's, in one run.

    python benchmarks/gemm.py [--only fp16] [--dtype float16 bfloat16] [--out gemm.json]

Random data; the L2 cache is flushed before each call; the libraries take turns, so that both see the same clocks. Each
time is a median; of products of up to 4096 cubed, for which it may matter where operands lie, that of several places in
memory, the more the smaller they are. Every result is compared with PyTorch's. Beside it stand the bytes of PTX of all
kernels of a product: the assembler's time goes with them.
"""

import argparse
import pathlib
import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import needs
import report
from launches import ptx_bytes
from needs import torch
from rich.console import Console
from rich.table import Table
from tilewright import kernels

SHAPES = (
    (512, 512, 512),
    (1024, 1024, 1024),
    (2048, 2048, 2048),
    (4096, 4096, 4096),
    (8192, 8192, 8192),
    (8192, 8192, 512),
    (16384, 16384, 4096),
    (16, 8192, 8192),
    (128, 8192, 8192),
    (4096, 4096, 16384),
    (3001, 3003, 3007),
)


@dataclass(frozen=True)
class Product:
    """One product: what it is called, its multiplications and additions, both ways to compute it, and pairs of such
    ways for operands elsewhere in memory.
    """

    name: str
    flops: float
    ours: Callable
    torch: Callable
    elsewhere: tuple = ()


def places_for(flops):
    """In how many places in memory a product is timed: a small one may take 15 % longer in one than in another."""
    return 16 if flops <= 2 * 1024**3 else 4 if flops <= 2 * 4096**3 else 1


def placed(name, flops, make):
    """The product that `make` makes both ways to compute of, for operands that it makes anew at each place."""
    places = [make() for _ in range(places_for(flops))]
    return Product(name, flops, *places[0], elsewhere=tuple(places[1:]))


def normal(*shape, dtype=torch.float16):
    """Random numbers on the GPU."""
    return torch.randn(*shape, device="cuda").to(dtype)


def plain(dtype):
    """The eleven shapes, with b contiguous along k (NT) or along n (NN)."""

    def calls(M, N, K, layout):
        a = normal(M, K, dtype=dtype)
        b = normal(N, K, dtype=dtype).T if layout == "NT" else normal(K, N, dtype=dtype)
        return lambda: kernels.matmul(a, b), lambda: torch.mm(a, b)

    for M, N, K in SHAPES:
        for layout in ("NT", "NN"):
            name = f"{str(dtype).removeprefix('torch.')} {M} x {N} x {K} {layout}"
            yield placed(name, 2 * M * N * K, partial(calls, M, N, K, layout))


def float32():
    """4096 cubed of float32, by threads, and rounded for tensor cores."""
    a, b = normal(4096, 4096, dtype=torch.float32), normal(4096, 4096, dtype=torch.float32).T

    def mm(tf32):
        torch.backends.cuda.matmul.allow_tf32 = tf32
        return torch.mm(a, b)

    for precision in ("ieee", "tf32", "tf32x3"):
        yield Product(
            f"float32 4096 cubed {precision}",
            2 * 4096**3,
            lambda precision=precision: kernels.matmul(a, b, precision=precision),
            lambda precision=precision: mm(precision == "tf32"),
        )


def eight_bits():
    """e4m3 4096 and 8192 cubed: scales of matrices and of rows, both kinds of sums; int8."""

    def calls(n, sides, fast):
        a, b = normal(n, n, dtype=torch.float8_e4m3fn), normal(n, n, dtype=torch.float8_e4m3fn).T
        scales = [torch.rand(*side, device="cuda") for side in sides]
        return (
            lambda: kernels.scaled_matmul(a, b, *scales, fast_accumulation=fast),
            lambda: torch._scaled_mm(a, b, *scales, out_dtype=torch.bfloat16, use_fast_accum=fast),
        )

    for n in (4096, 8192):
        matrix, rows = ((1, 1), (1, 1)), ((n, 1), (1, n))
        for kind, sides, fast in (("matrix", matrix, True), ("matrix", matrix, False), ("rows", rows, True)):
            name = f"e4m3 {n} cubed, scales of {kind}, {'fast' if fast else 'exact'}"
            yield placed(name, 2 * n**3, partial(calls, n, sides, fast))
    a, b = (torch.randint(-127, 128, (4096, 4096), device="cuda").to(torch.int8) for _ in range(2))
    yield Product(
        "int8 4096 cubed", 2 * 4096**3, lambda: kernels.matmul(a, b.T), lambda: torch._int_mm(a, b.T)
    )


def batched():
    """32 products of 1024 cubed."""

    def calls(layout):
        a, b = normal(32, 1024, 1024), normal(32, 1024, 1024)
        right = b if layout == "NN" else b.mT
        return lambda: kernels.matmul(a, right), lambda: torch.bmm(a, right)

    for layout in ("NN", "NT"):
        yield placed(f"float16 32 x 1024 cubed {layout}", 64 * 1024**3, partial(calls, layout))


def linear_gelu():
    """A linear layer with bias and GELU; PyTorch's fuses both into cuBLASLt's epilogue (tanh)."""

    def calls():
        x, weight, bias = normal(4096, 4096), normal(4096, 4096), normal(4096)
        return (
            lambda: kernels.matmul(x, weight.T, bias, "gelu_tanh"),
            lambda: torch._addmm_activation(bias, x, weight.T, use_gelu=True),
        )

    yield placed("float16 linear + bias + gelu 4096 cubed", 2 * 4096**3, calls)


def grouped():
    """8 groups of 2048 x 4096 x 2048."""
    a, b = normal(16384, 2048, dtype=torch.bfloat16), normal(8, 4096, 2048, dtype=torch.bfloat16).mT
    ends = torch.arange(1, 9, device="cuda", dtype=torch.int32) * 2048
    yield Product(
        "bfloat16 grouped 8 x (2048 x 4096 x 2048)",
        2 * 16384 * 4096 * 2048,
        lambda: kernels.grouped_matmul(a, b, ends),
        lambda: torch._grouped_mm(a, b, offs=ends),
    )


def gated():
    """SwiGLU of a large layer; PyTorch's takes four kernels."""
    x, gate, up = (
        normal(*shape, dtype=torch.bfloat16) for shape in [(4096, 4096), (14336, 4096), (14336, 4096)]
    )
    yield Product(
        "bfloat16 swiglu 4096 x 14336 x 4096",
        4 * 4096 * 14336 * 4096,
        lambda: kernels.gated_matmul(x, gate.T, up.T),
        lambda: torch.nn.functional.silu(x @ gate.T) * (x @ up.T),
    )


def in_turns(calls, rounds=200, budget=2.0):
    """Median seconds of each call. Each round goes in another order: where power limits the clocks, what ran before a
    call makes a difference.
    """
    # Long enough for the slowest of hosts to have enqueued the call behind it.
    flush = torch.empty(512 << 20, dtype=torch.int8, device="cuda")
    events = [[] for _ in calls]

    def once(call, kept):
        flush.zero_()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        kept.append((start, end))

    for call, kept in zip(calls, events):
        once(call, kept)
    torch.cuda.synchronize()
    slowest = max(kept[0][0].elapsed_time(kept[0][1]) for kept in events) * 1e-3
    pairs, order = list(zip(calls, events)), random.Random(0)
    for _ in range(int(min(rounds, max(5, budget / max(slowest * len(calls), 1e-4))))):
        order.shuffle(pairs)
        for call, kept in pairs:
            once(call, kept)
    torch.cuda.synchronize()
    return [statistics.median(start.elapsed_time(end) for start, end in kept[1:]) * 1e-3 for kept in events]


def in_places(ways, rounds=200, budget=2.0):
    """Median seconds of each way to compute something, a way being its calls at each place in memory."""
    places = list(zip(*ways))
    times = [in_turns(calls, rounds // len(places), budget / len(places)) for calls in places]
    return [statistics.median(each) for each in zip(*times)]


def difference(result, expected):
    """How far results are from those of PyTorch, relative to their norm."""
    return ((result.float() - expected).norm() / expected.norm()).item()


def measure(product):
    """One row of results. A peer that cannot run the product is a result, too."""
    result = product.ours().float()
    row = {"name": product.name, "PTX bytes": ptx_bytes(product.ours)}
    try:
        expected = product.torch().float()
    except (RuntimeError, AttributeError) as error:
        row["torch error"] = f"{type(error).__name__}: {error}".splitlines()[0][:160]
        row["ours"] = product.flops / in_turns([product.ours])[0] * 1e-12
        return row
    row["difference"] = difference(result, expected)
    del result, expected
    seconds = in_places(zip((product.ours, product.torch), *product.elsewhere))
    row["ours"], row["torch"] = (product.flops / time * 1e-12 for time in seconds)
    row["ratio"] = seconds[1] / seconds[0]
    return row


def show(rows):
    """Prints the table and the geometric mean of the ratios."""
    table = Table(title="TFLOP/s")
    for column in ("product", "ours", "torch", "ratio", "difference", "PTX kB"):
        table.add_column(column, justify="left" if column == "product" else "right")
    for row in rows:
        numbers = [f"{row[key]:.{digits}f}" if key in row else "-" for key, digits in
                   (("ours", 1), ("torch", 1), ("ratio", 3))]  # fmt: skip
        difference = f"{row['difference']:.1e}" if "difference" in row else "-"
        table.add_row(row["name"], *numbers, difference, f"{row['PTX bytes'] / 1e3:.1f}")
    Console(width=120).print(table)
    ratios = [row["ratio"] for row in rows if "ratio" in row]
    if ratios:
        print(f"geometric mean of {len(ratios)} ratios: {statistics.geometric_mean(ratios):.3f}")


def main():
    """Runs the products, prints the table, keeps the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="products whose name holds this")
    parser.add_argument(
        "--dtype", nargs="*", default=("float16", "bfloat16"), choices=("float16", "bfloat16")
    )
    parser.add_argument("--out", type=pathlib.Path, help=report.OUT)
    options = parser.parse_args()
    needs.torch_gpu()
    families = [lambda dtype=dtype: plain(getattr(torch, dtype)) for dtype in options.dtype]
    families += [float32, eight_bits, batched, linear_gelu, grouped, gated]

    def measured():
        for product in (each for family in families for each in family()):
            if options.only in product.name:
                row = measure(product)
                print({key: round(x, 5) if isinstance(x, float) else x for key, x in row.items()}, flush=True)
                yield row

    facts = report.facts(torch.cuda.get_device_name(), "torch")
    rows = report.gather(options.out, {"facts": facts, "unit": "TFLOP/s"}, measured())
    show(rows)
    if options.out:
        report.show(options.out)


if __name__ == "__main__":
    main()
