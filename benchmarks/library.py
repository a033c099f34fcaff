"""Times every declared kernel of the library.

    python benchmarks/library.py [--backend cuda|cpu] [--only softmax] [--out results.json]

A row has the median time of a call, the minimum traffic over the time as a fraction of the measured copy bandwidth, and
the rate of floating-point operations as a fraction of the highest measured rate of its dtype. The problems are the
workloads of the declarations. On a GPU the arrays are tensors of PyTorch.
"""

import argparse
import pathlib
import platform

import ml_dtypes
import numpy as np
import report
from rich.console import Console
from rich.table import Table
from tilewright.kernels import declarations
from tilewright.kernels._declaration import samples
from timing import cpu_time, gpu_time

#: Elements of the arrays whose copy is timed.
COPIED = {"cpu": 1 << 24, "cuda": 1 << 29}


def numpy_dtype(name):
    """Returns the dtype of this name, including those of ml_dtypes."""
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def on_gpu(values):
    """Returns a tensor on the GPU with the values of an array."""
    import torch

    if hasattr(ml_dtypes, values.dtype.name):  # their bits
        bits = torch.from_numpy(values.view(f"u{values.itemsize}"))
        return bits.view(getattr(torch, values.dtype.name)).cuda()
    return torch.from_numpy(values).cuda()


def arguments_of(declaration, backend):
    """Returns the arguments of the workload, and its sample and dtype."""
    sample, dtype = declaration.workloads["gpu" if backend == "cuda" else "cpu"]
    given = samples.make(declaration, sample, dtype, np.random.default_rng(0))
    for name, value in given.items():
        if isinstance(value, tuple):
            values = np.asarray(value[0]).astype(numpy_dtype(value[1]))
            given[name] = on_gpu(values) if backend == "cuda" else values
    return given, sample, dtype


def copy_bandwidth(backend):
    """Returns the bytes read and written by a second of copying a large array."""
    if backend == "cuda":
        import torch

        source = torch.zeros(COPIED[backend], device="cuda")
        target = torch.empty_like(source)
        return 2 * source.nbytes / gpu_time(lambda: target.copy_(source))
    source, target = (np.zeros(COPIED[backend], np.float32) for _ in range(2))
    return 2 * source.nbytes / cpu_time(lambda: np.copyto(target, source))


def measure(declaration, backend, bandwidth):
    """Returns a row of results."""
    given, sample, dtype = arguments_of(declaration, backend)
    cost = declaration.cost(**given)
    seconds = (gpu_time if backend == "cuda" else cpu_time)(lambda: declaration.function(**given))
    return {
        "kernel": declaration.name,
        "shape": samples.described(sample),
        "dtype": dtype,
        "unit": "fraction of copy bandwidth, or of the highest rate of the dtype",
        "seconds": seconds,
        "bytes": cost.bytes,
        "flops": cost.flops,
        "GB/s": round(cost.bytes / seconds * 1e-9, 2),
        "of copy": round(cost.bytes / seconds / bandwidth, 3),
        "TFLOP/s": round(cost.flops / seconds * 1e-12, 3),
    }


def add_fractions(rows):
    """Adds the fraction of the highest rate of floating-point operations of each dtype, its measured peak."""
    peaks = {}
    for row in rows:
        peaks[row["dtype"]] = max(peaks.get(row["dtype"], 0), row["TFLOP/s"])
    for row in rows:
        if row["flops"]:
            row["of peak"] = round(row["TFLOP/s"] / peaks[row["dtype"]], 3)
        row["share"] = row.get("of peak", row["of copy"])


def show(rows):
    """Prints the table."""
    table = Table(title="library")
    names = ("kernel", "shape", "dtype", "us", "GB/s", "of copy", "TFLOP/s", "of peak")
    for name in names:
        table.add_column(name, justify="left" if name in names[:3] else "right")
    for row in rows:
        cells = {name: str(row[name]) if row.get(name) else "-" for name in names if name != "us"}
        cells["us"] = f"{row['seconds'] * 1e6:.0f}"
        table.add_row(*(cells[name] for name in names))
    Console(width=140).print(table)


def main():
    """Runs the workloads, prints the table, writes the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--backend", choices=("cuda", "cpu"), default="cpu")
    parser.add_argument("--only", default="", help="kernels whose name contains this")
    parser.add_argument("--out", type=pathlib.Path, help=report.OUT)
    options = parser.parse_args()
    bandwidth = copy_bandwidth(options.backend)
    if options.backend == "cuda":
        import torch

        facts = report.facts(
            torch.cuda.get_device_name(), "torch", **{"copy GB/s": round(bandwidth * 1e-9, 1)}
        )
    else:
        device = f"{platform.machine()} {platform.processor()}".strip()
        facts = report.facts(device, **{"copy GB/s": round(bandwidth * 1e-9, 1)})
    found = [declaration for name, declaration in declarations().items() if options.only in name]
    rows = [measure(declaration, options.backend, bandwidth) for declaration in found]
    add_fractions(rows)
    if options.out:
        report.keep(options.out, {"facts": facts, "rows": rows})
    print("; ".join(f"{key}: {value}" for key, value in facts.items()))
    show(rows)


if __name__ == "__main__":
    main()
