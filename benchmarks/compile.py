"""Times compiling, beside Triton where it is installed, in one run. Needs no GPU.

    python benchmarks/compile.py [--target sm_90a] [--processes 3] [--out compile.json]

Each kernel is compiled from the same source, for the same types and options. "cold" takes nothing from a disk cache,
in a process that has compiled a kernel before; "disk" is the first compilation in a new process of a kernel that
another process has compiled. Of several times the median counts, with its phases.
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


def run_worker(side, mode, target, repetitions, cache):
    """The results of one process."""
    script = pathlib.Path(__file__).with_name("compile_worker.py")
    command = [sys.executable, script, side, mode, target, str(repetitions)]
    environment = os.environ | {name: str(pathlib.Path(cache, side)) for name in CACHES}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def summary(entries):
    """The entry of a case with the median time, of which its phases are the parts."""
    return sorted(entries, key=lambda entry: entry["seconds"])[len(entries) // 2]


def measure(sides, target, processes):
    """By side the medians of every case: those of "cold", and the seconds from "disk"."""
    runs = {side: {"cold": [], "disk": []} for side in sides}
    with tempfile.TemporaryDirectory() as cache:
        # In turns, so that a busy machine disturbs both alike.
        for mode, repetitions in (("cold", REPETITIONS), ("disk", 1)):
            for _ in range(processes):
                for side in sides:
                    runs[side][mode].append(run_worker(side, mode, target, repetitions, cache))
    results = {}
    for side in sides:
        merged = {
            mode: {
                name: summary([entry for run in runs[side][mode] for entry in run[name]]) for name in names
            }
            for mode, names in (
                ("cold", ["first", *(case.name for case in CASES)]),
                ("disk", [c.name for c in CASES]),
            )
        }
        for case in CASES:
            merged["cold"][case.name]["disk"] = merged["disk"][case.name]["seconds"]
        results[side] = merged["cold"] | {"import": import_time(side)}
    return results


def milliseconds(seconds):
    """As a cell of a table."""
    return f"{1e3 * seconds:.1f}"


def show(results, target):
    """Prints the table."""
    table = Table(title=f"compiling for {target}, ms: lower is better")
    for column in ("kernel", "compiler", "cold", *PHASES, "from disk", "PTX kB", "of Triton"):
        table.add_column(column, justify="left" if column in ("kernel", "compiler") else "right")
    for case in CASES:
        for side, cases in results.items():
            row = cases[case.name]
            phases = [milliseconds(row["phases"][phase]) for phase in PHASES]
            peer = results.get("triton", {}).get(case.name) if side == "tilewright" else None
            share = f"{row['seconds'] / peer['seconds']:.2f}" if peer else ""
            cells = (
                milliseconds(row["seconds"]),
                *phases,
                milliseconds(row["disk"]),
                f"{row['ptx'] / 1e3:.1f}",
            )
            table.add_row(case.name, side, *cells, share)
    Console(width=140).print(table)
    for side, cases in results.items():
        print(
            f"{side}: first kernel of a process {milliseconds(cases['first']['seconds'])} ms, "
            f"import after numpy {milliseconds(cases['import'])} ms"
        )


def main():
    """Measures, prints the table, keeps the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--target", default="sm_90a", help="architecture to compile for")
    parser.add_argument("--processes", type=int, default=3, help="processes of each compiler")
    parser.add_argument("--out", type=pathlib.Path, help=report.OUT)
    options = parser.parse_args()
    sides = ["tilewright", *(["triton"] if importlib.util.find_spec("triton") else [])]
    results = measure(sides, options.target, options.processes)
    facts = report.facts(tw.device_info("cpu").name, *sides, target=options.target, cpus=os.cpu_count())
    if options.out:
        kernels = {case.name: case.note for case in CASES}
        report.keep(options.out, {"facts": facts, "kernels": kernels, "seconds": results})
    print("; ".join(f"{key}: {value}" for key, value in facts.items()))
    show(results, options.target)


if __name__ == "__main__":
    main()
