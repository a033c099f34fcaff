"""The configuration of a matmul, and the cost model that chooses it.

For each candidate configuration of a problem (M, N, K) the model counts the clocks of the busiest multiprocessor:

    step   = one block of k of one tile, the maximum of
             1. the mma time; an instruction takes no less than the time to read its operands,
             2. the shared memory traffic: operands written once, columns read again for each 64 rows,
             3. the L2 traffic: more where rows start within a cache line or a sector; two CTAs of a cluster
                halve that of the longer dimension of the tile.
    tile   = steps of a tile * step + epilogue and store
    cores  = rounds * tile + the exposed part of the last store; round i computes the i-th tile of every
             multiprocessor. With ping-pong, half of the rounds * tile, but at least the steps of all rounds and
             one store.
    memory = bytes of a, b and the result at the rate of DRAM
    time   = launch + cbrt(cores^3 + memory^3) [+ reduce + partial results written and read, with split_k]
             [+ start and end of clusters]

`benchmarks/gemm_sweep.py` compares the choices with an exhaustive search. `benchmarks/gemm_fit.py` fits the constants
(:class:`Costs`) to its results. `benchmarks/notes/kernel-library.md` has the GPUs and the cost of a choice.
"""

import math
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache

import tilewright as tw

from .._arrays import dtype_name, multiprocessors, on_gpu, strides


