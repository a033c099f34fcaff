"""Times kernels in the style of public Triton kernels, compiled by both compilers from the same source.

    python benchmarks/published.py [--only linear] [--areas products] [--workers 14] [--out published.json]

The kernels are those of test/python/compat (serving, training and generated code) and of published/kernels*.py, at the
sizes of models of some billion parameters. Both compilers tune over the same configurations. Calls of the best ones are
then interleaved, with the L2 cache flushed before each call. Times are medians, and the results of both are compared.
Compiling takes most of the time, so parallel processes, which need no GPU memory, fill both disk caches first.
"""

import argparse
import functools
import importlib.util
import multiprocessing
import pathlib
import re
import statistics
from dataclasses import dataclass

import needs
import report
import tilewright as tw
from gemm import time_interleaved
from needs import torch
from peers import load_with
from published.chunks import chunks
from published.layers import activations, chosen, generated, norms_and_losses
from published.linear import linear, parts, quantized
from published.matmuls import attention, matmuls
from published.rows import elements, rows_of_numbers, states
from published.serving import masked, paged
from rich.console import Console
from rich.table import Table

ROOT = pathlib.Path(__file__).resolve().parent
FILES = {
    "tutorials": ROOT.parent / "test/python/compat/triton_kernels.py",
    "gradients": ROOT / "published/kernels.py",
    **{
        name: ROOT / f"published/kernels_{name}.py"
        for name in ("rows", "elements", "serving", "chunks", "matmuls", "quantized")
    },
    **{
        name: ROOT.parent / f"test/python/compat/published/{name}.py"
        for name in ("attention", "layers", "sparse", "sorting", "generated")
    },
}


@dataclass
class Compiler:
    """A compiler, its version of the kernels by file, and its type of descriptors."""

    name: str
    kernels: dict
    descriptor: type


@functools.cache
def compilers():
    """Returns our compiler, and Triton if it is installed."""
    texts = {
        name: re.sub(r"import tilewright\.compat\n+tilewright\.compat\.install\(\)\n", "", path.read_text())
        for name, path in FILES.items()
    }
    ours = {}
    for name, text in texts.items():
        text = re.sub(r"import triton\b(?!\.)", "import tilewright as triton", text)
        text = re.sub(r"(import|from) triton\.", r"\1 tilewright.", text)
        text = text.replace("@triton.jit(", '@triton.jit(numerics="triton", ')
        text = text.replace("@triton.jit\n", '@triton.jit(numerics="triton")\n')
        ours[name] = load_with(text, "published")
    found = [Compiler("tilewright", ours, tw.TensorDescriptor)]
    if importlib.util.find_spec("triton"):
        from triton.tools.tensor_descriptor import TensorDescriptor

        theirs = {name: load_with(text, "published") for name, text in texts.items()}
        found.append(Compiler("triton", theirs, TensorDescriptor))
    return found


FAMILIES = {
    "rows": (rows_of_numbers, norms_and_losses, activations),
    "elements": (elements, chosen, generated),
    "states": (states, chunks),
    "attention": (attention, paged, masked),
    "products": (matmuls, linear, parts, quantized),
}


def cases(only, areas):
    """Yields the cases of `areas` whose names contain `only`, one at a time: their arrays are large."""
    for area in areas:
        for family in FAMILIES[area]:
            yield from (case for case in family() if only in case.name)


class WithoutMemory(torch.overrides.TorchFunctionMode):
    """Creates arrays for the GPU on the meta device, without memory."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if kwargs.get("device") == "cuda":
            kwargs["device"] = "meta"
        return function(*args, **kwargs)


def described_cases(only, areas):
    """As `cases`, with arrays without memory, unless a family needs the numbers in them."""
    for area in areas:
        for family in FAMILIES[area]:
            try:
                with WithoutMemory():
                    found = [case for case in family() if only in case.name]
            except (NotImplementedError, RuntimeError):
                found = (case for case in family() if only in case.name)
            yield from found


def in_language(constants, compiler):
    """Returns the constants of a case; those that are functions are called with the compiler's language."""
    tl = next(iter(compiler.kernels.values())).tl
    return {name: value(tl) if callable(value) else value for name, value in constants.items()}


def fill_caches(job):
    """Compiles the kernels of some cases with one compiler, without launches; runs in a worker process."""
    number, only, areas, share, shares = job
    compiler = compilers()[number]
    for index, case in enumerate(described_cases(only, areas)):
        if index % shares == share:
            case.constants = in_language(case.constants, compiler)
            for config in case.configs:
                try:
                    case.warm(compiler, config)
                except Exception:  # The measurement reports it.
                    pass


