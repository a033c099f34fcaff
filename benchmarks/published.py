"""Times kernels in the style of public ones for Triton, compiled by both compilers from the same source.

    python benchmarks/published.py [--only linear] [--areas products] [--workers 14] [--out published.json]

The kernels are those of test/python/compat (of serving, training and generated code) and of published/kernels*.py, at
the sizes of models of some billion parameters. Where their users tune, both compilers choose among the same
configurations. The best of each take turns with the L2 cache flushed before each call; times are medians, and the
results of both are compared. Compiling takes most of the time, so processes side by side, which need no memory of the
GPU, fill both disk caches first.
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
from gemm import in_turns
from needs import torch
from peers import load_with
from published.chunks import chunks
from published.layers import activations, chosen, generated, norms_and_losses
from published.linear import linear, parts, quantized
from published.products import attention, products
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
        for name in ("rows", "elements", "serving", "chunks", "products", "quantized")
    },
    **{
        name: ROOT.parent / f"test/python/compat/published/{name}.py"
        for name in ("attention", "layers", "sparse", "sorting", "generated")
    },
}


@dataclass
class Compiler:
    """The kernels by file, as one compiler compiles them, and its descriptors."""

    name: str
    kernels: dict
    descriptor: type


@functools.cache
def compilers():
    """Ours, and Triton where it is installed."""
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
    "products": (products, linear, parts, quantized),
}


def cases(only, areas):
    """The cases of `areas` whose names hold `only`, one at a time: their arrays are large."""
    for area in areas:
        for family in FAMILIES[area]:
            yield from (case for case in family() if only in case.name)


class WithoutMemory(torch.overrides.TorchFunctionMode):
    """Arrays for the GPU are made without memory."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if kwargs.get("device") == "cuda":
            kwargs["device"] = "meta"
        return function(*args, **kwargs)


def described_cases(only, areas):
    """As `cases`, but of arrays without memory where no numbers are needed to make them."""
    for area in areas:
        for family in FAMILIES[area]:
            try:
                with WithoutMemory():
                    found = [case for case in family() if only in case.name]
            except (NotImplementedError, RuntimeError):
                found = (case for case in family() if only in case.name)
            yield from found


def in_language(constants, compiler):
    """The constants of a case; functions are called with the compiler's language."""
    tl = next(iter(compiler.kernels.values())).tl
    return {name: value(tl) if callable(value) else value for name, value in constants.items()}


def fill_caches(job):
    """In a process of its own: compiles what one compiler needs for some cases, without launching it."""
    number, only, areas, share, shares = job
    compiler = compilers()[number]
    for place, case in enumerate(described_cases(only, areas)):
        if place % shares == share:
            case.constants = in_language(case.constants, compiler)
            for config in case.configs:
                try:
                    case.warm(compiler, config)
                except Exception:  # What fails is told where it is measured.
                    pass


def best(compiler, case):
    """The fastest configuration's call and the configuration, and why others failed."""
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
    seconds = in_turns([call for call, _ in calls], rounds=7, budget=0.2)
    return *min(zip(seconds, calls), key=lambda pair: pair[0])[1], failed


def distance(x, y):
    """Norm of the difference over the norm."""
    return ((x.double() - y.double()).norm() / y.double().norm().clamp(min=1e-30)).item()


def measure(case):
    """One row of results."""
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
    seconds = in_turns(list(calls.values()), rounds=50, budget=0.2)
    row |= {name: time * 1e6 for name, time in zip(calls, seconds)}
    if len(calls) == 2:
        row["ratio"] = row["triton"] / row["tilewright"]
    return row


def show(rows):
    """The table, and the geometric mean and the least of the ratios."""
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
    """Fills the caches, measures, prints the table, keeps the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="kernels whose name holds this")
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
