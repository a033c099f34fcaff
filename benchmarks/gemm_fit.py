"""Fits the constants of the cost model of matmuls to the results of a sweep.

    python benchmarks/gemm_sweep.py --out sweep.json
    python benchmarks/gemm_fit.py sweep.json [more.json ...]

The objective is a good choice, not a good prediction of all times. Its main term is the geometric mean of the time of the
model's choice over the best time. The error of the predicted times has a small weight. Coordinate descent changes one
constant after another, by smaller and smaller factors. The script prints the constants for ``Costs`` in
``kernels/gemm/config.py``, and the loss of each shape with the current and the fitted constants. It needs no GPU.
"""

import argparse
import json
import math
import pathlib
from dataclasses import asdict, dataclass, replace

from rich.console import Console
from rich.table import Table
from tilewright.kernels.gemm.config import CLOCK, COSTS, Config, Problem, candidates, clocks, reach

ITEMSIZES = {"float16": 2, "bfloat16": 2, "float8_e4m3fn": 1, "int8": 1}
FACTORS = (2, 1.4, 1.2, 1.1, 1.05)


@dataclass
class Measured:
    """A shape and the seconds of its configurations; `eligible` are the candidates of the model."""

    name: str
    problem: Problem
    times: dict
    eligible: list


def problem(shape, layout, itemsize, processors=132, kind="plain"):
    """Returns the model's input for a matmul of contiguous matrices.

    ``layout``: row-major ("N") or column-major ("T") for each operand. ``kind``: "plain", "exact" for exact
    accumulation, or another kind, with an epilogue.
    """
    M, N, K = shape
    pitches = (K if layout[0] == "N" else M, K if layout[1] == "T" else N)
    known = {f"{name}_reach": reach(pitch * itemsize) for name, pitch in zip("ab", pitches)}
    known |= {"a_along_k": layout[0] == "N", "b_along_k": layout[1] == "T", "processors": processors}
    known |= {"exact": kind == "exact", "plain": kind == "plain", "function": kind == "gelu"}
    return Problem(M, N, K, 1, itemsize, **known)


def seen(config):
    """Returns the fields that the model depends on: neither the stages nor the order of tiles."""
    return replace(config, num_stages=1, group_m=1)


def read(paths):
    """Reads the results of the sweeps."""
    found = []
    fields = Config.__dataclass_fields__
    for row in (row for path in paths for row in json.loads(path.read_text())["rows"]):
        shape = tuple(map(int, row["shape"].split("x")))
        kind = row.get("kind", "plain")
        asked = problem(shape, row["layout"], ITEMSIZES[row["dtype"]], row.get("processors", 132), kind)
        times = {}
        for entry in row["ranking"]:
            config = seen(Config(**{key: entry[key] for key in fields if key in entry}))
            times[config] = min(times.get(config, math.inf), entry["us"] * 1e-6)
        eligible = [config for config in map(seen, candidates(asked)) if config in times]
        if eligible:
            found.append(Measured(f"{row['shape']} {row['layout']} {kind}", asked, times, eligible))
    return found


def loss(measured, costs):
    """Returns the time of the model's choice over the best time of all configurations."""
    chosen = min(measured.eligible, key=lambda config: clocks(measured.problem, config, costs))
    return measured.times[chosen] / min(measured.times.values())


def objective(found, costs):
    """Returns the mean logarithm of the losses, plus 0.02 times the mean squared error of the logarithms of times."""
    total = 0.0
    for measured in found:
        errors = [
            math.log(clocks(measured.problem, config, costs) / CLOCK / time)
            for config, time in measured.times.items()
            if config.num_ctas == 1
        ]
        total += math.log(loss(measured, costs)) + 0.02 * sum(x * x for x in errors) / len(errors)
    return total / len(found)


def fit(found):
    """Returns constants that no step improves."""
    costs, best = COSTS, objective(found, COSTS)
    for factor in FACTORS:
        improved = True
        while improved:
            improved = False
            for name, value in asdict(costs).items():
                for step in (factor, 1 / factor):
                    other = replace(costs, **{name: value * step})
                    result = objective(found, other)
                    if result < best - 1e-6:
                        costs, best, improved = other, result, True
    return costs


def rounded(value):
    """Rounds to three digits."""
    return float(f"{value:.3g}")


def main():
    """Reads, fits, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sweeps", nargs="+", type=pathlib.Path)
    found = read(parser.parse_args().sweeps)
    costs = fit(found)
    costs = replace(costs, **{name: rounded(value) for name, value in asdict(costs).items()})
    table = Table(title="time of the model's choice over the best time")
    for column in ("shape", "current", "fitted"):
        table.add_column(column)
    for measured in found:
        table.add_row(measured.name, f"{loss(measured, COSTS):.3f}", f"{loss(measured, costs):.3f}")
    Console(width=100).print(table)
    for name, constants in (("current", COSTS), ("fitted", costs)):
        mean = math.exp(sum(math.log(loss(measured, constants)) for measured in found) / len(found))
        print(f"geometric mean {name}: {mean:.4f}")
    for name, value in asdict(costs).items():
        print(f"    {name}: float = {value:g}")


if __name__ == "__main__":
    main()
