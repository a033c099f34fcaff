"""How a product is divided among programs, and the model of its cost by which that is chosen.

The model counts, for each way to divide a product (M, N, K), the clocks of the busiest multiprocessor:

    step   = max(products at the rate of the tensor cores, each instruction's no sooner than it has read its operands,
                 operands written to and read from shared memory, at its rate: each 64 rows read all of their columns,
                 operands at the rate of the L2 cache, the more the lines and sectors their rows begin within,
                 and less by half of the longer side where two programs of a cluster share it)
                                                                 for one tile and BLOCK_K
    tile   = steps of a tile * step + what it takes to store it, and what follows the product
    cores  = rounds * tile, where round i computes the i-th tile of every multiprocessor; of warpgroups that take
             tiles in turn half the rounds * tile, but no less than the steps of all rounds and one store; and what
             is added to the store of the last tile
    memory = bytes of a, b and the result at the rate of DRAM
    time   = launch + cbrt(cores^3 + memory^3) [+ reduce + sums written and read, where k is split]
             [+ what a cluster waits for]

Its constants (:class:`Costs`) were measured on an H100, and looked over on an H200; `benchmarks/gemm_sweep.py` compares
its choices with an exhaustive search, and `benchmarks/gemm_fit.py` fits them to it. It takes some 100 microseconds for a
new shape and one for a known one.
"""

import math
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache

import tilewright as tw

from .._arrays import dtype_name, multiprocessors, on_gpu, strides


