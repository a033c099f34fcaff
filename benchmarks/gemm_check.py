"""Checks the matmuls of the library on random problems against float64.

    python benchmarks/gemm_check.py [--cases 2000] [--seed 0] [--largest 4097] [--device cuda] [--workers 8]
                                    [--seconds 60]

Kinds, shapes, strides, types, epilogues and configurations are random. Outputs are filled with NaN before a call. A
problem is wrong if the norm of its error exceeds a bound on rounding errors, or if it raises. The script prints the seed
of each wrong problem.
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

# Bounds on relative rounding errors (norm of the difference over norm of the reference).
ROUNDING = {torch.float32: 4e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}
PRECISION = {"ieee": 0.0, "tf32x3": 4e-6, "tf32": 4e-3}
# Tensor cores keep some 14 bits of float8 accumulators: of 128 elements of k, or of all with `fast_accumulation`.
EXACT_ERROR, FAST_ERROR = 1e-3, 4e-3
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
        """Returns a random integer from 0 to count - 1."""
        return int(torch.randint(count, (), generator=self.random))

    def pick(self, choices):
        """Returns a random choice."""
        return choices[self.below(len(choices))]

    def extent(self, largest=None):
        """Returns a random extent: its logarithm is uniform, and half of them are multiples of 16."""
        largest = largest or self.largest
        extent = int(
            2 ** (float(torch.rand((), generator=self.random)) * torch.log2(torch.tensor(float(largest + 1))))
        )
        return max(16 * (extent // 16), 1) if self.below(2) else extent

    def normal(self, *shape, dtype, scale=1.0):
        """Returns normal numbers, row- or column-major, with or without gaps and an offset."""
        *outer, rows, columns = shape
        transposed, gap, margin = self.below(2), self.pick((1, 1, 1, 2)), self.pick((0, 0, 1, 8))
        wide = (columns, rows) if transposed else (rows, columns)
        x = scale * torch.randn(*outer, wide[0], wide[1] * gap + margin, generator=self.random)
        x = x.to(dtype).to(self.device)[..., margin::gap]
        return x.swapaxes(-1, -2) if transposed else x

    def filled_with_nan(self, *shape, dtype):
        """Returns an output that is filled with NaN."""
        return torch.full(shape, float("nan"), dtype=dtype, device=self.device)

    def config(self):
        """Returns a random configuration, in half of the cases the model's choice."""
        ping_pong = {"block_m": 128, "block_n": 64, "num_warps": 4, "num_stages": 4, "ping_pong": True}
        others = ({"split_k": 2}, {"split_k": 5}, {"swap": True}, {"num_ctas": 2}, ping_pong)
        return self.pick((None,) * len(others) + others)