def best(compiler, case):
    """Returns the call of the fastest configuration, that configuration, and the failures of others."""
    calls, failed = [], []
    case.constants = in_language(case.constants, compiler)
    for config in case.configs:
        try:
            call = case.call(compiler, config)
            call()
            torch.cuda.synchronize()
            calls.append((call, config))
        except Exception as error:  # A configuration that does not fit is a result, too.
            failed.append(f"{config}: {type(error).__name__}: {error}".splitlines()[0][:200])
    if not calls:
        return None, None, failed
    if len(calls) == 1:
        return *calls[0], failed
    seconds = time_interleaved([call for call, _ in calls], rounds=7, budget=0.2)
    return *min(zip(seconds, calls), key=lambda pair: pair[0])[1], failed


def distance(x, y):
    """Returns the norm of the difference over the norm of y."""
    return ((x.double() - y.double()).norm() / y.double().norm().clamp(min=1e-30)).item()


def measure(case):
    """Returns one row of results."""
    row, calls, results = {"name": case.name}, {}, {}
    constants, given = case.constants, case.copies()
    for compiler in compilers():
        case.constants = constants
        call, config, failed = best(compiler, case)
        if failed:
            row[f"{compiler.name} failed"] = failed
        if call:
            calls[compiler.name] = call
            row[f"{compiler.name} config"] = " ".join(f"{key} {value}" for key, value in config.items())
            results[compiler.name] = case.results(compiler, config, given)
    if len(results) == 2:
        pairs = zip(*results.values())
        row["difference"] = max((distance(x, y) for x, y in pairs), default=0.0)
    seconds = time_interleaved(list(calls.values()), rounds=50, budget=0.2)
    row |= {name: time * 1e6 for name, time in zip(calls, seconds)}
    if len(calls) == 2:
        row["ratio"] = row["triton"] / row["tilewright"]
    return row


def show(rows):
    """Prints the table, and geometric mean and minimum of the ratios."""
    table = Table(title="microseconds: kernels in Triton's style, best configuration of each compiler")
    for column in ("kernel", "tilewright", "triton", "ratio", "difference", "tilewright's", "triton's"):
        table.add_column(column, justify="right" if column in ("tilewright", "triton", "ratio") else "left")
    for row in rows:
        numbers = [f"{row[key]:.{digits}f}" if key in row else "-" for key, digits in
                   (("tilewright", 1), ("triton", 1), ("ratio", 3))]  # fmt: skip
        configs = [
            re.sub(r"num_|BLOCK_", "", row.get(f"{name} config", "-")) for name in ("tilewright", "triton")
        ]
        table.add_row(row["name"], *numbers, f"{row.get('difference', 0):.0e}", *configs)
    Console(width=170).print(table)
    for row in rows:
        for name in ("tilewright", "triton"):
            for why in row.get(f"{name} failed", ())[:1]:
                print("failed:", name, row["name"], why)
    ratios = [row["ratio"] for row in rows if "ratio" in row]
    if ratios:
        mean = statistics.geometric_mean(ratios)
        print(f"geometric mean of {len(ratios)} ratios: {mean:.3f}, the least: {min(ratios):.3f}")


def main():
    """Fills the caches, measures, prints the table, writes the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="kernels whose name contains this")
    parser.add_argument(
        "--areas", nargs="+", default=list(FAMILIES), choices=FAMILIES, help="kinds of kernels"
    )
    parser.add_argument("--workers", type=int, default=14, help="processes that fill the caches")
    parser.add_argument("--out", type=pathlib.Path, help=report.OUT)
    options = parser.parse_args()
    needs.torch_gpu()
    torch.manual_seed(0)
    shares = max(options.workers // 2, 1)
    jobs = [
        (number, options.only, options.areas, share, shares)
        for number in range(len(compilers()))
        for share in range(shares)
    ]
    with multiprocessing.get_context("spawn").Pool(options.workers) as pool:
        pool.map(fill_caches, jobs, chunksize=1)
    facts = report.facts(torch.cuda.get_device_name(), "torch", "triton")
    rows = map(measure, cases(options.only, options.areas))
    rows = report.gather(options.out, {"facts": facts, "unit": "us"}, rows)
    show(rows)
    if options.out:
        report.show(options.out)


if __name__ == "__main__":
    main()
