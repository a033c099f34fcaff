"""Times what a launch costs the program, beside its peers, in one run.

    python benchmarks/host.py [--out host.json]

Each row is the median time of a call, over batches that the queue of the device holds without waiting. The rows take
turns, a batch of each, so that they compare even where the clock of the processor changes meanwhile. The first row is
the driver's own call from C, the second one what the library of the arrays takes to say by DLPack where eight of them
are and what its stream is. Kernels do nothing, or next to nothing.
"""

import argparse
import importlib.util
import pathlib
import statistics
import time

import host_bare
import host_kernels
import needs
import numpy as np
import report
import tilewright as tw
import tilewright.language as tl
from imports import import_time
from rich.console import Console
from rich.markup import escape
from rich.table import Table

BATCH, ROUNDS = 200, 60


def batch_of(call, batch=BATCH):
    """A function that makes a batch of calls and gives the seconds of one. Calls once now: what fails, fails here."""
    call()

    def measure():
        begun = time.perf_counter()
        for _ in range(batch):
            call()
        return (time.perf_counter() - begun) / batch

    return measure


def in_turns(rows, wait):
    """Medians of what the functions `rows` give, by name; None for those that are None. After each the device is
    waited for, outside of the time."""
    times = {name: [] for name in rows}
    for number in range(ROUNDS + 1):
        for name, measure in rows.items():
            if measure is None:
                continue
            seconds = measure()
            wait()
            if number > 0:  # the first round warms up
                times[name].append(seconds)
    return [(name, statistics.median(found) if found else None) for name, found in times.items()]


def empty_rows(arrays):
    """An empty kernel with eight arrays: kernel[grid](...), a kept launcher, bound, and in a graph."""
    a, b, c, d, e, f, g, h = arrays
    kernel, grid = host_kernels.empty(tw, tl), (1,)
    compiled = kernel[grid](a, b, c, d, e, f, g, h)
    yield "cuLaunchKernelEx from C", host_bare.launch(compiled, arrays, BATCH)
    yield "8 arrays and the stream from C", host_bare.exchange(arrays, BATCH)
    yield "tilewright bound", batch_of(kernel.bind(grid, a, b, c, d, e, f, g, h))
    yield "tilewright kernel[grid](...)", batch_of(lambda: kernel[grid](a, b, c, d, e, f, g, h))
    launch = kernel[grid]
    yield "tilewright kept kernel[grid]", batch_of(lambda: launch(a, b, c, d, e, f, g, h))
    graph = tw.Graph()
    with graph.capture():
        for _ in range(100):
            kernel[grid](a, b, c, d, e, f, g, h)
    measure = batch_of(graph.launch, batch=5)
    yield "tilewright in a graph of 100", lambda: measure() / 100


def own_arrays_row():
    """The same with arrays of ours."""
    a, b, c, d, e, f, g, h = (tw.empty(64, np.float32, 0) for _ in range(8))
    kernel, grid = host_kernels.empty(tw, tl), (1,)
    yield "tilewright arrays", batch_of(lambda: kernel[grid](a, b, c, d, e, f, g, h))


def descriptor_rows(make):
    """Four tensor maps: made of pointers in the kernel, given as descriptors, and bound."""
    n = 256
    a, b, c, out = (make((n, n)) for _ in range(4))
    kernel, grid = host_kernels.products(tw, tl), (2, 2)
    yield (
        "tilewright 4 tensor maps",
        batch_of(lambda: kernel[grid](a, b, c, out, n, n, n, BM=128, BN=128, BK=64)),
    )
    yield (
        "tilewright 4 tensor maps, bound",
        batch_of(kernel.bind(grid, a, b, c, out, n, n, n, BM=128, BN=128, BK=64)),
    )
    descriptors = host_kernels.products_of_descriptors(tw, tl)
    ad, bd, cd = (tw.TensorDescriptor.from_tensor(x, [128, 64]) for x in (a, b, c))
    od = tw.TensorDescriptor.from_tensor(out, [128, 128])
    yield (
        "tilewright 4 descriptors",
        batch_of(lambda: descriptors[grid](ad, bd, cd, od, n, BM=128, BN=128, BK=64)),
    )
    # A dict costs the interpreter a copy and a tuple of its keys.
    blocks = {"BM": 128, "BN": 128, "BK": 64}
    yield (
        "tilewright 4 descriptors, **dict",
        batch_of(lambda: descriptors[grid](ad, bd, cd, od, n, **blocks)),
    )
    bound = descriptors.bind(grid, ad, bd, cd, od, n, **blocks)
    yield "tilewright 4 descriptors, bound", batch_of(bound)


