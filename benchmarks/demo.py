"""Compiles and runs the kernels on every back end of this machine, times and checks them.

    python benchmarks/demo.py [--code DIRECTORY]

Prints a table of the kernels with their speed, their error and the files of the generated code. The error is the norm of
the difference to float64, over the norm of the reference.
"""

import argparse
import os
import pathlib
import time
from types import SimpleNamespace

import numpy as np
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from rich.table import Table
from run import all_cases, speed
from tilewright import kernels
from timing import cpu_time, gpu_time


def references():
    """Returns the float64 references, with the interface of `tilewright.kernels`."""
    return SimpleNamespace(**{name: found.reference for name, found in kernels.declarations().items()})


def has_gpu():
    """Whether PyTorch is installed and sees a GPU."""
    try:
        import torch
    except ImportError:
        return False
    return torch.cuda.is_available()


def relative_error(result, reference):
    """Returns the norm of the difference over the norm of the reference."""
    difference = result - reference
    return float(((difference * difference).sum() / (reference * reference).sum()) ** 0.5)


def run_on_cpu(case):
    """Returns the seconds of the first call and of a later one, and the error."""
    rng = np.random.default_rng(0)
    operands = case.make(lambda *shape: rng.standard_normal(shape, dtype=case.dtype))
    begun = time.perf_counter()
    result = case.run(kernels, *operands)
    first = time.perf_counter() - begun
    error = relative_error(result.astype(np.float64), case.run(references(), *operands))
    return first, cpu_time(lambda: case.run(kernels, *operands), budget=0.5), error


def run_on_gpu(case):
    """As `run_on_cpu`, for a GPU; the reference is PyTorch in float64."""
    import torch

    dtype = getattr(torch, case.dtype)
    torch.manual_seed(0)
    operands = case.make(lambda *shape: torch.randn(*shape, device="cuda", dtype=dtype))
    torch.cuda.synchronize()
    begun = time.perf_counter()
    result = case.run(kernels, *operands)
    torch.cuda.synchronize()
    first = time.perf_counter() - begun
    error = relative_error(result.double(), case.torch(*(operand.double() for operand in operands)))
    return first, gpu_time(lambda: case.run(kernels, *operands), budget=0.5), error


def duration(seconds):
    """Formats a time in us or ms."""
    return f"{seconds * 1e6:.0f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


def rows(backends, code, progress):
    """Yields one row of the table for each case."""
    cases = [(backend, case) for backend in backends for case in all_cases(backend == "cuda", "")]
    task = progress.add_task("", total=len(cases))
    for backend, case in cases:
        progress.update(task, description=f"{case.kernel}, {case.shape}, {case.dtype}, {backend}")
        before = set(code.iterdir())
        first, seconds, error = (run_on_gpu if backend == "cuda" else run_on_cpu)(case)
        stems = sorted({path.stem for path in set(code.iterdir()) - before})
        value, unit = speed(case, seconds)
        yield (
            *(case.kernel, case.shape, case.dtype, backend, duration(first), duration(seconds)),
            *(f"{value:.3g} {unit}", f"{error:.1e}", ", ".join(stems)),
        )
        progress.advance(task)


def main():
    """Runs the cases and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--code", type=pathlib.Path, default="build/demo", help="directory for generated code"
    )
    code = parser.parse_args().code
    code.mkdir(parents=True, exist_ok=True)
    for old in code.iterdir():
        old.unlink()
    os.environ["TILEWRIGHT_DUMP_DIR"] = str(code)

    backends = ["cpu", "cuda"] if has_gpu() else ["cpu"]
    console = Console()
    table = Table(title="Tilewright's kernels on this machine")
    for column in ("kernel", "shape", "dtype", "on", "first call", "time", "speed", "error", "code"):
        table.add_column(
            column, justify="right" if column in ("first call", "time", "speed", "error") else "left"
        )
    columns = (SpinnerColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as progress:
        for row in rows(backends, code, progress):
            table.add_row(*row)
    # In a log the table is not limited to the width of a terminal.
    (console if console.is_terminal else Console(width=150)).print(table)
    print(f"error: relative to float64. Generated code: {code}/<code>.<stage>, e.g. .tile, .llvm, .ptx")
    if "cuda" not in backends:
        print("No GPU, or no PyTorch that sees one: ran on the CPU alone.")


if __name__ == "__main__":
    main()
