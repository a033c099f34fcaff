"""Compares the CPU back end with the NumPy interpreter on the kernels of the demo.

    python benchmarks/interpreter.py [--only NAME] [--out FILE]

Each kernel runs on the same operands as in the demo. The compiled kernel runs several times, the interpreter once. The
results have the median of the compiled times, in seconds. `ratio` is the interpreter's time over the compiled time.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
import report
from run import all_cases, describe, kernels
from timing import cpu_time


def operands_of(case):
    """Returns the operands of a case, the same in each process."""
    rng = np.random.default_rng(0)
    return case.make(lambda *shape: rng.standard_normal(shape, dtype=case.dtype))


def interpreted(number):
    """Returns the seconds of a case in the interpreter, which needs its own process: `jit` chooses it on import."""
    command = [sys.executable, __file__, "--interpreted", str(number)]
    environment = {**os.environ, "TILEWRIGHT_INTERPRET": "1"}
    return float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def main():
    """Measures and writes a JSON file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=pathlib.Path, help=report.OUT)
    parser.add_argument("--interpreted", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    cases = list(all_cases(False, ""))
    if options.interpreted is not None:
        case = cases[options.interpreted]
        operands = operands_of(case)
        begun = time.perf_counter()
        case.run(kernels, *operands)
        print(time.perf_counter() - begun)
        return
    rows = []
    for number, case in enumerate(cases):
        if options.only not in case.kernel:
            continue
        operands = operands_of(case)
        compiled = cpu_time(lambda case=case, operands=operands: case.run(kernels, *operands), budget=1.0)
        slow = interpreted(number)
        rows.append(
            {
                "kernel": case.kernel,
                "shape": case.shape,
                "dtype": case.dtype,
                "cpu s": compiled,
                "interpreter s": slow,
                "ratio": round(slow / compiled, 1),
            }
        )
        print(*rows[-1].values(), flush=True)
    if options.out:
        report.keep(options.out, {"facts": describe(False), "unit": "seconds", "rows": rows})


if __name__ == "__main__":
    main()