def triton_rows(arrays, make):
    """Triton's launches of the same sources."""
    import triton
    import triton.language
    from triton.tools.tensor_descriptor import TensorDescriptor

    a, b, c, d, e, f, g, h = arrays
    empty = host_kernels.empty(triton, triton.language)
    yield "triton kernel[grid](...)", batch_of(lambda: empty[(1,)](a, b, c, d, e, f, g, h))
    n, grid = 256, (2, 2)
    *inputs, out = (make((n, n)) for _ in range(4))
    products = host_kernels.products_of_descriptors(triton, triton.language)
    ad, bd, cd = (TensorDescriptor.from_tensor(x, [128, 64]) for x in inputs)
    od = TensorDescriptor.from_tensor(out, [128, 128])
    yield (
        "triton 4 descriptors",
        batch_of(lambda: products[grid](ad, bd, cd, od, n, BM=128, BN=128, BK=64)),
    )


def cupy_row():
    """CuPy's launch of an empty kernel in CUDA C++."""
    import cupy

    signature = ", ".join(f"float *p{i}" for i in range(8))
    kernel = cupy.RawKernel(f'extern "C" __global__ void empty({signature}) {{}}', "empty")
    arguments = tuple(cupy.empty(64, cupy.float32) for _ in range(8))
    yield "cupy RawKernel", batch_of(lambda: kernel((1,), (128,), arguments))


def torch_row():
    """An elementwise function of torch on one small tensor."""
    import torch

    x = torch.zeros(64, device="cuda")
    yield "torch x.add_(1)", batch_of(lambda: x.add_(1))


def rows(on_torch):
    """By name the functions that measure everything that is installed; an error as the name where it fails."""
    if on_torch:
        import torch

        def make(shape):
            return torch.zeros(shape, device="cuda", dtype=torch.float16)
    else:

        def make(shape):
            return tw.zeros(shape, np.float16, 0)

    arrays = [make(64) for _ in range(8)]
    groups = [
        lambda: empty_rows(arrays),
        own_arrays_row,
        lambda: descriptor_rows(make),
    ]
    if on_torch and importlib.util.find_spec("triton"):
        groups.append(lambda: triton_rows(arrays, make))
    if importlib.util.find_spec("cupy"):
        groups.append(cupy_row)
    if on_torch:
        groups.append(torch_row)
    for number, group in enumerate(groups):
        try:
            yield from group()
        except Exception as error:  # A peer that cannot run is a result too.
            if number < 3:
                raise
            yield f"{type(error).__name__}: {error}".splitlines()[0][:100], None


def show(results):
    """Prints the table."""
    bare = dict(results).get("cuLaunchKernelEx from C")
    table = Table(title="a launch: lower is better")
    for column in ("launch", "us", "of the bare call"):
        table.add_column(column, justify="left" if column == "launch" else "right")
    for name, seconds in results:
        cells = (f"{1e6 * seconds:.2f}", f"{seconds / bare:.2f}" if bare else "-") if seconds else ("-", "-")
        table.add_row(escape(name), *cells)
    Console(width=110).print(table)


def main():
    """Measures, prints the table, keeps the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, help=report.OUT)
    options = parser.parse_args()
    needs.gpu()
    on_torch = False
    if importlib.util.find_spec("torch"):
        import torch

        on_torch = torch.cuda.is_available()
    facts = report.facts(tw.device_info(0).name, "torch", "triton", "cupy")
    results = in_turns(dict(rows(on_torch)), tw.cuda.synchronize)
    results.append(("import tilewright after numpy", import_time("tilewright")))
    if options.out:
        times = {name: seconds and round(1e6 * seconds, 3) for name, seconds in results}
        report.keep(options.out, {"facts": facts, "microseconds": times})
    print("; ".join(f"{key}: {value}" for key, value in facts.items()))
    show(results[:-1])
    print(f"import tilewright after numpy: {1e3 * results[-1][1]:.0f} ms")


if __name__ == "__main__":
    main()
