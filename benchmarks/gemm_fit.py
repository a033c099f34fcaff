"""Fits the constants of the products' cost model to what a sweep measured.

    python benchmarks/gemm_sweep.py --out sweep.json
    python benchmarks/gemm_fit.py sweep.json [more.json ...]

Wanted is that the model chooses well, not that it knows all times: the least geometric mean of the time of the model's
choice over that of the best configuration, and, with a small weight, that it ranks the others in their order. Each
constant is moved in turn, by smaller and smaller factors, as long as that helps. Prints the constants to put into
``Costs`` of ``kernels/gemm/config.py``, and what each shape loses with the old ones and with these. Needs no GPU.
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
    """A shape and the seconds of its configurations: `eligible` are those that the model chooses among."""

    name: str
    problem: Problem
    times: dict
    eligible: list


def problem(shape, layout, itemsize, processors=132, kind="plain"):
    """A product of contiguous matrices as the model sees it: each operand's rows ("N") or columns ("T"). Its kind:
    "plain", of exact sums ("exact"), or another that something follows.
    """
    M, N, K = shape
    pitches = (K if layout[0] == "N" else M, K if layout[1] == "T" else N)
    known = {f"{name}_reach": reach(pitch * itemsize) for name, pitch in zip("ab", pitches)}
    known |= {"a_along_k": layout[0] == "N", "b_along_k": layout[1] == "T", "processors": processors}
    known |= {"exact": kind == "exact", "plain": kind == "plain", "function": kind == "gelu"}
    return Problem(M, N, K, 1, itemsize, **known)


def seen(config):
    """What the model sees of a configuration: neither its slots nor the order of its tiles."""
    return replace(config, num_stages=1, group_m=1)


def read(paths):
    """What the sweeps measured."""
    found = []
    fields = Config.__dataclass_fields__
    for row in (row for path in paths for row in json.loads(path.read_text())["rows"]):
        sides = tuple(map(int, row["shape"].split("x")))
        kind = row.get("kind", "plain")
        asked = problem(sides, row["layout"], ITEMSIZES[row["dtype"]], row.get("processors", 132), kind)
        times = {}
        for entry in row["ranking"]:
            config = seen(Config(**{key: entry[key] for key in fields if key in entry}))
            times[config] = min(times.get(config, math.inf), entry["us"] * 1e-6)
        eligible = [config for config in map(seen, candidates(asked)) if config in times]
        if eligible:
            found.append(Measured(f"{row['shape']} {row['layout']} {kind}", asked, times, eligible))
    return found


def loss(measured, costs):
    """The time of the model's choice over the best time of all configurations."""
    chosen = min(measured.eligible, key=lambda config: clocks(measured.problem, config, costs))
    return measured.times[chosen] / min(measured.times.values())


def objective(found, costs):
    """The mean logarithm of the losses, and a little of the mean square error of logarithms of times."""
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
    """The constants at which no step helps any more."""
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
    """To three digits."""
    return float(f"{value:.3g}")


def main():
    """Reads, fits, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sweeps", nargs="+", type=pathlib.Path)
    found = read(parser.parse_args().sweeps)
    costs = fit(found)
    costs = replace(costs, **{name: rounded(value) for name, value in asdict(costs).items()})
    table = Table(title="time of the model's choice over the best time")
    for column in ("shape", "now", "fitted"):
        table.add_column(column)
    for measured in found:
        table.add_row(measured.name, f"{loss(measured, COSTS):.3f}", f"{loss(measured, costs):.3f}")
    Console(width=100).print(table)
    for name, constants in (("now", COSTS), ("fitted", costs)):
        mean = math.exp(sum(math.log(loss(measured, constants)) for measured in found) / len(found))
        print(f"geometric mean {name}: {mean:.4f}")
    for name, value in asdict(costs).items():
        print(f"    {name}: float = {value:g}")


if __name__ == "__main__":
    main()