def plain(p):
    """Matmuls, batched or not, with random epilogues."""
    batch = p.pick(((), (), (), (3,), (2, 1, 3)))
    M, N, K = (p.extent(p.largest // 8 if batch else None) for _ in range(3))
    dtype = p.pick(FLOATS)
    precision = p.pick(("ieee", "tf32", "tf32x3")) if dtype == torch.float32 else "ieee"
    a = p.normal(*batch, M, K, dtype=dtype, scale=K**-0.5)
    b = p.normal(*p.pick((batch, ())), K, N, dtype=dtype)
    bias = p.normal(1, N, dtype=dtype)[0].contiguous() if p.below(2) else None
    addend, activation = p.pick(("c", "residual", "none")), p.pick(tuple(ACTIVATIONS))
    alpha, beta = p.pick((1.0, 0.5)), p.pick((1.0, -2.0))
    c = p.normal(M, N, dtype=dtype)
    out = p.filled_with_nan(*batch, M, N, dtype=dtype)
    given = {} if addend == "none" else {"c": c, "beta": beta} if addend == "c" else {"residual": c}
    kernels.matmul(a, b, bias, activation, precision, out, alpha=alpha, config=p.config(), **given)
    x = alpha * (a.double() @ b.double())
    x = x if bias is None else x + bias.double()
    x = x + beta * c.double() if addend == "c" else x
    # An activation may shrink a number without shrinking its error, so the bound uses the larger norm.
    size = x.norm().item()
    x = ACTIVATIONS[activation](x)
    x = x + c.double() if addend == "residual" else x
    # Tensor cores truncate the float32 accumulator each time that they add 8 elements of k.
    cut = 0.0 if precision == "ieee" else K / 8 * 2.0**-24
    return out, x, (ROUNDING[dtype] + PRECISION[precision] + cut) * max(size, x.norm().item())


def gated(p):
    """Gated units."""
    M, N, K = p.extent(), p.extent(p.largest // 2), p.extent()
    dtype = p.pick((torch.float16, torch.bfloat16))
    a = p.normal(M, K, dtype=dtype, scale=K**-0.5)
    gate, up = p.normal(K, N, dtype=dtype), p.normal(K, N, dtype=dtype)
    out = p.filled_with_nan(M, N, dtype=dtype)
    kernels.gated_matmul(a, gate, up, "gelu", out=out)
    x = torch.nn.functional.gelu(a.double() @ gate.double()) * (a.double() @ up.double())
    return out, x, ROUNDING[dtype] * x.norm().item()


def grouped(p):
    """Groups of rows, some of them empty."""
    groups, M, N, K = p.extent(40), p.extent(), p.extent(p.largest // 4), p.extent(p.largest // 4)
    dtype = p.pick((torch.float16, torch.bfloat16))
    ends = torch.randint(M + 1, (groups,), generator=p.random).sort().values
    ends[-1] = M
    a, b = p.normal(M, K, dtype=dtype), p.normal(groups, K, N, dtype=dtype)
    out = p.filled_with_nan(M, N, dtype=dtype)
    kernels.grouped_matmul(a, b, ends.int().to(p.device), out=out)
    bounds = [0, *ends.tolist()]
    x = torch.cat([a[i:j].double() @ b[g].double() for g, (i, j) in enumerate(itertools.pairwise(bounds))])
    return out, x, ROUNDING[dtype] * x.norm().item()


def scaled(p):
    """8-bit floats with scales per row and column, or per block."""
    M, N, K = p.extent(), p.extent(), p.extent()
    dtype = p.pick((torch.float8_e4m3fn, torch.float8_e5m2))
    a, b = p.normal(M, K, dtype=dtype), p.normal(K, N, dtype=dtype)
    depth = -(-K // 128)
    kinds = [((M, 1), (1, N)), ((1, 1), (1, 1))]
    if depth > 1:  # With one block of k these would be scales per row.
        kinds.append(((M, depth), (depth, -(-N // 128))))
    rows, columns = p.pick(kinds)
    sa, sb = (torch.rand(*shape, generator=p.random).to(p.device) + 0.1 for shape in (rows, columns))
    out = p.filled_with_nan(M, N, dtype=torch.float32)
    fast = bool(p.below(2))
    kernels.scaled_matmul(a, b, sa, sb, out=out, fast_accumulation=fast)
    left = sa.double() if sa.shape[1] == 1 else sa.double().repeat_interleave(128, 1)[:, :K]
    right = sb.double()
    right = right if sb.shape[0] == 1 else right.repeat_interleave(128, 0)[:K]
    right = right if right.shape[1] in (1, N) else right.repeat_interleave(128, 1)[:, :N]
    left, right = a.double() * left, b.double() * right
    x = left @ right
    # If few results cancel, the rounding error is that of their terms.
    size = max(x.norm().item(), (left**2 @ right**2).sum().sqrt().item())
    return out, x, (FAST_ERROR if fast else EXACT_ERROR) * size


def check(seed, largest, device):
    """Returns the kind of a problem, and its failure or None."""
    problem = Problem(seed, largest, device)
    kind = problem.pick((plain, plain, plain, gated, grouped, scaled))
    try:
        result, expected, limit = kind(problem)
    except Exception as error:  # Any exception is a failure.
        return kind.__name__, f"{type(error).__name__}: {error}".splitlines()[0][:300]
    error = (result.double() - expected).norm().item()
    facts = torch.finfo(result.dtype)
    # Subnormal results have a fixed rounding step.
    limit += facts.tiny * facts.eps / 2 * math.sqrt(result.numel())
    if error <= limit:
        return kind.__name__, None
    reason = (
        f"{tuple(result.shape)} {result.dtype}: error {error:.3g}, at most {limit:.3g} expected from rounding"
    )
    return kind.__name__, reason


def main():
    """Checks the problems and prints the wrong ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0, help="seed of the first problem; the others count up")
    parser.add_argument("--largest", type=int, default=4097, help="largest extent of a matrix")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--workers", type=int, default=1, help="parallel processes")
    parser.add_argument("--seconds", type=float, default=math.inf, help="time limit")
    options = parser.parse_args()
    begun, counts, wrong = time.perf_counter(), {}, 0
    seeds = range(options.seed, options.seed + options.cases)
    one = functools.partial(check, largest=options.largest, device=options.device)
    context = multiprocessing.get_context("spawn")  # CUDA does not support fork
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
