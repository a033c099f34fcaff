"""Times the matmuls of the library against PyTorch's, which are cuBLAS's, in one run.

    python benchmarks/gemm.py [--only fp16] [--dtype float16 bfloat16] [--out gemm.json]

The data is random, and the L2 cache is flushed before each call. Calls of the libraries are interleaved, so that both
see the same clock rate. Each time is a median. Small matmuls depend on the addresses of their operands. So up to 4096
cubed the time is the median over several copies of the operands. Every result is compared with PyTorch's. The table also
has the bytes of PTX of all kernels of a matmul, with which the time of the assembler grows.
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
class Matmul:
    """One matmul.

    Attributes:
        name: text for the table.
        flops: number of multiplications and additions.
        ours, torch: calls of the two libraries.
        copies: pairs of such calls for copies of the operands at other addresses.
    """

    name: str
    flops: float
    ours: Callable
    torch: Callable
    copies: tuple = ()


def copies_for(flops):
    """Returns the number of operand copies to time; see benchmarks/notes/kernel-library.md."""
    return 16 if flops <= 2 * 1024**3 else 4 if flops <= 2 * 4096**3 else 1


def with_copies(name, flops, make):
    """Returns the matmul whose calls `make` returns; each call of `make` allocates new operands."""
    pairs = [make() for _ in range(copies_for(flops))]
    return Matmul(name, flops, *pairs[0], copies=tuple(pairs[1:]))


def normal(*shape, dtype=torch.float16):
    """Random numbers on the GPU."""
    return torch.randn(*shape, device="cuda").to(dtype)


def plain(dtype):
    """The shapes of `SHAPES`, with b contiguous along k (NT) or along n (NN)."""

    def calls(M, N, K, layout):
        a = normal(M, K, dtype=dtype)
        b = normal(N, K, dtype=dtype).T if layout == "NT" else normal(K, N, dtype=dtype)
        return lambda: kernels.matmul(a, b), lambda: torch.mm(a, b)

    for M, N, K in SHAPES:
        for layout in ("NT", "NN"):
            name = f"{str(dtype).removeprefix('torch.')} {M} x {N} x {K} {layout}"
            yield with_copies(name, 2 * M * N * K, partial(calls, M, N, K, layout))


def float32():
    """float32 4096 cubed, on CUDA cores and in TF32 on tensor cores."""
    a, b = normal(4096, 4096, dtype=torch.float32), normal(4096, 4096, dtype=torch.float32).T

    def mm(tf32):
        torch.backends.cuda.matmul.allow_tf32 = tf32
        return torch.mm(a, b)

    for precision in ("ieee", "tf32", "tf32x3"):
        yield Matmul(
            f"float32 4096 cubed {precision}",
            2 * 4096**3,
            lambda precision=precision: kernels.matmul(a, b, precision=precision),
            lambda precision=precision: mm(precision == "tf32"),
        )


def eight_bits():
    """e4m3 4096 and 8192 cubed, with scales per matrix and per row and both kinds of accumulation; int8."""

    def calls(n, shapes, fast):
        a, b = normal(n, n, dtype=torch.float8_e4m3fn), normal(n, n, dtype=torch.float8_e4m3fn).T
        scales = [torch.rand(*shape, device="cuda") for shape in shapes]
        return (
            lambda: kernels.scaled_matmul(a, b, *scales, fast_accumulation=fast),
            lambda: torch._scaled_mm(a, b, *scales, out_dtype=torch.bfloat16, use_fast_accum=fast),
        )

    for n in (4096, 8192):
        matrix, rows = ((1, 1), (1, 1)), ((n, 1), (1, n))
        for kind, shapes, fast in (("matrix", matrix, True), ("matrix", matrix, False), ("rows", rows, True)):
            name = f"e4m3 {n} cubed, scales of {kind}, {'fast' if fast else 'exact'}"
            yield with_copies(name, 2 * n**3, partial(calls, n, shapes, fast))
    a, b = (torch.randint(-127, 128, (4096, 4096), device="cuda").to(torch.int8) for _ in range(2))
    yield Matmul(
        "int8 4096 cubed", 2 * 4096**3, lambda: kernels.matmul(a, b.T), lambda: torch._int_mm(a, b.T)
    )


def batched():
    """A batch of 32 matmuls of 1024 cubed."""

    def calls(layout):
        a, b = normal(32, 1024, 1024), normal(32, 1024, 1024)
        right = b if layout == "NN" else b.mT
        return lambda: kernels.matmul(a, right), lambda: torch.bmm(a, right)

    for layout in ("NN", "NT"):
        yield with_copies(f"float16 32 x 1024 cubed {layout}", 64 * 1024**3, partial(calls, layout))


def linear_gelu():
    """A linear layer with bias and GELU; PyTorch fuses both into the epilogue of cuBLASLt (tanh)."""

    def calls():
        x, weight, bias = normal(4096, 4096), normal(4096, 4096), normal(4096)
        return (
            lambda: kernels.matmul(x, weight.T, bias, "gelu_tanh"),
            lambda: torch._addmm_activation(bias, x, weight.T, use_gelu=True),
        )

    yield with_copies("float16 linear + bias + gelu 4096 cubed", 2 * 4096**3, calls)


def grouped():
    """8 groups of 2048 x 4096 x 2048."""
    a, b = normal(16384, 2048, dtype=torch.bfloat16), normal(8, 4096, 2048, dtype=torch.bfloat16).mT
    ends = torch.arange(1, 9, device="cuda", dtype=torch.int32) * 2048
    yield Matmul(
        "bfloat16 grouped 8 x (2048 x 4096 x 2048)",
        2 * 16384 * 4096 * 2048,
        lambda: kernels.grouped_matmul(a, b, ends),
        lambda: torch._grouped_mm(a, b, offs=ends),
    )


def gated():
    """SwiGLU of a large layer; PyTorch launches four kernels."""
    x, gate, up = (
        normal(*shape, dtype=torch.bfloat16) for shape in [(4096, 4096), (14336, 4096), (14336, 4096)]
    )
    yield Matmul(
        "bfloat16 swiglu 4096 x 14336 x 4096",
        4 * 4096 * 14336 * 4096,
        lambda: kernels.gated_matmul(x, gate.T, up.T),
        lambda: torch.nn.functional.silu(x @ gate.T) * (x @ up.T),
    )


def time_interleaved(calls, rounds=200, budget=2.0):
    """Returns the median seconds of each call; rounds interleave the calls.

    Each round has another order: if power limits the clock rate, the preceding call affects the time.
    """
    # The flush takes long enough for the slowest host to enqueue the call after it.
    flush = torch.empty(512 << 20, dtype=torch.int8, device="cuda")
    events = [[] for _ in calls]

    def once(call, recorded):
        flush.zero_()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        recorded.append((start, end))

    for call, recorded in zip(calls, events):
        once(call, recorded)
    torch.cuda.synchronize()
    slowest = max(recorded[0][0].elapsed_time(recorded[0][1]) for recorded in events) * 1e-3
    pairs, order = list(zip(calls, events)), random.Random(0)
    for _ in range(int(min(rounds, max(5, budget / max(slowest * len(calls), 1e-4))))):
        order.shuffle(pairs)
        for call, recorded in pairs:
            once(call, recorded)
    torch.cuda.synchronize()
    return [
        statistics.median(start.elapsed_time(end) for start, end in recorded[1:]) * 1e-3
        for recorded in events
    ]


def time_copies(variants, rounds=200, budget=2.0):
    """Returns the median seconds of each variant, given as its calls for each copy of the operands."""
    copies = list(zip(*variants))
    times = [time_interleaved(calls, rounds // len(copies), budget / len(copies)) for calls in copies]
    return [statistics.median(each) for each in zip(*times)]


def difference(result, expected):
    """Returns the norm of the difference, relative to the norm of the expected result."""
    return ((result.float() - expected).norm() / expected.norm()).item()


def measure(matmul):
    """Returns one row of results. If PyTorch cannot run the matmul, the row has its error."""
    result = matmul.ours().float()
    row = {"name": matmul.name, "PTX bytes": ptx_bytes(matmul.ours)}
    try:
        expected = matmul.torch().float()
    except (RuntimeError, AttributeError) as error:
        row["torch error"] = f"{type(error).__name__}: {error}".splitlines()[0][:160]
        row["ours"] = matmul.flops / time_interleaved([matmul.ours])[0] * 1e-12
        return row
    row["difference"] = difference(result, expected)
    del result, expected
    seconds = time_copies(zip((matmul.ours, matmul.torch), *matmul.copies))
    row["ours"], row["torch"] = (matmul.flops / time * 1e-12 for time in seconds)
    row["ratio"] = seconds[1] / seconds[0]
    return row


def show(rows):
    """Prints the table and the geometric mean of the ratios."""
    table = Table(title="TFLOP/s")
    for column in ("matmul", "ours", "torch", "ratio", "difference", "PTX kB"):
        table.add_column(column, justify="left" if column == "matmul" else "right")
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
    """Times the matmuls, prints the table, writes the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="matmuls whose name contains this")
    parser.add_argument(
        "--dtype", nargs="*", default=("float16", "bfloat16"), choices=("float16", "bfloat16")
    )
    parser.add_argument("--out", type=pathlib.Path, help=report.OUT)
    options = parser.parse_args()
    needs.torch_gpu()
    families = [lambda dtype=dtype: plain(getattr(torch, dtype)) for dtype in options.dtype]
    families += [float32, eight_bits, batched, linear_gelu, grouped, gated]

    def measured():
        for matmul in (each for family in families for each in family()):
            if options.only in matmul.name:
                row = measure(matmul)
                print({key: round(x, 5) if isinstance(x, float) else x for key, x in row.items()}, flush=True)
                yield row

    facts = report.facts(torch.cuda.get_device_name(), "torch")
    rows = report.gather(options.out, {"facts": facts, "unit": "TFLOP/s"}, measured())
    show(rows)
    if options.out:
        report.show(options.out)


if __name__ == "__main__":
    main()
