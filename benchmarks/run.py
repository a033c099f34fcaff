"""Times the kernels of the library against their peers in one run.

    python benchmarks/run.py [--backend cuda|cpu] [--only softmax] [--out results.json]

On a GPU the peers are PyTorch and the same sources compiled by Triton; on the CPU, NumPy. Each time is a median. Speed is
GB/s of the minimum traffic, or TFLOP/s if arithmetic is the limit. On a GPU the table also has the bytes of PTX of all
kernels of a case, with which the time of the assembler grows.
"""

import argparse
import importlib
import pathlib
import platform

import numpy as np
import report
from launches import ptx_bytes
from peers import triton_kernels
from rich.console import Console
from rich.table import Table
from tilewright import kernels
from timing import cpu_time, gpu_time

FAMILIES = ("elementwise", "activation", "softmax", "norm", "gemm", "attention")


def all_cases(gpu, only):
    """Yields the cases of every family whose kernel's name contains ``only``."""
    for family in FAMILIES:
        for case in importlib.import_module(f"tilewright.kernels.{family}.benchmark").cases(gpu):
            if only in case.kernel:
                yield case


def speed(case, seconds):
    """Returns the speed of a case and its unit."""
    if case.flops:
        return case.flops / seconds * 1e-12, "TFLOP/s"
    return case.bytes / seconds * 1e-9, "GB/s"


def gpu_runners(case, peers):
    """Returns one call for each library, with operands on the GPU."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    dtype = getattr(torch, case.dtype)
    operands = case.make(lambda *shape: torch.randn(*shape, device="cuda", dtype=dtype))
    runners = {"tilewright": lambda: case.run(kernels, *operands)}
    if case.torch:
        runners["torch"] = lambda: case.torch(*operands)
    if peers:
        runners["triton"] = lambda: case.run(peers, *operands)
    return runners


def cpu_runners(case):
    """Returns one call for each library, with operands in NumPy arrays."""
    rng = np.random.default_rng(0)
    operands = case.make(lambda *shape: rng.standard_normal(shape, dtype=case.dtype))
    runners = {"tilewright": lambda: case.run(kernels, *operands)}
    if case.numpy:
        runners["numpy"] = lambda: case.numpy(*operands)
    return runners


def copy_bandwidth():
    """Returns GB/s of a large copy on the GPU; counts bytes read and written."""
    import torch

    source = torch.randn(1 << 29, device="cuda")
    target = torch.empty_like(source)
    return 2 * source.numel() * 4 / gpu_time(lambda: target.copy_(source)) * 1e-9


def describe(gpu):
    """Returns hardware, versions and command of this run."""
    if not gpu:
        return report.facts(f"{platform.machine()} {platform.processor()}".strip())
    import torch

    bandwidth = round(copy_bandwidth(), 1)
    return report.facts(torch.cuda.get_device_name(), "torch", "triton", **{"copy GB/s": bandwidth})


def measure(case, gpu, peers):
    """Returns one row of results: the seconds of each library, or its error."""
    row = {"kernel": case.kernel, "shape": case.shape, "dtype": case.dtype, "unit": speed(case, 1)[1]}
    runners = gpu_runners(case, peers) if gpu else cpu_runners(case)
    for name, call in runners.items():
        try:
            seconds = gpu_time(call) if gpu else cpu_time(call)
        except Exception as error:  # A peer that cannot run the case is a result, too.
            if name == "tilewright":
                raise
            row[f"{name} error"] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            continue
        if name == "tilewright":
            row["PTX bytes"] = ptx_bytes(call)
        row[f"{name} s"] = seconds
        row[name] = round(speed(case, seconds)[0], 2)
    return row


def show(rows, names):
    """Prints the table."""
    table = Table(title="speed: higher is better")
    for column in ("kernel", "shape", "dtype", *names, "unit", "PTX kB"):
        table.add_column(column, justify="right" if column in (*names, "PTX kB") else "left")
    for row in rows:
        cells = [f"{row[name]:.1f}" if name in row else "-" for name in names]
        size = f"{row['PTX bytes'] / 1e3:.1f}" if row["PTX bytes"] else "-"
        table.add_row(row["kernel"], row["shape"], row["dtype"], *cells, row["unit"], size)
    Console(width=110).print(table)


def main():
    """Runs the cases, prints the table, writes the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--backend", choices=("cuda", "cpu"), default="cpu")
    parser.add_argument("--only", default="", help="cases whose kernel's name contains this")
    parser.add_argument("--out", type=pathlib.Path, help=report.OUT)
    options = parser.parse_args()
    gpu = options.backend == "cuda"
    peers = triton_kernels() if gpu else None
    facts = describe(gpu)
    rows = [measure(case, gpu, peers) for case in all_cases(gpu, options.only)]
    if options.out:
        report.keep(options.out, {"facts": facts, "rows": rows})
    print("; ".join(f"{key}: {value}" for key, value in facts.items()))
    show(rows, ["tilewright", *(("torch", "triton") if gpu else ("numpy",))])


if __name__ == "__main__":
    main()
