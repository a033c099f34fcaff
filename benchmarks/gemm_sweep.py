"""Compares the configuration that the cost model chooses for a matmul with the best of an exhaustive search.

    python benchmarks/gemm_sweep.py [--shape 16x8192x8192 ...] [--random 20] [--dtype float16] [--layout NT]
                                    [--kind plain gelu fast exact] [--num-ctas 1 2] [--quick] [--best 16]
                                    [--out sweep.json]

The kinds of matmul are `plain`, `gelu` (a linear layer with bias and GELU), `fast` and `exact`. The last two are float8
with scales per row, accumulated in the tensor cores (`fast`) or in registers (`exact`).

1. Parallel processes compile all configurations.
2. Each configuration is timed, and its result is checked against PyTorch's.
3. The best eight and the model's choice are timed again, interleaved with PyTorch's matmul, for several copies of the
   operands. `benchmarks/notes/kernel-library.md` says how much times vary.

Speeds are TFLOP/s of median times with the L2 cache flushed. `share` is the speed of the model's choice over that of the
best configuration. `--quick` searches only full rings and powers of two of parts: a few minutes for all shapes and 20
random ones. `benchmarks/gemm_fit.py` fits the model's constants to the results.
"""

import argparse
import itertools
import math
import multiprocessing
import pathlib
import random
import statistics
from dataclasses import dataclass, replace
from functools import partial

import needs
import report
from gemm import difference, time_interleaved
from gemm_fit import problem
from needs import torch
from rich.console import Console
from rich.table import Table
from tilewright.kernels.gemm import Config, matmul, scaled_matmul
from tilewright.kernels.gemm.config import CLOCK, PING_PONG_TILES, SPLITS, TILES, choose_hopper, clocks
from timing import gpu_time

SHAPES = (
    "512x512x512",
    "1024x1024x1024",
    "2048x2048x2048",
    "4096x4096x4096",
    "8192x8192x8192",
    "8192x8192x512",
    "16384x16384x4096",
    "4096x4096x16384",
    "3001x3003x3007",
    "1x4096x4096",
    "16x8192x8192",
    "64x4096x14336",
    "128x8192x8192",
    "128x128x32768",
)
MORE_TILES = (
    (192, 160, 8),
    (256, 96, 8),
    (64, 224, 4),
    (64, 208, 4),
    (64, 176, 4),
    (64, 112, 4),
    (64, 80, 4),
    (128, 240, 8),
    (128, 80, 8),
    (128, 32, 8),
    (128, 128, 4),
)

# Configurations of a matmul that are timed again, and copies of the operands for that.
FINALISTS, COPIES = 8, 4


