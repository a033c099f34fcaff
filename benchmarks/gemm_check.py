"""Checks the matrix products of the library on random problems against float64.

    python benchmarks/gemm_check.py [--cases 2000] [--seed 0] [--largest 4097] [--device cuda] [--workers 8]
                                    [--seconds 60]

Kinds, shapes, strides, types, epilogues and configurations are random; results are written over NaN. A problem is
wrong if the norm of its error is beyond what rounding explains, or if it raises; the seed that repeats it is printed.
"""

import argparse
import concurrent.futures
import functools
import itertools
import math
import multiprocessing
import sys
import time

from needs import torch
from tilewright import kernels

# Relative errors (norm of the difference over norm of the reference) that rounding explains.
ROUNDING = {torch.float32: 4e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}
PRECISION = {"ieee": 0.0, "tf32x3": 4e-6, "tf32": 4e-3}
# Tensor cores keep some 14 bits of sums of float8: of 128 products, or, where that is allowed, of all.
SHORT_SUMS, SHORTEST_SUMS = 1e-3, 4e-3
FLOATS = (torch.float32, torch.float16, torch.bfloat16)
ACTIVATIONS = {
    "none": lambda x: x,
    "relu": torch.relu,
    "gelu": torch.nn.functional.gelu,
    "gelu_tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
    "silu": torch.nn.functional.silu,
}


