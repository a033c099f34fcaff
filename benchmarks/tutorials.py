"""Times the matmul kernels of Triton's tutorials, compiled by both compilers from the same source.

    python benchmarks/tutorials.py [--size 512 ... 16384] [--only pointers] [--layout NT NN] [--fp8]
                                   [--out tutorials.json]

Both compilers choose among the same configurations for each size, as their autotuners do. Calls of the three best of each
and of PyTorch's matmul are then interleaved, with the L2 cache flushed before each call. The best of these three is the
compiler's result: times vary from minute to minute, see `benchmarks/notes/kernel-library.md`. Times are medians; small
matmuls are timed for several copies of the operands. Results are compared with PyTorch's. Compiling takes most of the
time, so parallel processes fill both disk caches first. A run takes about three minutes.
"""

import argparse
import importlib.util
import math
import multiprocessing
import pathlib
import statistics
from dataclasses import dataclass
from functools import partial
from itertools import product

import needs
import report
import tilewright as tw
import tutorial_kernels
from gemm import copies_for, difference, time_copies, time_interleaved
from launches import ptx_bytes
from needs import torch
from peers import load_with
from rich.console import Console
from rich.table import Table

SIZES = (512, 1024, 2048, 4096, 8192, 16384)

# BM, BN, BK, stages, warps.
CONFIGS = (
    (128, 256, 64, 3, 8),
    (128, 256, 64, 4, 8),
    (128, 128, 64, 4, 8),
    (128, 128, 64, 4, 4),
    (64, 128, 64, 4, 4),
    (64, 64, 64, 5, 4),
)
CONFIGS_FP8 = (
    (128, 256, 128, 3, 8),
    (128, 128, 128, 4, 8),
    (128, 128, 128, 4, 4),
    (64, 128, 128, 4, 4),
)
KINDS = (
    "pointers",
    "block_pointers",
    "persistent_pointers",
    "descriptors",
    "persistent_descriptors",
    "persistent_descriptors subtile specialized",
    "device_descriptors flattened",
)


@dataclass
class Compiler:
    """A compiler, its version of the kernels, and its type of descriptors."""

    name: str
    kernels: object
    descriptor: type


def compilers():
    """Returns our compiler, and Triton if it is installed."""
    found = [Compiler("tilewright", tutorial_kernels, tw.TensorDescriptor)]
    if importlib.util.find_spec("triton"):
        import triton
        from triton.tools.tensor_descriptor import TensorDescriptor

        triton.set_allocator(lambda size, *_: torch.empty(size, device="cuda", dtype=torch.int8))
        text = pathlib.Path(tutorial_kernels.__file__).read_text()
        text = text.replace("import tilewright as tw", "import triton as tw")
        text = text.replace("import tilewright.language", "import triton.language")
        found.append(Compiler("triton", load_with(text, "tutorial_kernels"), TensorDescriptor))
    return found


def operands(M, N, K, layout, dtype):
    """Returns random matrices a and b, and c for the result. With layout NT b is a transposed view."""
    a = torch.randn(M, K, device="cuda").to(dtype)
    b = (
        torch.randn(N, K, device="cuda").to(dtype).T
        if layout == "NT"
        else torch.randn(K, N, device="cuda").to(dtype)
    )
    return a, b, torch.empty(M, N, device="cuda", dtype=torch.float16 if dtype.itemsize == 1 else dtype)


def language_type(compiler, dtype):
    """Returns the type of a torch dtype in the language of a compiler."""
    return getattr(compiler.kernels.tl, str(dtype).removeprefix("torch."))