@dataclass(frozen=True)
class Config:
    """The configuration of a matmul kernel.

    Attributes:
        block_m: rows of a tile, a power of two or a multiple of 64.
        block_n: columns of a tile, a multiple of 16.
        block_k: extent of k of one iteration, a power of two.
        num_warps, num_stages, num_ctas, ping_pong: as for any kernel.
        group_m: rows of tiles before the next column of tiles (rasterization). For tiles with more rows
            than columns it counts columns before the next row.
        split_k: parts along k. A second kernel adds their partial results in order.
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
        """Constants and options of the kernel.

        ``alone``: no multiprocessor gets two programs, see :func:`are_alone`.
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
        """Rows and columns of a program of the kernel that adds the parts."""
        columns = min(tw.next_power_of_2(N), 128)
        return min(tw.next_power_of_2(M), 512 // columns), columns


@dataclass(frozen=True)
class Problem:
    """The input of the choice.

    Attributes:
        M, N, K: extents of one matmul.
        batch: number of matmuls.
        itemsize: bytes of an element of the operands.
        exact: each block of k is added to the accumulator in registers, outside of the tensor cores.
        accumulators: number of accumulator tiles of a program.
        processors: number of multiprocessors.
        whole: the kernel supports neither split_k, swap, clusters nor ping-pong.
        scale_block: extent of the blocks that share a scale; 0 without such scales. A tile is at most one block.
        plain: there is no epilogue.
        a_reach, b_reach: relative L2 cost of the rows of an operand, see :func:`reach`.
        a_along_k, b_along_k: the operand is contiguous along k.
        crowded: the epilogue needs more registers than a ping-pong group has left with its accumulator.
        function: the epilogue has an activation function.
    """

    M: int
    N: int
    K: int
    batch: int
    itemsize: int
    exact: bool = False
    accumulators: int = 1
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
    def transposed(self):
        """The transposed problem: b^T @ a^T."""
        swapped = {"M": self.N, "N": self.M, "a_reach": self.b_reach, "b_reach": self.a_reach}
        return replace(self, **swapped, a_along_k=self.b_along_k, b_along_k=self.a_along_k)


def reach(pitch):
    """Returns the L2 cost of 128 bytes of each row, relative to rows that start at cache lines.

    The cost is the mean number of 128-byte lines, times the mean number of 32-byte sectors over four. ``pitch``: bytes
    from row to row.
    """
    lines = 2 - math.gcd(pitch, 128) / 128
    sectors = 5 - math.gcd(pitch, 32) / 32
    return lines * sectors / 4


@dataclass(frozen=True)
class Costs:
    """The constants of the model for H100 and H200, in clocks of a multiprocessor.

    ``benchmarks/gemm_fit.py`` fits them to the results of ``benchmarks/gemm_sweep.py``.

    Attributes:
        mma: multiplications of 16-bit numbers per clock.
        shared, l2: bytes per clock and multiprocessor to and from shared memory, and from L2.
        dram: bytes per clock from DRAM.
        launch: clocks to launch a kernel and fill its pipeline.
        reduce: clocks to launch the kernel that adds parts; its prologue overlaps with the matmul.
        store: bytes per clock and multiprocessor of stores.
        last: bytes per clock of the exposed part of the last store, which nothing overlaps with.
        partials: bytes per clock of partial results, which stay in L2.
        uneven: extra share of an instruction whose columns are not a power of two.
        uneven_ping_pong: the same with ping-pong, where one group hides the latency of the other.
        exact: share of the mma clocks that accumulation outside of the tensor cores adds.
        half_tiles: addition to ``exact`` where the two halves of a tile accumulate one after the other.
        follows: clocks per element of the epilogue (scales, bias and the like).
        function: clocks per element of an activation function.
        hand_over: clocks from the last mma of a ping-pong group to the first mma of the other.
        cluster: clocks until all CTAs of clusters run, and until they have ended.
    """

    mma: float = 2048
    shared: float = 145
    l2: float = 68
    dram: float = 1360
    launch: float = 13400
    reduce: float = 3800
    store: float = 26
    last: float = 22
    partials: float = 2700
    uneven: float = 0.03
    uneven_ping_pong: float = 0.01
    exact: float = 0.15
    half_tiles: float = 0.02
    follows: float = 0.045
    function: float = 0.09
    hand_over: float = 360
    cluster: float = 2400


COSTS = Costs()
CLOCK = 1.8e9  # clocks per second

# Bytes of shared memory for the ring of operands.
SLOTS = 200 * 1024

# Rows, columns and warps of a tile; of equal costs the first wins. Two warpgroups share the larger tiles.
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
# Rows and columns of tiles for ping-pong: each of two warpgroups has a tile.
PING_PONG_TILES = ((128, 192), (128, 128), (128, 96))
SPLITS = (1, 2, 3, 4, 6, 8, 12, 16)


@lru_cache(maxsize=256)
def instructions(columns, along_k):
    """Returns the widths of the instructions that compute ``columns``.

    If b is contiguous along k, one instruction takes any number up to 256. Otherwise instructions take multiples of 64,
    and the rest is split into powers of two.
    """
    if along_k:
        return (columns,)
    spans, rest = columns // 64 * 64, columns % 64
    return ((spans,) if spans else ()) + tuple(1 << i for i in range(6) if rest >> i & 1)


@lru_cache(maxsize=256)
def passes(block_m, block_n, num_warps, along_k, half_tiles=False):
    """Returns the instructions of one step along k as tuples (rows, columns, warpgroups that divide the columns).

    Rows are split into powers of two. Warpgroups divide the rows of a piece as long as each has 64; then they divide
    its columns. ``half_tiles``: first one half of the columns, then the other.
    """
    whole = 2 * instructions(block_n // 2, along_k) if half_tiles else instructions(block_n, along_k)
    pieces = tuple(1 << i for i in range(8, 3, -1) if block_n >> i & 1)
    found = []
    for rows in (1 << i for i in range(block_m.bit_length()) if block_m >> i & 1):
        groups = max(16 * num_warps // max(rows, 64), 1)
        found += [(rows, columns, groups) for columns in (whole if groups == 1 else pieces)]
    return found


def clocks(problem, config, costs=COSTS):
    """Returns the cost of ``config`` by the model at the top of this file."""
    problem = problem.transposed if config.swap else problem
    M, N = problem.M, problem.N
    bm, bn, bk, size = config.block_m, config.block_n, config.block_k, problem.itemsize
    tiles = -(-M // bm) * -(-N // bn) * problem.batch * config.split_k
    steps = -(-problem.K // (bk * config.split_k))
    columns = bn * problem.accumulators
    # `touched` counts rows and columns of the operands, each of `line` bytes.
    line = bk * size
    mma = touched = 0
    half_tiles = adds_half_tiles(problem, bn)
    uneven = costs.uneven_ping_pong if config.ping_pong else costs.uneven
    for rows, part, groups in passes(bm, bn, config.num_warps, problem.b_along_k, half_tiles):
        multiplied = rows * part * (1 if part.bit_count() == 1 else 1 + uneven) / 2 / costs.mma
        read = rows * groups + part * max(rows // 64, 1)
        mma += max(multiplied, read / costs.shared)
        touched += read
    mma *= problem.accumulators * line
    fetched = [bm * problem.a_reach, columns * problem.b_reach]
    fetched[bm <= bn] /= config.num_ctas
    step = max(
        mma,
        line * (bm + columns + touched * problem.accumulators) / costs.shared,
        line * sum(fetched) / costs.l2,
    )
    if problem.exact:
        # The tensor cores idle while the accumulator of a block is read and added.
        step += (costs.exact + costs.half_tiles * half_tiles) * mma
    written = bm * bn * (4 if config.split_k > 1 else 2)
    stored, last = written / costs.store, written / costs.last
    if config.split_k == 1 and not problem.plain:
        stored += (costs.follows + costs.function * problem.function) * bm * bn
    rounds = -(-tiles // (problem.processors // config.num_ctas * config.num_ctas))
    if config.ping_pong:
        cores = (
            max(rounds * (steps * step + costs.hand_over), -(-rounds // 2) * (steps * step + stored)) + stored
        )
    else:
        cores = rounds * (steps * step + stored)
    cores += last
    memory = problem.batch * (size * problem.K * (M + N * problem.accumulators) + 2 * M * N) / costs.dram
    time = costs.launch + (cores**3 + memory**3) ** (1 / 3)
    if config.split_k > 1:
        time += costs.reduce + problem.batch * M * N * (8 * config.split_k + 2) / costs.partials
    return time + (costs.cluster if config.num_ctas > 1 else 0)


def adds_half_tiles(problem, bn):
    """Whether registers hold the accumulator of a block for half of a tile only."""
    return problem.exact and bn > 192


def fits(problem, bm, bn, warps, ping_pong_tile):
    """Whether the accumulators of a tile fit in registers, and the tile in a block with one scale."""
    registers = bm * bn * problem.accumulators // (32 * warps)
    if problem.scale_block and max(bm, bn) > problem.scale_block:
        return False
    # The accumulator of one block is live together with that of all blocks; for wide tiles half of it.
    of_block = 0 if not problem.exact else registers // 2 if adds_half_tiles(problem, bn) else registers
    return registers + of_block <= (192 if problem.exact or problem.plain or ping_pong_tile else 128)


def divides(problem, bm, bn, ping_pong_tile):
    """Whether the kernel supports a tile whose extents are not powers of two.

    The epilogue works on powers of two of columns; the kernel combines at most two of them.
    """
    if bm.bit_count() == bn.bit_count() == 1:
        return True
    # If b is not contiguous along k, the rest of the columns is an instruction bound by shared memory.
    if bn % (16 if problem.b_along_k else 64 if ping_pong_tile else 32):
        return False
    if problem.exact:
        return bm.bit_count() == 1 and bn == 192 and not problem.whole
    return problem.plain or (bm.bit_count() == 1 and bn.bit_count() == 2 and not problem.whole)


def candidates(problem):
    """Yields the configurations that the model compares."""
    block_k = 128 // problem.itemsize
    # Clusters pay where L2 bandwidth is the limit.
    shares = max(problem.a_reach, problem.b_reach) > 1 and not problem.whole and not problem.exact
    tiles = [(*tile, False) for tile in TILES]
    if not (problem.whole or problem.exact or problem.crowded):
        tiles += [(*tile, 4, True) for tile in PING_PONG_TILES]
    may_swap = problem.M <= 64 < problem.N and not problem.whole
    # Few rows are swapped to columns: otherwise all programs read the same rows at once.
    for swap in (True, False) if may_swap else (False,):
        asked = problem.transposed if swap else problem
        M, N = asked.M, asked.N
        for bm, bn, warps, ping_pong_tile in tiles:
            if not fits(problem, bm, bn, warps, ping_pong_tile) or not divides(asked, bm, bn, ping_pong_tile):
                continue
            # Skips mostly empty tiles where smaller ones exist.
            if (bm > 64 and bm >= 2 * M) or (bn > 16 and bn >= 2 * N):
                continue
            programs = tw.cdiv(M, bm) * tw.cdiv(N, bn) * problem.batch
            # Small tiles have little mma work per block, so they take deeper blocks.
            deep = block_k * 2 if bm * bn * problem.accumulators <= 64 * 64 else block_k
            deep = problem.scale_block or deep
            stage = (bm + bn * problem.accumulators) * deep * problem.itemsize
            stages = min(max(SLOTS // stage, 3), 8)
            # Wide exact tiles would need more registers with split_k than there are.
            one = problem.whole or ping_pong_tile or (problem.exact and bn > 128)
            # Makes a wave of tiles about square, so that it shares most operands.
            group = 16 if max(bm, bn) == 2 * min(bm, bn) == 256 else 8
            for split in SPLITS[:1] if one else SPLITS:
                if split > 1 and (split * programs >= 2 * problem.processors or split * deep > problem.K):
                    break
                yield Config(bm, bn, deep, warps, stages, group, split, swap, 1, ping_pong_tile)
            if shares and programs > 1 and not ping_pong_tile:
                yield Config(bm, bn, deep, warps, stages, 8, 1, swap, 2)


@lru_cache(maxsize=4096)
def choose_hopper(problem):
    """Returns the cheapest candidate, the first of equals."""
    return min(candidates(problem), key=lambda config: clocks(problem, config))


# Tiles for CUDA cores: rows, columns, block of k, warps, stages, and the share of multiplications among instructions.
# Two programs share a multiprocessor.
THREAD_TILES = ((128, 128, 32, 8, 3, 0.93), (64, 64, 32, 4, 3, 0.84))


def choose_threads(problem):
    """Chooses for matmuls on CUDA cores: large tiles where all multiprocessors get one.

    A thread has 8 x 8 elements of a large tile.
    """

    def cost(tile):
        bm, bn, *_, share = tile
        tiles = tw.cdiv(problem.M, bm) * tw.cdiv(problem.N, bn) * problem.batch
        return tw.cdiv(tiles, problem.processors) * bm * bn / share

    # Two accumulators need twice the registers.
    *config, _ = min(THREAD_TILES if problem.accumulators == 1 else THREAD_TILES[1:], key=cost)
    return Config(*config)


def choose_cpu(problem):
    """Chooses tiles that fit the caches of a core, with few rows if M is small."""
    return Config(16 if problem.M <= 16 else 128, 128 // problem.accumulators, problem.scale_block or 128)


def default(problem, gpu, precision, by_threads):
    """Returns the default configuration for tensor cores, CUDA cores (``by_threads``) or a CPU."""
    if not gpu:
        return choose_cpu(problem)
    if by_threads:
        return choose_threads(problem)
    if precision == "tf32x3":
        # Three dots per block; their operands are split in registers.
        return Config(128, 128, 32, 8, 3)
    return choose_hopper(problem)


def are_alone(programs, x):
    """Whether the GPU of ``x`` has a multiprocessor for each program."""
    return on_gpu(x) and programs <= multiprocessors(x)


def choose(a, b, batch, precision, exact, config=None, rows=None, **known):
    """Returns the configuration of ``batch`` matmuls a @ b; fields of the user's ``config`` win.

    ``rows``: rows of one matmul, where ``a`` has the rows of all; ``known``: further fields of :class:`Problem`.
    """
    if isinstance(config, Config):
        return config
    itemsize = a.dtype.itemsize
    gpu = on_gpu(a)
    extents = (rows or a.shape[-2], b.shape[-1], a.shape[-1])
    known |= {"processors": multiprocessors(a) if gpu else 1}
    known |= {"a_along_k": strides(a)[-1] == 1, "b_along_k": strides(b)[-2] == 1}
    known |= {f"{name}_reach": reach(max(strides(x)[-2:]) * itemsize) for name, x in (("a", a), ("b", b))}
    problem = Problem(*extents, batch, itemsize, exact, **known)
    chosen = default(problem, gpu, precision, dtype_name(a) == "float32" and precision == "ieee")
    if config is None:
        return chosen
    names = [field.name for field in fields(Config)]
    if not isinstance(config, dict) or not set(config) <= set(names):
        raise ValueError(f"config is a Config or a dict of {', '.join(names)}, got {config!r}")
    return replace(chosen, **config)
