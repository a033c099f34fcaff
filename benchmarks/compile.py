"""Times compilation, against Triton if it is installed, in one run. Needs no GPU.

    python benchmarks/compile.py [--target sm_90a] [--processes 3] [--out compile.json]

Both compilers get the same source, types and options. "cold" uses no disk cache, in a process that has compiled a kernel
before. "disk" is the first compilation in a new process, of a kernel that another process has compiled. The table has
the median of several runs, with its phases.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import report
import tilewright as tw
from compile_cases import CASES
from compile_worker import PHASES
from imports import import_time
from rich.console import Console
from rich.table import Table

REPETITIONS = 5
CACHES = ("TILEWRIGHT_CACHE_DIR", "TRITON_CACHE_DIR")


def run_worker(compiler, mode, target, repetitions, cache):
    """Runs one worker process and returns its results."""
    script = pathlib.Path(__file__).with_name("compile_worker.py")
    command = [sys.executable, script, compiler, mode, target, str(repetitions)]
    environment = os.environ | {name: str(pathlib.Path(cache, compiler)) for name in CACHES}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def summary(entries):
    """Returns the entry with the median time; its phases add up to that time."""
    return sorted(entries, key=lambda entry: entry["seconds"])[len(entries) // 2]


def measure(compilers, target, processes):
    """Returns for each compiler the medians of each case: the "cold" entry, with the seconds from "disk"."""
    runs = {compiler: {"cold": [], "disk": []} for compiler in compilers}
    with tempfile.TemporaryDirectory() as cache:
        # Runs of the compilers are interleaved, so that a busy machine disturbs both alike.
        for mode, repetitions in (("cold", REPETITIONS), ("disk", 1)):
            for _ in range(processes):
                for compiler in compilers:
                    runs[compiler][mode].append(run_worker(compiler, mode, target, repetitions, cache))
    results = {}
    for compiler in compilers:
        merged = {
            mode: {
                name: summary([entry for run in runs[compiler][mode] for entry in run[name]])
                for name in names
            }
            for mode, names in (
                ("cold", ["first", *(case.name for case in CASES)]),
                ("disk", [c.name for c in CASES]),
            )
        }
        for case in CASES:
            merged["cold"][case.name]["disk"] = merged["disk"][case.name]["seconds"]
        results[compiler] = merged["cold"] | {"import": import_time(compiler)}
    return results


def milliseconds(seconds):
    """Formats seconds as milliseconds."""
    return f"{1e3 * seconds:.1f}"


def show(results, target):
    """Prints the table."""
    table = Table(title=f"compiling for {target}, ms: lower is better")
    for column in ("kernel", "compiler", "cold", *PHASES, "from disk", "PTX kB", "of Triton"):
        table.add_column(column, justify="left" if column in ("kernel", "compiler") else "right")
    for case in CASES:
        for compiler, cases in results.items():
            row = cases[case.name]
            phases = [milliseconds(row["phases"][phase]) for phase in PHASES]
            peer = results.get("triton", {}).get(case.name) if compiler == "tilewright" else None
            share = f"{row['seconds'] / peer['seconds']:.2f}" if peer else ""
            cells = (
                milliseconds(row["seconds"]),
                *phases,
                milliseconds(row["disk"]),
                f"{row['ptx'] / 1e3:.1f}",
            )
            table.add_row(case.name, compiler, *cells, share)
    Console(width=140).print(table)
    for compiler, cases in results.items():
        print(
            f"{compiler}: first kernel of a process {milliseconds(cases['first']['seconds'])} ms, "
            f"import after numpy {milliseconds(cases['import'])} ms"
        )


def main():
    """Measures, prints the table, writes the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--target", default="sm_90a", help="architecture to compile for")
    parser.add_argument("--processes", type=int, default=3, help="processes per compiler")
    parser.add_argument("--out", type=pathlib.Path, help=report.OUT)
    options = parser.parse_args()
    compilers = ["tilewright", *(["triton"] if importlib.util.find_spec("triton") else [])]
    results = measure(compilers, options.target, options.processes)
    facts = report.facts(tw.device_info("cpu").name, *compilers, target=options.target, cpus=os.cpu_count())
    if options.out:
        kernels = {case.name: case.note for case in CASES}
        report.keep(options.out, {"facts": facts, "kernels": kernels, "seconds": results})
    print("; ".join(f"{key}: {value}" for key, value in facts.items()))
    show(results, options.target)


if __name__ == "__main__":
    main()