def runner(compiler, kind, config, layout, a, b, c):
    """Returns a call of one kernel."""
    name, *variant = kind.split()
    kernel = getattr(compiler.kernels, name)
    (M, K), N = a.shape, b.shape[1]
    BM, BN, BK, stages, warps = config
    tiles = math.ceil(M / BM) * math.ceil(N / BN)
    processors = torch.cuda.get_device_properties(0).multi_processor_count
    blocks = {"BM": BM, "BN": BN, "BK": BK, "GROUP": 8, "num_stages": stages, "num_warps": warps}
    if name.startswith(("persistent", "device")):
        blocks["NUM_SMS"] = processors
        tiles = min(processors, tiles)
    if name.endswith("pointers"):
        strides = (*a.stride(), *b.stride(), *c.stride())
        return lambda: kernel[tiles,](a, b, c, M, N, K, *strides, **blocks)
    rows = layout == "NN"
    blocks |= {"B_ROWS": rows, "WARP_SPECIALIZE": "specialized" in variant}
    subtile = "subtile" in variant
    if name != "descriptors":
        blocks |= {"SUBTILE": subtile, "FLATTEN": "flattened" in variant}
    stored = b if rows else b.T
    if name.startswith("device"):
        return lambda: kernel[tiles,](a, stored, c, M, N, K, **blocks)
    blocks["TYPE"] = language_type(compiler, c.dtype)
    descriptors = [
        compiler.descriptor.from_tensor(x, list(block))
        for x, block in (
            (a, (BM, BK)),
            (stored, (BK, BN) if rows else (BN, BK)),
            (c, (BM, BN // 2 if subtile else BN)),
        )
    ]
    return lambda: kernel[tiles,](*descriptors, M, N, K, **blocks)


def fill_cache(job):
    """Compiles one kernel by launching it; runs in a worker process. Returns the error, if any."""
    name, kind, config, layout, dtype = job
    try:
        compiler = next(each for each in compilers() if each.name == name)
        runner(compiler, kind, config, layout, *operands(512, 512, 512, layout, dtype))()
        torch.cuda.synchronize()
    except Exception as error:  # The measurement reports it as a result.
        return f"{kind} {config}: {error}".splitlines()[0][:160]
    return None


def fill_caches(jobs, workers):
    """Compiles kernels in worker processes; prints those that do not compile."""
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for why in filter(None, pool.imap_unordered(fill_cache, jobs, chunksize=4)):
            print("compiling:", why, flush=True)


def finalists(compiler, kinds, layout, copies, configs, expected):
    """Returns the calls of the three fastest kernels and configurations, and the failures of others.

    A kernel has one call for each copy of the operands. Its result for the first copy must equal `expected`.
    """
    calls, failed = {}, []
    for kind, config in product(kinds, configs):
        try:
            calls_here = [runner(compiler, kind, config, layout, *arrays) for arrays in copies]
            copies[0][-1].fill_(math.nan)
            calls_here[0]()
            error = difference(copies[0][-1], expected)
            if not error <= 1e-2:
                failed.append(f"{kind} {config}: WRONG by {error:.1e}")
                continue
            calls[kind, config] = calls_here
        except Exception as error:  # A configuration that does not fit is a result, too.
            failed.append(f"{kind} {config}: {type(error).__name__}: {error}".splitlines()[0][:160])
    times = time_interleaved([each[0] for each in calls.values()], rounds=15, budget=0.3) if calls else ()
    ranked = sorted(zip(times, calls))
    return {which: calls[which] for _, which in ranked[:3]}, failed


def measure(found, kind, layout, fp8, copies, multiply):
    """Returns one row of results: times over all `copies` of the operands, errors of the first copy."""
    a, _, c = arrays = copies[0]
    expected = multiply(*arrays).float()
    row = {
        "kernel": kind,
        "layout": layout,
        "dtype": "float8_e4m3fn" if fp8 else "float16",
        "size": a.shape[0],
    }
    calls = {("torch", None): [partial(multiply, *each) for each in copies]}
    for compiler in found:
        configs = CONFIGS_FP8 if fp8 else CONFIGS
        quick, failed = finalists(compiler, (kind,), layout, copies, configs, expected)
        if failed:
            row[f"{compiler.name} failed"] = failed
        calls |= {(compiler.name, config): each for (_, config), each in quick.items()}
    seconds = time_copies(calls.values(), budget=5)
    # The slowest first: later rows overwrite earlier ones, so the best of each compiler remains.
    for time, (name, config) in sorted(zip(seconds, calls), reverse=True):
        row[name] = 2e-12 * a.shape[0] ** 3 / time
        if config:
            row[f"{name} config"] = config
    for compiler in found:
        if compiler.name in row:
            call = calls[compiler.name, row[f"{compiler.name} config"]][0]
            c.zero_()
            call()
            row[f"{compiler.name} difference"] = difference(c, expected)
            if compiler.name == "tilewright":
                row["PTX bytes"] = ptx_bytes(call)
    if "triton" in row and "tilewright" in row:
        row["ratio"] = row["tilewright"] / row["triton"]
    return row


def show_failed(where, failed):
    """Prints the first failure, and all wrong results."""
    wrong = [why for why in failed if "WRONG" in why]
    for why in dict.fromkeys([*failed[:1], *wrong]):
        print("failed:", where, why)


def show(rows):
    """Prints the table, and geometric mean and minimum of the ratios."""
    table = Table(title="TFLOP/s: kernels of tutorials, best configuration of each compiler")
    names = ("tilewright", "triton", "torch", "ratio")
    for column in ("kernel", "", "size", *names, "configs: tilewright", "triton", "PTX kB"):
        table.add_column(column, justify="right" if column in (*names, "size", "PTX kB") else "left")
    for row in rows:
        numbers = [f"{row[name]:.{3 if name == 'ratio' else 1}f}" if name in row else "-" for name in names]
        configs = [
            " ".join(map(str, row.get(f"{name} config", ("none",)))) for name in ("tilewright", "triton")
        ]
        what = row["layout"] + (" fp8" if row["dtype"].startswith("float8") else "")
        table.add_row(
            row["kernel"], what, str(row["size"]), *numbers, *configs, f"{row.get('PTX bytes', 0) / 1e3:.1f}"
        )
    Console(width=150).print(table)
    ratios = [row["ratio"] for row in rows if "ratio" in row]
    if ratios:
        mean = statistics.geometric_mean(ratios)
        print(f"geometric mean of {len(ratios)} ratios: {mean:.3f}, the least: {min(ratios):.3f}")
    for row in rows:
        for name in ("tilewright", "triton"):
            if row.get(f"{name} difference", 0) > 2e-3:
                print("WRONG:", name, row["kernel"], row["layout"], row["size"], row[f"{name} difference"])
            show_failed(f"{name} {row['layout']} {row['size']}", row.get(f"{name} failed", ()))


def main():
    """Fills the caches, measures, prints the table, writes the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--size", nargs="*", type=int, default=SIZES)
    parser.add_argument("--only", default="", help="kernels whose name contains this")
    parser.add_argument("--layout", nargs="*", default=("NT", "NN"), choices=("NT", "NN"))
    parser.add_argument("--fp8", action="store_true", help="e4m3 operands, NT, instead of float16")
    parser.add_argument("--workers", type=int, default=8, help="processes that fill the caches")
    parser.add_argument("--out", type=pathlib.Path, help=report.OUT)
    options = parser.parse_args()
    needs.torch_gpu()
    found = compilers()
    kinds = [kind for kind in KINDS if options.only in kind]
    layouts = ("NT",) if options.fp8 else options.layout
    dtype = torch.float8_e4m3fn if options.fp8 else torch.float16
    names = [compiler.name for compiler in found]
    configs = CONFIGS_FP8 if options.fp8 else CONFIGS
    fill_caches(product(names, kinds, configs, layouts, (dtype,)), options.workers)
    one = torch.ones((), device="cuda")

    def multiply(a, b, _):
        if options.fp8:
            return torch._scaled_mm(a, b, one, one, out_dtype=torch.float16, use_fast_accum=True)
        return torch.mm(a, b)

    def measured():
        for size, layout in product(options.size, layouts):
            copies = [operands(size, size, size, layout, dtype) for _ in range(copies_for(2 * size**3))]
            for kind in kinds:
                yield measure(found, kind, layout, options.fp8, copies, multiply)

    facts = report.facts(torch.cuda.get_device_name(), "torch", "triton")
    rows = report.gather(options.out, {"facts": facts, "unit": "TFLOP/s"}, measured())
    show(rows)
    if options.out:
        report.show(options.out)


if __name__ == "__main__":
    main()