@dataclass(frozen=True)
class Config:
    """How a product is divided among programs.

    Attributes:
        block_m, block_n: rows and columns of a tile: a power of two or a multiple of 64, and a multiple of 16.
        block_k: how much of k is loaded at once, a power of two.
        num_warps, num_stages, num_ctas, ping_pong: as for any kernel.
        group_m: rows of tiles that are taken before the next column; of tiles higher than wide, columns
            before the next row.
        split_k: parts along k, whose sums are added by a second kernel, in order.
        swap: compute the transposed result from transposed operands.
    """

    block_m: int
    block_n: int
    block_k: int
    num_warps: int = 4
    num_stages: int = 4
    group_m: int = 8
    split_k: int = 1
    swap: bool = False
    num_ctas: int = 1
    ping_pong: bool = False

    def __post_init__(self):
        for name in ("block_m", "block_n", "block_k", "group_m", "split_k"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} is a positive int, got {value!r}")
        if self.block_k & (self.block_k - 1):
            raise ValueError(f"block_k is a power of two, got {self.block_k}")
        if self.block_m & (self.block_m - 1) and self.block_m % 64:
            raise ValueError(f"block_m is a power of two or a multiple of 64, got {self.block_m}")
        if self.block_n % 16:
            raise ValueError(f"block_n is a multiple of 16, got {self.block_n}")

    def launch(self, alone=False):
        """Constants and options of the kernel; ``alone``: no multiprocessor gets two programs: see
        :func:`are_alone`.
        """
        return {
            "SPLIT_K": self.split_k,
            "BLOCK_M": self.block_m,
            "BLOCK_N": self.block_n,
            "BLOCK_K": self.block_k,
            "GROUP_M": self.group_m,
            "num_warps": self.num_warps,
            "num_stages": self.num_stages,
            "num_ctas": self.num_ctas,
            "ping_pong": self.ping_pong,
            "single_wave": alone and self.num_ctas == 1 and not self.ping_pong,
        }

    def reduce_block(self, M, N):
        """Rows and columns of a program that adds the parts."""
        columns = min(tw.next_power_of_2(N), 128)
        return min(tw.next_power_of_2(M), 512 // columns), columns


@dataclass(frozen=True)
class Problem:
    """What the choice depends on: the sides, how many products, bytes of an operand's element, whether
    sums go through registers at every block of k, tiles of sums a program holds, multiprocessors, whether
    the kernel can only compute whole tiles as they are, the block of k that scales stand for (0: none),
    within which a tile's sides lie, too, whether nothing follows the product; what rows of the operands cost
    the L2 cache: see :func:`reach`; whether the operands are contiguous along k; whether what follows the
    product takes more registers than warpgroups with many sums have left; and whether a function such as
    GELU is part of it.
    """

    M: int
    N: int
    K: int
    batch: int
    itemsize: int
    exact: bool = False
    sums: int = 1
    processors: int = 132
    whole: bool = False
    scale_block: int = 0
    plain: bool = False
    a_reach: float = 1.0
    b_reach: float = 1.0
    a_along_k: bool = True
    b_along_k: bool = True
    crowded: bool = False
    function: bool = True

    @cached_property
    def turned(self):
        """The transposed product: of b turned by a turned."""
        sides = {"M": self.N, "N": self.M, "a_reach": self.b_reach, "b_reach": self.a_reach}
        return replace(self, **sides, a_along_k=self.b_along_k, b_along_k=self.a_along_k)


def reach(pitch):
    """What the L2 cache does for 128 bytes of each row, whose rows begin ``pitch`` bytes apart, against rows that begin
    with a line: how many lines of 128 bytes they lie in, times how many sectors of 32 over four.
    """
    lines = 2 - math.gcd(pitch, 128) / 128
    sectors = 5 - math.gcd(pitch, 32) / 32
    return lines * sectors / 4


@dataclass(frozen=True)
class Costs:
    """The constants of the model, of an H100 or H200, in clocks of a multiprocessor.

    ``benchmarks/gemm_fit.py`` fits them to what ``benchmarks/gemm_sweep.py`` measured.

    Attributes:
        products: multiplications of 16-bit numbers a clock.
        shared, l2: bytes a clock and multiprocessor to and from shared memory, and from L2.
        dram: bytes a clock from DRAM.
        launch, reduce: clocks to launch a kernel and fill its pipeline, and to launch the one that adds parts,
            which gets ready meanwhile.
        store, last, sums: bytes a clock that a multiprocessor stores, what is added to that for its last tile, under
            whose store nothing runs, and of parts, which stay in the L2 cache.
        uneven, uneven_turn: what an instruction whose columns are no power of two takes longer, as a share;
            less where warpgroups take tiles in turn, since each covers what the other waits for.
        exact: the part of the products' clocks that sums outside of the tensor cores add.
        halves: what is added to that where they are taken for one half of a tile after the other.
        follows, function: clocks that scales, a bias and the like take for an element of the result, and a function
            such as GELU.
        turn: clocks from the last products of a warpgroup to the first ones of the next.
        cluster: clocks until all programs of clusters run, and until they have ended.
    """

    products: float = 2048
    shared: float = 145
    l2: float = 68
    dram: float = 1360
    launch: float = 13400
    reduce: float = 3800
    store: float = 26
    last: float = 22
    sums: float = 2700
    uneven: float = 0.03
    uneven_turn: float = 0.01
    exact: float = 0.15
    halves: float = 0.02
    follows: float = 0.045
    function: float = 0.09
    turn: float = 360
    cluster: float = 2400


COSTS = Costs()
CLOCK = 1.8e9  # clocks a second

# Bytes of shared memory for operands on their way.
SLOTS = 200 * 1024

# Rows, columns and warps of a tile, the first of equals first. Two warpgroups share the larger ones.
TILES = (
    (128, 256, 8),
    (256, 128, 8),
    (256, 192, 8),
    (256, 160, 8),
    (192, 192, 8),
    (192, 128, 8),
    (128, 224, 8),
    (128, 208, 8),
    (128, 192, 8),
    (128, 176, 8),
    (128, 160, 8),
    (128, 144, 8),
    (128, 128, 8),
    (128, 112, 8),
    (128, 96, 8),
    (64, 256, 4),
    (64, 192, 4),
    (64, 160, 4),
    (64, 144, 4),
    (64, 128, 4),
    (64, 96, 4),
    (128, 64, 8),
    (64, 64, 4),
    (64, 32, 4),
    (64, 16, 4),
)
# Rows and columns of tiles that two warpgroups take in turn.
TURNS = ((128, 192), (128, 128), (128, 96))
SPLITS = (1, 2, 3, 4, 6, 8, 12, 16)


@lru_cache(maxsize=256)
def instructions(columns, along_k):
    """The columns of the instructions that compute so many. Of operands along k one takes any number up to 256; of
    others spans of 64, and those that are left are powers of two.
    """
    if along_k:
        return (columns,)
    spans, rest = columns // 64 * 64, columns % 64
    return ((spans,) if spans else ()) + tuple(1 << i for i in range(6) if rest >> i & 1)


@lru_cache(maxsize=256)
def passes(block_m, block_n, num_warps, along_k, halves=False):
    """What the instructions of one step along k compute: so many rows and columns, the latter divided among so many
    warpgroups. Rows are pieces of powers of two, those of each piece divided among the warpgroups as far as there are 64
    for each. ``halves``: first one half of the columns, then the other.
    """
    whole = 2 * instructions(block_n // 2, along_k) if halves else instructions(block_n, along_k)
    pieces = tuple(1 << i for i in range(8, 3, -1) if block_n >> i & 1)
    found = []
    for rows in (1 << i for i in range(block_m.bit_length()) if block_m >> i & 1):
        groups = max(16 * num_warps // max(rows, 64), 1)
        found += [(rows, columns, groups) for columns in (whole if groups == 1 else pieces)]
    return found


def clocks(problem, config, costs=COSTS):
    """The model of the head of this file."""
    problem = problem.turned if config.swap else problem
    M, N = problem.M, problem.N
    bm, bn, bk, size = config.block_m, config.block_n, config.block_k, problem.itemsize
    tiles = -(-M // bm) * -(-N // bn) * problem.batch * config.split_k
    steps = -(-problem.K // (bk * config.split_k))
    columns = bn * problem.sums
    # In rows and columns of the operands, each of `line` bytes.
    line = bk * size
    products = touched = 0
    halves = in_halves(problem, bn)
    uneven = costs.uneven_turn if config.ping_pong else costs.uneven
    for rows, part, groups in passes(bm, bn, config.num_warps, problem.b_along_k, halves):
        multiplied = rows * part * (1 if part.bit_count() == 1 else 1 + uneven) / 2 / costs.products
        read = rows * groups + part * max(rows // 64, 1)
        products += max(multiplied, read / costs.shared)
        touched += read
    products *= problem.sums * line
    sides = [bm * problem.a_reach, columns * problem.b_reach]
    sides[bm <= bn] /= config.num_ctas
    step = max(
        products, line * (bm + columns + touched * problem.sums) / costs.shared, line * sum(sides) / costs.l2
    )
    if problem.exact:
        # The sums leave the tensor cores after each block; those stand still meanwhile.
        step += (costs.exact + costs.halves * halves) * products
    written = bm * bn * (4 if config.split_k > 1 else 2)
    stored, last = written / costs.store, written / costs.last
    if config.split_k == 1 and not problem.plain:
        stored += (costs.follows + costs.function * problem.function) * bm * bn
    rounds = -(-tiles // (problem.processors // config.num_ctas * config.num_ctas))
    if config.ping_pong:
        cores = max(rounds * (steps * step + costs.turn), -(-rounds // 2) * (steps * step + stored)) + stored
    else:
        cores = rounds * (steps * step + stored)
    cores += last
    memory = problem.batch * (size * problem.K * (M + N * problem.sums) + 2 * M * N) / costs.dram
    time = costs.launch + (cores**3 + memory**3) ** (1 / 3)
    if config.split_k > 1:
        time += costs.reduce + problem.batch * M * N * (8 * config.split_k + 2) / costs.sums
    return time + (costs.cluster if config.num_ctas > 1 else 0)


def in_halves(problem, bn):
    """Whether exact sums of a tile are too many to stand beside those of a block."""
    return problem.exact and bn > 192


def fits(problem, bm, bn, warps, in_turn):
    """Whether a tile's sums fit in the registers of its threads, and its sides in the blocks of scales."""
    registers = bm * bn * problem.sums // (32 * warps)
    if problem.scale_block and max(bm, bn) > problem.scale_block:
        return False
    # Sums of one block stand beside those of all, half a tile of them where it is wide.
    of_block = 0 if not problem.exact else registers // 2 if in_halves(problem, bn) else registers
    return registers + of_block <= (192 if problem.exact or problem.plain or in_turn else 128)


def divides(problem, bm, bn, in_turn):
    """Whether the kernel takes a tile whose sides are no powers of two. What follows a product goes by powers of two of
    columns, and two of them are taken together.
    """
    if bm.bit_count() == bn.bit_count() == 1:
        return True
    # Of an operand that is not along k, columns left over are an instruction that waits for shared memory.
    if bn % (16 if problem.b_along_k else 64 if in_turn else 32):
        return False
    if problem.exact:
        return bm.bit_count() == 1 and bn == 192 and not problem.whole
    return problem.plain or (bm.bit_count() == 1 and bn.bit_count() == 2 and not problem.whole)


def candidates(problem):
    """Every way to divide the problem that the model compares."""
    block_k = 128 // problem.itemsize
    # Clusters pay where the L2 cache is what products wait for.
    shares = max(problem.a_reach, problem.b_reach) > 1 and not problem.whole and not problem.exact
    tiles = [(*tile, False) for tile in TILES]
    if not (problem.whole or problem.exact or problem.crowded):
        tiles += [(*tile, 4, True) for tile in TURNS]
    may_swap = problem.M <= 64 < problem.N and not problem.whole
    # Few rows are better columns: all programs would read the same rows at once.
    for swap in (True, False) if may_swap else (False,):
        asked = problem.turned if swap else problem
        M, N = asked.M, asked.N
        for bm, bn, warps, in_turn in tiles:
            if not fits(problem, bm, bn, warps, in_turn) or not divides(asked, bm, bn, in_turn):
                continue
            # Mostly empty tiles, where there are smaller ones.
            if (bm > 64 and bm >= 2 * M) or (bn > 16 and bn >= 2 * N):
                continue
            programs = tw.cdiv(M, bm) * tw.cdiv(N, bn) * problem.batch
            # Small tiles do little with what they load, so they take more of it at once.
            deep = block_k * 2 if bm * bn * problem.sums <= 64 * 64 else block_k
            deep = problem.scale_block or deep
            stage = (bm + bn * problem.sums) * deep * problem.itemsize
            stages = min(max(SLOTS // stage, 3), 8)
            # Sums of parts beside those of a block and of the other half are more than there are registers.
            one = problem.whole or in_turn or (problem.exact and bn > 128)
            # What runs at once is about as high as wide, so that it shares most.
            group = 16 if max(bm, bn) == 2 * min(bm, bn) == 256 else 8
            for split in SPLITS[:1] if one else SPLITS:
                if split > 1 and (split * programs >= 2 * problem.processors or split * deep > problem.K):
                    break
                yield Config(bm, bn, deep, warps, stages, group, split, swap, 1, in_turn)
            if shares and programs > 1 and not in_turn:
                yield Config(bm, bn, deep, warps, stages, 8, 1, swap, 2)


@lru_cache(maxsize=4096)
def choose_hopper(problem):
    """The candidate of least cost, the first of equals."""
    return min(candidates(problem), key=lambda config: clocks(problem, config))


# Rows, columns, steps along k, warps and slots of a tile that threads compute, and the share of multiplications among
# instructions. The longer the steps, the fewer waits; two programs share a multiprocessor.
THREAD_TILES = ((128, 128, 32, 8, 3, 0.93), (64, 64, 32, 4, 3, 0.84))


def choose_threads(problem):
    """For products that tensor cores do not compute: large tiles, of which each thread has 8 x 8 elements, where
    there are enough for all multiprocessors.
    """

    def cost(tile):
        bm, bn, *_, share = tile
        tiles = tw.cdiv(problem.M, bm) * tw.cdiv(problem.N, bn) * problem.batch
        return tw.cdiv(tiles, problem.processors) * bm * bn / share

    # Two sums take twice the registers.
    *config, _ = min(THREAD_TILES if problem.sums == 1 else THREAD_TILES[1:], key=cost)
    return Config(*config)


def choose_cpu(problem):
    """Tiles of a core's caches, with few rows where there are no more."""
    return Config(16 if problem.M <= 16 else 128, 128 // problem.sums, problem.scale_block or 128)


def default(problem, gpu, precision, by_threads):
    """The configuration for a device: tensor cores of a GPU, its threads, or a CPU."""
    if not gpu:
        return choose_cpu(problem)
    if by_threads:
        return choose_threads(problem)
    if precision == "tf32x3":
        # Three products a block, whose operands are split in registers.
        return Config(128, 128, 32, 8, 3)
    return choose_hopper(problem)


def are_alone(programs, x):
    """Whether the GPU of ``x`` has a multiprocessor for each of so many programs."""
    return on_gpu(x) and programs <= multiprocessors(x)


def choose(a, b, batch, precision, exact, config=None, rows=None, **known):
    """The configuration of ``batch`` products a @ b, where the user's ``config`` does not give it.

    ``rows``: those of one product, where ``a`` has all of them; ``known``: what else :class:`Problem` has.
    """
    if isinstance(config, Config):
        return config
    itemsize = a.dtype.itemsize
    gpu = on_gpu(a)
    sides = (rows or a.shape[-2], b.shape[-1], a.shape[-1])
    known |= {"processors": multiprocessors(a) if gpu else 1}
    known |= {"a_along_k": strides(a)[-1] == 1, "b_along_k": strides(b)[-2] == 1}
    known |= {f"{name}_reach": reach(max(strides(x)[-2:]) * itemsize) for name, x in (("a", a), ("b", b))}
    problem = Problem(*sides, batch, itemsize, exact, **known)
    chosen = default(problem, gpu, precision, dtype_name(a) == "float32" and precision == "ieee")
    if config is None:
        return chosen
    names = [field.name for field in fields(Config)]
    if not isinstance(config, dict) or not set(config) <= set(names):
        raise ValueError(f"config is a Config or a dict of {', '.join(names)}, got {config!r}")
    return replace(chosen, **config)