class Problem:
    """One random problem."""

    def __init__(self, seed, largest, device):
        self.random = torch.Generator().manual_seed(seed)
        self.largest = largest
        self.device = device

    def below(self, count):
        """A random number from 0 to count - 1."""
        return int(torch.randint(count, (), generator=self.random))

    def pick(self, choices):
        """One of the choices."""
        return choices[self.below(len(choices))]

    def side(self, largest=None):
        """A side, as often small as large, and as often a multiple of 16 as not."""
        largest = largest or self.largest
        side = int(
            2 ** (float(torch.rand((), generator=self.random)) * torch.log2(torch.tensor(float(largest + 1))))
        )
        return max(16 * (side // 16), 1) if self.below(2) else side

    def normal(self, *shape, dtype, scale=1.0):
        """Normal numbers, stored by rows or by columns, whole or as part of something larger."""
        *outer, rows, columns = shape
        turned, gap, margin = self.below(2), self.pick((1, 1, 1, 2)), self.pick((0, 0, 1, 8))
        wide = (columns, rows) if turned else (rows, columns)
        x = scale * torch.randn(*outer, wide[0], wide[1] * gap + margin, generator=self.random)
        x = x.to(dtype).to(self.device)[..., margin::gap]
        return x.swapaxes(-1, -2) if turned else x

    def poisoned(self, *shape, dtype):
        """What results are written over."""
        return torch.full(shape, float("nan"), dtype=dtype, device=self.device)

    def config(self):
        """Mostly the model's choice."""
        turns = {"block_m": 128, "block_n": 64, "num_warps": 4, "num_stages": 4, "ping_pong": True}
        others = ({"split_k": 2}, {"split_k": 5}, {"swap": True}, {"num_ctas": 2}, turns)
        return self.pick((None,) * len(others) + others)


def plain(p):
    """Products, batched or not, with all that may follow."""
    batch = p.pick(((), (), (), (3,), (2, 1, 3)))
    M, N, K = (p.side(p.largest // 8 if batch else None) for _ in range(3))
    dtype = p.pick(FLOATS)
    precision = p.pick(("ieee", "tf32", "tf32x3")) if dtype == torch.float32 else "ieee"
    a = p.normal(*batch, M, K, dtype=dtype, scale=K**-0.5)
    b = p.normal(*p.pick((batch, ())), K, N, dtype=dtype)
    bias = p.normal(1, N, dtype=dtype)[0].contiguous() if p.below(2) else None
    place, activation = p.pick(("c", "residual", "none")), p.pick(tuple(ACTIVATIONS))
    alpha, beta = p.pick((1.0, 0.5)), p.pick((1.0, -2.0))
    c = p.normal(M, N, dtype=dtype)
    out = p.poisoned(*batch, M, N, dtype=dtype)
    given = {} if place == "none" else {"c": c, "beta": beta} if place == "c" else {"residual": c}
    kernels.matmul(a, b, bias, activation, precision, out, alpha=alpha, config=p.config(), **given)
    x = alpha * (a.double() @ b.double())
    x = x if bias is None else x + bias.double()
    x = x + beta * c.double() if place == "c" else x
    # Where an activation leaves little of a number, it leaves the number's error.
    size = x.norm().item()
    x = ACTIVATIONS[activation](x)
    x = x + c.double() if place == "residual" else x
    # Tensor cores cut off what sums of float32 cannot hold, each time that they add 8 products.
    cut = 0.0 if precision == "ieee" else K / 8 * 2.0**-24
    return out, x, (ROUNDING[dtype] + PRECISION[precision] + cut) * max(size, x.norm().item())


def gated(p):
    """Gated units."""
    M, N, K = p.side(), p.side(p.largest // 2), p.side()
    dtype = p.pick((torch.float16, torch.bfloat16))
    a = p.normal(M, K, dtype=dtype, scale=K**-0.5)
    gate, up = p.normal(K, N, dtype=dtype), p.normal(K, N, dtype=dtype)
    out = p.poisoned(M, N, dtype=dtype)
    kernels.gated_matmul(a, gate, up, "gelu", out=out)
    x = torch.nn.functional.gelu(a.double() @ gate.double()) * (a.double() @ up.double())
    return out, x, ROUNDING[dtype] * x.norm().item()


def grouped(p):
    """Groups of rows, empty ones among them."""
    groups, M, N, K = p.side(40), p.side(), p.side(p.largest // 4), p.side(p.largest // 4)
    dtype = p.pick((torch.float16, torch.bfloat16))
    ends = torch.randint(M + 1, (groups,), generator=p.random).sort().values
    ends[-1] = M
    a, b = p.normal(M, K, dtype=dtype), p.normal(groups, K, N, dtype=dtype)
    out = p.poisoned(M, N, dtype=dtype)
    kernels.grouped_matmul(a, b, ends.int().to(p.device), out=out)
    bounds = [0, *ends.tolist()]
    x = torch.cat([a[i:j].double() @ b[g].double() for g, (i, j) in enumerate(itertools.pairwise(bounds))])
    return out, x, ROUNDING[dtype] * x.norm().item()


def scaled(p):
    """8-bit floats with scales of rows and columns, or of blocks."""
    M, N, K = p.side(), p.side(), p.side()
    dtype = p.pick((torch.float8_e4m3fn, torch.float8_e5m2))
    a, b = p.normal(M, K, dtype=dtype), p.normal(K, N, dtype=dtype)
    depth = -(-K // 128)
    kinds = [((M, 1), (1, N)), ((1, 1), (1, 1))]
    if depth > 1:  # One block of k has the scales of rows.
        kinds.append(((M, depth), (depth, -(-N // 128))))
    rows, columns = p.pick(kinds)
    sa, sb = (torch.rand(*shape, generator=p.random).to(p.device) + 0.1 for shape in (rows, columns))
    out = p.poisoned(M, N, dtype=torch.float32)
    fast = bool(p.below(2))
    kernels.scaled_matmul(a, b, sa, sb, out=out, fast_accumulation=fast)
    left = sa.double() if sa.shape[1] == 1 else sa.double().repeat_interleave(128, 1)[:, :K]
    right = sb.double()
    right = right if sb.shape[0] == 1 else right.repeat_interleave(128, 0)[:K]
    right = right if right.shape[1] in (1, N) else right.repeat_interleave(128, 1)[:, :N]
    left, right = a.double() * left, b.double() * right
    x = left @ right
    # Of few results that cancel, rounding is that of what they are sums of.
    size = max(x.norm().item(), (left**2 @ right**2).sum().sqrt().item())
    return out, x, (SHORTEST_SUMS if fast else SHORT_SUMS) * size


def check(seed, largest, device):
    """The name of a problem, and what is wrong with it or None."""
    problem = Problem(seed, largest, device)
    kind = problem.pick((plain, plain, plain, gated, grouped, scaled))
    try:
        result, expected, limit = kind(problem)
    except Exception as error:  # What a problem raises is what this looks for.
        return kind.__name__, f"{type(error).__name__}: {error}".splitlines()[0][:300]
    error = (result.double() - expected).norm().item()
    facts = torch.finfo(result.dtype)
    # Results too small for all their digits are rounded to steps of the same size.
    limit += facts.tiny * facts.eps / 2 * math.sqrt(result.numel())
    if error <= limit:
        return kind.__name__, None
    reason = f"{tuple(result.shape)} {result.dtype}: error {error:.3g}, {limit:.3g} is explained by rounding"
    return kind.__name__, reason


def main():
    """Checks the problems and prints those that are wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0, help="of the first problem; the others follow")
    parser.add_argument("--largest", type=int, default=4097, help="side of a matrix")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--workers", type=int, default=1, help="processes that compile and run side by side")
    parser.add_argument(
        "--seconds", type=float, default=math.inf, help="what has been checked by then is all"
    )
    options = parser.parse_args()
    begun, counts, wrong = time.perf_counter(), {}, 0
    seeds = range(options.seed, options.seed + options.cases)
    one = functools.partial(check, largest=options.largest, device=options.device)
    context = multiprocessing.get_context("spawn")  # CUDA does not survive a fork
    with concurrent.futures.ProcessPoolExecutor(options.workers, context) as pool:
        for seed, (name, reason) in zip(seeds, pool.map(one, seeds)):
            counts[name] = counts.get(name, 0) + 1
            if reason:
                wrong += 1
                print(f"seed {seed}: {name}: {reason}", flush=True)
            if time.perf_counter() - begun > options.seconds:
                pool.shutdown(wait=False, cancel_futures=True)
                break
    kinds = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    print(f"{sum(counts.values())} problems ({kinds}) in {time.perf_counter() - begun:.0f} s, {wrong} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
