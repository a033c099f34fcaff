"""Times launches on the host, against those of other libraries, in one run.

    python benchmarks/host.py [--out host.json]

Each row is the median time of a call, over batches that fit in the launch queue of the device. Batches of the rows are
interleaved, so that changes of the clock rate affect all rows alike. The first row is the driver's call from C. In the
second one the library of the arrays reports eight addresses and its stream through DLPack. The kernels are empty or tiny.
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
    """Returns a function that measures the seconds of a call over a batch.

    Calls once now, so that errors show up here.
    """
    call()

    def measure():
        begun = time.perf_counter()
        for _ in range(batch):
            call()
        return (time.perf_counter() - begun) / batch

    return measure


def time_interleaved(rows, wait):
    """Returns the name and the median seconds of each of `rows`; None if the function is None.

    After each batch it waits for the device, outside of the measured time.
    """
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
    """An empty kernel with eight arrays: kernel[grid](...), a stored launcher, bound, and in a graph."""
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
    """The same with arrays of Tilewright."""
    a, b, c, d, e, f, g, h = (tw.empty(64, np.float32, 0) for _ in range(8))
    kernel, grid = host_kernels.empty(tw, tl), (1,)
    yield "tilewright arrays", batch_of(lambda: kernel[grid](a, b, c, d, e, f, g, h))


def descriptor_rows(make):
    """Four tensor maps: from pointers in the kernel, from descriptors, and bound."""
    n = 256
    a, b, c, out = (make((n, n)) for _ in range(4))
    kernel, grid = host_kernels.two_matmuls(tw, tl), (2, 2)
    yield (
        "tilewright 4 tensor maps",
        batch_of(lambda: kernel[grid](a, b, c, out, n, n, n, BM=128, BN=128, BK=64)),
    )
    yield (
        "tilewright 4 tensor maps, bound",
        batch_of(kernel.bind(grid, a, b, c, out, n, n, n, BM=128, BN=128, BK=64)),
    )
    descriptors = host_kernels.two_matmuls_of_descriptors(tw, tl)
    ad, bd, cd = (tw.TensorDescriptor.from_tensor(x, [128, 64]) for x in (a, b, c))
    od = tw.TensorDescriptor.from_tensor(out, [128, 128])
    yield (
        "tilewright 4 descriptors",
        batch_of(lambda: descriptors[grid](ad, bd, cd, od, n, BM=128, BN=128, BK=64)),
    )
    # With a dict the interpreter makes a copy and a tuple of the keys.
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
    two_matmuls = host_kernels.two_matmuls_of_descriptors(triton, triton.language)
    ad, bd, cd = (TensorDescriptor.from_tensor(x, [128, 64]) for x in inputs)
    od = TensorDescriptor.from_tensor(out, [128, 128])
    yield (
        "triton 4 descriptors",
        batch_of(lambda: two_matmuls[grid](ad, bd, cd, od, n, BM=128, BN=128, BK=64)),
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
    """Yields names and functions of the rows of all installed libraries; the name of a failing one is its error."""
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
        except Exception as error:  # A library that cannot run is a result, too.
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
    """Measures, prints the table, writes the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, help=report.OUT)
    options = parser.parse_args()
    needs.gpu()
    on_torch = False
    if importlib.util.find_spec("torch"):
        import torch

        on_torch = torch.cuda.is_available()
    facts = report.facts(tw.device_info(0).name, "torch", "triton", "cupy")
    results = time_interleaved(dict(rows(on_torch)), tw.cuda.synchronize)
    results.append(("import tilewright after numpy", import_time("tilewright")))
    if options.out:
        times = {name: seconds and round(1e6 * seconds, 3) for name, seconds in results}
        report.keep(options.out, {"facts": facts, "microseconds": times})
    print("; ".join(f"{key}: {value}" for key, value in facts.items()))
    show(results[:-1])
    print(f"import tilewright after numpy: {1e3 * results[-1][1]:.0f} ms")


if __name__ == "__main__":
    main()