def random_shapes(count):
    """Returns shapes of all magnitudes, the same in each run, with extents that tensor maps support."""
    draw = random.Random(0)

    def extent(least, most, unit):
        return max(int(math.exp(draw.uniform(math.log(least), math.log(most)))) // unit * unit, unit)

    return [f"{extent(1, 8192, 1)}x{extent(64, 8192, 8)}x{extent(64, 16384, 8)}" for _ in range(count)]


def every_config(problem, clusters=(1,), quick=False):
    """Yields the configurations of the search, as far as they fit the hardware.

    They combine tiles, block_k, stages, parts of k, cluster sizes, swap and ping-pong. If `quick`, rings are full and
    the parts are powers of two.
    """
    splits = [split for split in SPLITS if not quick or split & (split - 1) == 0]
    depth = 128 // problem.itemsize
    swaps = (False, True) if problem.M <= 64 else (False,)
    tiles = [(*tile, False) for tile in TILES + MORE_TILES] + [(*tile, 4, True) for tile in PING_PONG_TILES]
    for (bm, bn, warps, ping_pong), bk, swap in itertools.product(tiles, (depth, 2 * depth), swaps):
        M, N = (problem.N, problem.M) if swap else (problem.M, problem.N)
        programs = math.ceil(M / bm) * math.ceil(N / bn) * problem.batch
        most = min((216 * 1024 - min(bm * bn * 2, 32768)) // ((bm + bn) * bk * problem.itemsize), 8)
        depths = ({most} if quick else {most, (most + 2) // 2}) & {2, 3, 4, 5, 6, 7, 8}
        for stages, split, ctas in itertools.product(depths, splits, clusters):
            if ctas > programs:
                continue
            if split == 1 or (split * programs <= 2 * problem.processors and split * bk <= problem.K):
                yield Config(bm, bn, bk, warps, stages, 8, split, swap, ctas, ping_pong)


@dataclass(frozen=True)
class Case:
    """A matmul to search for: its M, N and K, the layout, the kind and the type.

    The layout has a letter for each operand: "N" for row-major, "T" for column-major.
    """

    shape: tuple
    layout: str
    kind: str
    dtype: str

    def problem(self):
        """Returns the model's input."""
        processors = torch.cuda.get_device_properties(0).multi_processor_count
        return problem(self.shape, self.layout, getattr(torch, self.dtype).itemsize, processors, self.kind)

    def calls(self):
        """Returns our call, a function of the configuration, and PyTorch's, on random matrices on the GPU."""
        M, N, K = self.shape
        dtype = getattr(torch, self.dtype)
        a = torch.randn(*((M, K) if self.layout[0] == "N" else (K, M)), device="cuda").to(dtype)
        b = torch.randn(*((K, N) if self.layout[1] == "N" else (N, K)), device="cuda").to(dtype)
        a, b = a if self.layout[0] == "N" else a.T, b if self.layout[1] == "N" else b.T
        if self.kind == "plain":
            return lambda config: matmul(a, b, config=config), lambda: a @ b
        if self.kind == "gelu":
            bias = torch.randn(N, device="cuda").to(dtype)
            return (
                lambda config: matmul(a, b, bias, "gelu_tanh", config=config),
                lambda: torch._addmm_activation(bias, a, b, use_gelu=True),
            )
        scales, fast = (torch.rand(M, 1, device="cuda"), torch.rand(1, N, device="cuda")), self.kind == "fast"
        return (
            lambda config: scaled_matmul(a, b, *scales, fast_accumulation=fast, config=config),
            lambda: torch._scaled_mm(a, b, *scales, out_dtype=torch.bfloat16, use_fast_accum=fast),
        )


def fill_cache(job):
    """Compiles one configuration by running it; runs in a worker process."""
    case, config = job
    try:
        case.calls()[0](config)
        torch.cuda.synchronize()
    except Exception:  # The measurement reports it.
        return


def fill_caches(searched, workers):
    """Compiles the kernels of the search, one for all shapes with the same multiples of 16."""
    jobs = {}
    for case, configs in searched.items():
        divisible = tuple(extent % 16 == 0 for extent in case.shape), case.shape[0] == 1
        for config in configs:
            jobs.setdefault((replace(case, shape=divisible), config), (case, config))
    # Small operands first: large ones may exhaust the memory that the processes share.
    jobs = sorted(jobs.values(), key=lambda job: math.prod(job[0].shape))
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for _ in pool.imap_unordered(fill_cache, jobs, chunksize=4):
            pass


def measure(config, ours, expected):
    """Returns the seconds of one configuration, or the reason of its failure."""
    try:
        result = ours(config)
    except Exception as error:  # A configuration that does not fit is a result, too.
        return f"{type(error).__name__}: {error}".splitlines()[0][:160]
    # Two roundings to the type may differ by one step each.
    error = difference(result, expected.float())
    if not error < 2 * torch.finfo(result.dtype).eps:
        return f"wrong: relative error {error:.3g}"
    return gpu_time(lambda: ours(config), repetitions=20, budget=0.05)


def compare(case, configs):
    """Returns the seconds of each configuration and of PyTorch: medians over several copies of the operands."""
    copies = []
    for _ in range(COPIES):
        ours, theirs = case.calls()
        copies.append(
            time_interleaved([*(partial(ours, config) for config in configs), theirs], rounds=40, budget=0.3)
        )
    *times, torch_time = map(statistics.median, zip(*copies))
    return dict(zip(configs, times)), torch_time


def searched_configs(case, clusters, quick):
    """Returns the model's choice, then all other configurations."""
    problem = case.problem()
    return list(dict.fromkeys([choose_hopper(problem), *every_config(problem, clusters, quick)]))


def sweep(case, configs, best):
    """Returns one row of results, with the `best` configurations of the ranking (None: all)."""
    ours, theirs = case.calls()
    expected = theirs()
    problem = case.problem()
    chosen = configs[0]
    measure(chosen, ours, expected)  # The first measurement is a warm-up: it is slower.
    found = {config: measure(config, ours, expected) for config in configs}
    times = {config: time for config, time in found.items() if isinstance(time, float)}
    if not isinstance(found[chosen], float):
        raise RuntimeError(f"{case}: the model's choice {chosen}: {found[chosen]}")
    flops = 2e-12 * math.prod(case.shape)
    finalists = dict.fromkeys([*sorted(times, key=times.get)[:FINALISTS], chosen])
    compared, torch_time = compare(case, finalists)
    others = sorted(set(times) - set(compared), key=times.get)
    times |= compared
    ranked = [*sorted(compared, key=times.get), *others]
    return {
        "shape": "x".join(map(str, case.shape)),
        "layout": case.layout,
        "kind": case.kind,
        "dtype": case.dtype,
        "processors": problem.processors,
        "torch": flops / torch_time,
        "chosen": flops / times[chosen],
        "best": flops / times[ranked[0]],
        "share": times[ranked[0]] / times[chosen],
        "chosen config": vars(chosen),
        "ranking": [
            {
                "TFLOP/s": flops / times[c],
                "model us": clocks(problem, c) * 1e6 / CLOCK,
                "us": times[c] * 1e6,
                **vars(c),
            }
            for c in ranked[:best]
        ],
        "failed": [{"why": why, **vars(config)} for config, why in found.items() if isinstance(why, str)],
    }


def describe(config):
    """Formats a configuration for the table."""
    tile = "x".join(str(config[name]) for name in ("block_m", "block_n", "block_k"))
    extra = ("" if config["split_k"] == 1 else f" /{config['split_k']}") + (" swap" if config["swap"] else "")
    extra += "" if config["num_ctas"] == 1 else f" clusters of {config['num_ctas']}"
    extra += " ping-pong" * config["ping_pong"]
    return f"{tile} {config['num_warps']}w {config['num_stages']}s{extra}"


def show(rows):
    """Prints the table."""
    table = Table(title="TFLOP/s: model's choice against exhaustive search")
    for column in (
        "shape",
        "layout",
        "kind",
        "torch",
        "chosen",
        "best",
        "share",
        "chosen config",
        "best config",
        "failed",
    ):
        table.add_column(column)
    for row in rows:
        speeds = [f"{row[name]:.1f}" for name in ("torch", "chosen", "best")]
        configs = [describe(row["chosen config"]), describe(row["ranking"][0])]
        table.add_row(
            row["shape"],
            row["layout"],
            row["kind"],
            *speeds,
            f"{row['share']:.2f}",
            *configs,
            str(len(row["failed"])),
        )
    Console(width=150).print(table)


def main():
    """Sweeps the shapes, prints the table, writes the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--shape", nargs="*", default=SHAPES, help="MxNxK")
    parser.add_argument("--random", type=int, default=0, help="number of random shapes to add")
    parser.add_argument("--quick", action="store_true", help="search less")
    parser.add_argument("--workers", type=int, default=8, help="processes that compile")
    parser.add_argument("--dtype", default="float16", choices=("float16", "bfloat16"))
    parser.add_argument("--layout", nargs="*", default=("NT",), choices=("NN", "NT", "TN", "TT"))
    parser.add_argument(
        "--kind",
        nargs="*",
        default=("plain",),
        choices=("plain", "gelu", "fast", "exact"),
        help="kinds of matmul; fast and exact use float8_e4m3fn",
    )
    parser.add_argument("--num-ctas", nargs="*", type=int, default=(1,), help="CTAs per cluster, to compare")
    parser.add_argument("--best", type=int, help="configurations of each ranking to write; default: all")
    parser.add_argument("--out", type=pathlib.Path, help=report.OUT)
    options = parser.parse_args()
    needs.torch_gpu()
    shapes = [tuple(map(int, text.split("x"))) for text in (*options.shape, *random_shapes(options.random))]
    cases = [
        Case(shape, layout, kind, options.dtype if kind in ("plain", "gelu") else "float8_e4m3fn")
        for shape, layout, kind in itertools.product(shapes, options.layout, options.kind)
    ]
    searched = {case: searched_configs(case, options.num_ctas, options.quick) for case in cases}
    fill_caches(searched, options.workers)

    def swept():
        for case, configs in searched.items():
            row = sweep(case, configs, options.best)
            best = describe(row["ranking"][0])
            print(row["shape"], case.layout, case.kind, f"{row['share']:.3f}", best, flush=True)
            yield row

    facts = report.facts(torch.cuda.get_device_name(), "torch")
    rows = report.gather(options.out, {"facts": facts}, swept())
    show(rows)
    shares = [row["share"] for row in rows]
    print(f"geometric mean of the shares: {statistics.geometric_mean(shares):.3f}")
    if options.out:
        report.show(options.out)


if __name__ == "__main__":
    main()
