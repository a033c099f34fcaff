"""Each op of the `warp` dialect has an example, lit tests, checked PTX and a kernel that runs it."""

import re
from pathlib import Path

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
import tilewright.language.warp as warp
from test_device_descriptors import BLOCKS, SHAPES, TYPES, grouped, run_grouped
from test_tile_counters import counted_groups
from test_warp_clusters import rotated
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel

ROOT = Path(__file__).resolve().parents[3]


@tw.jit
def roles(a_ptr, b_ptr, c_ptr, K, SIZE: tl.constexpr):
    """c = 2 a @ b.T of SIZE rows each: one role copies, the other multiplies each slot twice."""
    a = tl.make_tensor_descriptor(a_ptr, [SIZE, K], [K, 1], [SIZE, 64])
    b = tl.make_tensor_descriptor(b_ptr, [SIZE, K], [K, 1], [SIZE, 64])
    c = tl.make_tensor_descriptor(c_ptr, [SIZE, SIZE], [SIZE, 1], [SIZE, SIZE])
    ring, done = warp.ring(2, a, b), warp.named_barrier(8)
    part = warp.shared((SIZE, 64), tl.float16)

    def produce():
        for k in range(0, K, 64):
            slot = ring.acquire()
            slot.load(0, a, [0, k])
            slot.load(1, b, [0, k])
            ring.commit(slot)
        done.arrive()

    def consume():
        acc, held = tl.zeros((SIZE, SIZE), tl.float32), ring.no_slot()
        for k in range(0, K, 64):
            slot = ring.wait()
            part.store(slot[0].read())
            acc = warp.wgmma(slot[0], slot[1].T, acc)
            acc = warp.wgmma_wait(warp.wgmma(part, slot[1].T, acc))
            ring.release(held, when=k > 0)
            held = slot
        ring.release(held, when=K > 0)
        warp.barrier()
        done.wait()
        c.store([0, 0], acc.to(tl.float16))

    warp.specialize(warp.role(consume, warps=4, registers=240), warp.role(produce, warps=4, registers=24))


@tw.jit
def small_dot(a_ptr, b_ptr, c_ptr, K, SIZE: tl.constexpr):
    """c = a @ b of SIZE rows and columns, too few for warpgroups."""
    i, k = tl.arange(0, SIZE), tl.arange(0, 32)
    acc = tl.zeros((SIZE, SIZE), tl.float32)
    for start in range(0, K, 32):
        a = tl.load(a_ptr + i[:, None] * K + start + k[None, :])
        b = tl.load(b_ptr + (start + k)[:, None] * SIZE + i[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + i[:, None] * SIZE + i[None, :], acc)


@tw.jit
def uneven_dot(
    a_ptr, b_ptr, c_ptr, K, SIZE: tl.constexpr, COLUMNS: tl.constexpr, DECAY: tl.constexpr = False
):
    """c = a @ b.T of SIZE and COLUMNS rows. With DECAY, each step first halves every second row of acc."""
    i, j, k = tl.arange(0, SIZE), tl.arange(0, COLUMNS), tl.arange(0, 64)
    acc = tl.zeros((SIZE, COLUMNS), tl.float32)
    for start in range(0, K, 64):
        a = tl.load(a_ptr + i[:, None] * K + start + k[None, :])
        b = tl.load(b_ptr + j[None, :] * K + (start + k)[:, None])
        if DECAY:
            acc *= tl.where(i % 2 == 0, 1.0, 0.5)[:, None]
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + i[:, None] * COLUMNS + j[None, :], acc)


@tw.jit
def ping_pong_tiles(a_ptr, b_ptr, c_ptr, K, tiles, SIZE: tl.constexpr):
    """c = a @ b.T: each tile covers SIZE rows of a."""
    i, k = tl.arange(0, SIZE), tl.arange(0, 64)
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        rows = tile * SIZE + i
        acc = tl.zeros((SIZE, SIZE), tl.float32)
        for start in range(0, K, 64):
            a = tl.load(a_ptr + rows[:, None] * K + start + k[None, :])
            b = tl.load(b_ptr + i[None, :] * K + (start + k)[:, None])
            acc = tl.dot(a, b, acc)
        tl.store(c_ptr + rows[:, None] * SIZE + i[None, :], acc)


@tw.jit
def one_tile(a_ptr, b_ptr, c_ptr, K, tiles, SIZE: tl.constexpr):
    """c = a @ b.T: each program computes a tile of SIZE x SIZE, `tiles` tiles per row of tiles."""
    rows = tl.program_id(0) // tiles * SIZE + tl.arange(0, SIZE)
    columns = tl.program_id(0) % tiles * SIZE + tl.arange(0, SIZE)
    k = tl.arange(0, 64)
    acc = tl.zeros((SIZE, SIZE), tl.float32)
    for start in range(0, K, 64):
        a = tl.load(a_ptr + rows[:, None] * K + start + k[None, :])
        b = tl.load(b_ptr + columns[None, :] * K + (start + k)[:, None])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + rows[:, None] * tiles * SIZE + columns[None, :], acc)


@tw.jit
def ordered_add(x_ptr, values_ptr):
    """x += values[program], in program order."""
    tl.atomic_add(x_ptr, tl.load(values_ptr + tl.program_id(0)))


def run_ping_pong_tiles(backend, rng):
    a, b = (rng.integers(-2, 3, (rows, 128)).astype(np.float16) for rows in (7 * 64, 64))
    c = backend.poisoned((7 * 64, 64), "float32")
    ping_pong_tiles[2](backend.array(a), backend.array(b), c, 128, 7, 64, ping_pong=True)
    np.testing.assert_array_equal(backend.numpy(c), a.astype(np.float32) @ b.astype(np.float32).T)


def run_one_tile(backend, rng):
    a, b = (rng.integers(-2, 3, (rows * 64, 128)).astype(np.float16) for rows in (2, 3))
    c = backend.poisoned((2 * 64, 3 * 64), "float32")
    one_tile[2 * 3](backend.array(a), backend.array(b), c, 128, 3, 64, single_wave=True)
    np.testing.assert_array_equal(backend.numpy(c), a.astype(np.float32) @ b.astype(np.float32).T)


def run_ordered_add(backend, rng):
    values = (rng.standard_normal(100) * 10.0 ** rng.integers(-6, 6, 100)).astype(np.float32)
    x = backend.array(np.zeros(1, np.float32))
    ordered_add[100](x, backend.array(values), deterministic=True)
    np.testing.assert_array_equal(backend.numpy(x), np.add.accumulate(values)[-1:])


def run_roles(backend, rng):
    a, b = (rng.integers(-2, 3, (64, 256)).astype(np.float16) for _ in range(2))
    c = backend.poisoned((64, 64), "float16")
    roles[1](backend.array(a), backend.array(b), c, 256, 64)
    np.testing.assert_array_equal(backend.numpy(c), 2 * a.astype(np.float32) @ b.astype(np.float32).T)


def run_small_dot(backend, rng):
    a, b = (rng.integers(-2, 3, shape).astype(np.float16) for shape in ((32, 256), (256, 32)))
    c = backend.poisoned((32, 32), "float32")
    small_dot[1](backend.array(a), backend.array(b), c, 256, 32)
    np.testing.assert_array_equal(backend.numpy(c), a.astype(np.float32) @ b.astype(np.float32))


def run_uneven_dot(backend, rng, columns=176):
    a, b = (rng.integers(-2, 3, (rows, 256)).astype(np.float16) for rows in (64, columns))
    c = backend.poisoned((64, columns), "float32")
    uneven_dot[1](backend.array(a), backend.array(b), c, 256, 64, columns)
    np.testing.assert_array_equal(backend.numpy(c), a.astype(np.float32) @ b.astype(np.float32).T)


def run_decaying_dot(backend, rng):
    a, b = (rng.integers(-2, 3, (rows, 256)).astype(np.float16) for rows in (64, 128))
    c, want = backend.poisoned((64, 128), "float32"), np.zeros((64, 128), np.float32)
    uneven_dot[1](backend.array(a), backend.array(b), c, 256, 64, 128, DECAY=True)
    for x, y in zip(np.split(a, 4, 1), np.split(b, 4, 1), strict=True):
        want[1::2] *= 0.5
        want += x.astype(np.float32) @ y.astype(np.float32).T
    np.testing.assert_array_equal(backend.numpy(c), want)


def run_rotated(backend, rng):
    x = rng.integers(-99, 99, (4, 32, 32)).astype(np.float32)
    y = backend.poisoned(x.shape, "float32")
    rotated[4](backend.array(x), y, 32, False, 2)
    np.testing.assert_array_equal(backend.numpy(y), x)


def run_counted_groups(backend, rng):
    a, b = (rng.integers(-2, 3, (192, 128)).astype(np.float16) for _ in range(2))
    c, counter = backend.poisoned((192, 64), "float32"), backend.array(np.zeros(1, np.int32))
    counted_groups[2](backend.array(a), backend.array(b), c, counter, 3, 128, 64, 64, 4)
    x, y = (v.reshape(3, 64, 128).astype(np.float32) for v in (a, b))
    np.testing.assert_array_equal(backend.numpy(c).reshape(3, 64, 64), x @ y.transpose(0, 2, 1))


# Name: kernel, constants, argument types, the function that runs it. `ordered_add` is compiled as deterministic.
_MATRICES = {"a_ptr": "*fp16", "b_ptr": "*fp16", "K": "i32"}
KERNELS = {
    "roles": (roles, {"SIZE": 64}, _MATRICES | {"c_ptr": "*fp16"}, run_roles),
    "small dot": (small_dot, {"SIZE": 32}, _MATRICES | {"c_ptr": "*fp32"}, run_small_dot),
    "uneven dot": (
        uneven_dot,
        {"SIZE": 64, "COLUMNS": 176, "DECAY": False},
        _MATRICES | {"c_ptr": "*fp32"},
        run_uneven_dot,
    ),
    "dot": (
        uneven_dot,
        {"SIZE": 64, "COLUMNS": 128, "DECAY": False},
        _MATRICES | {"c_ptr": "*fp32"},
        lambda backend, rng: run_uneven_dot(backend, rng, 128),
    ),
    "decaying dot": (
        uneven_dot,
        {"SIZE": 64, "COLUMNS": 128, "DECAY": True},
        _MATRICES | {"c_ptr": "*fp32"},
        run_decaying_dot,
    ),
    "cluster": (
        rotated,
        {"SIZE": 32, "TRANSPOSED": False, "CLUSTER": 2},
        {"x_ptr": "*fp32", "y_ptr": "*fp32"},
        run_rotated,
    ),
    "maps": (
        grouped,
        {"PROGRAMS": 3, **BLOCKS},
        TYPES,
        lambda backend, rng: run_grouped(backend, rng, SHAPES, 3),
    ),
    "counter": (
        counted_groups,
        {"B": 64, "BK": 64, "ROUNDS": 4},
        _MATRICES | {"c_ptr": "*fp32", "counter_ptr": "*i32", "groups": "i32"},
        run_counted_groups,
    ),
    "ping pong": (
        ping_pong_tiles,
        {"SIZE": 64},
        _MATRICES | {"c_ptr": "*fp32", "tiles": "i32"},
        run_ping_pong_tiles,
    ),
    "single wave": (
        one_tile,
        {"SIZE": 64},
        _MATRICES | {"c_ptr": "*fp32", "tiles": "i32"},
        run_one_tile,
    ),
    "ordered add": (ordered_add, {}, {"x_ptr": "*fp32", "values_ptr": "*fp32"}, run_ordered_add),
}
# Options that a kernel needs besides num_warps.
OPTIONS = {
    "ordered add": {"deterministic": True},
    "ping pong": {"ping_pong": True},
    "single wave": {"single_wave": True},
}

# Op: the kernel that contains it, and a pattern of its PTX, or None if it emits no instruction.
OPS = {
    "acquire_map_memory": ("maps", r"atom\.acquire\.gpu\.global\.or\.b32"),
    "alloc": ("roles", r"__tilewright_shared"),
    "async_copy": ("small dot", r"cp\.async\.c[ag]\.shared\.global"),
    "barrier": ("roles", r"bar\.sync\s+\d+, 128;"),
    "sched_anchor": ("single wave", r"setp\.eq\.and\.u32 none, %r\d+, 0, none; @none exit;"),
    "cluster_barrier": ("cluster", r"barrier\.cluster\.wait"),
    "cluster_rank": ("cluster", r"%cluster_ctarank"),
    "unlikely": ("maps", None),
    "convert_layout": ("small dot", r"shfl\.sync|st\.shared|stmatrix"),
    "opaque": ("maps", None),
    "ring.put_scalar": ("counter", r"mbarrier\.arrive\.shared::cta"),
    "acc_store": ("dot", r"mov\.b32\s+%a0, %r\d+;"),
    "acc_decl": ("dot", r"\.reg \.b32 %a<64>"),
    "local_load": ("roles", r"ld\.shared|ldmatrix"),
    "local_store": ("roles", r"st\.shared|stmatrix"),
    "make_tensor_map": ("maps", r"tensormap\.replace\.tile\.global_address"),
    "mma": ("small dot", r"mma\.sync\.aligned\.m16n8k16"),
    "named_barrier_arrive": ("roles", r"bar\.arrive 15, 256;"),
    "named_barrier_wait": ("roles", r"bar\.sync\s+15, 256;"),
    "ticket_pass": ("ordered add", r"st\.release\.gpu\.global"),
    "proxy_fence": ("roles", r"fence\.proxy\.async\.shared::cta"),
    "acc_load": ("dot", r"mov\.b32\s+%r\d+, %a0;"),
    "release_map_memory": ("maps", r"red\.release\.gpu\.global\.and\.b32"),
    "remote_load": ("cluster", r"ld\.shared::cluster"),
    "ring": ("roles", r"mbarrier\.init"),
    "ring.acquire": ("roles", r"mbarrier\.arrive\.expect_tx"),
    "ring.commit": ("small dot", r"cp\.async\.commit_group"),
    "ring.drain": ("maps", r"mbarrier\.try_wait\.parity"),
    "ring.no_slot": ("roles", None),
    "ring.release": ("roles", r"mbarrier\.arrive\.shared::cta"),
    "ring.skip": ("ping pong", None),
    "ring.wait": ("roles", r"mbarrier\.try_wait\.parity"),
    "role_end": ("roles", None),
    "scale": ("decaying dot", r"mul\.rn\.f32\s+%a0, %a0, %r\d+;"),
    "shared_transpose": ("roles", None),
    "specialize": ("roles", r"setmaxnreg"),
    "ring.get_scalar": ("counter", r"fence\.proxy\.async;"),
    "pingpong_leads": ("ping pong", r"%tid\.x"),
    "pingpong_pass": ("ping pong", r"bar\.arrive %r\d+, 256;"),
    "pingpong_wait": ("ping pong", r"bar\.sync\s+%r\d+, 256;"),
    "tma_load": ("roles", r"cp\.async\.bulk\.tensor\.2d\.shared::cluster\.global"),
    "tma_store": ("roles", r"cp\.async\.bulk\.tensor\.2d\.global\.shared::cta"),
    "tma_store_wait": ("roles", r"cp\.async\.bulk\.wait_group\.read"),
    "ticket_wait": ("ordered add", r"ld\.acquire\.gpu\.global"),
    "wgmma": ("uneven dot", r"wgmma\.mma_async\.sync\.aligned\.m64n176k16"),
    "wgmma_wait": ("roles", r"wgmma\.wait_group"),
}

# Ops that the lowering to LLVM inserts, after the stage that is saved as "warp".
LATE = ("acc_store", "acc_decl", "acc_load", "scale")


def definitions():
    """The text that defines each op, by name."""
    found = {}
    for path in sorted((ROOT / "dialect" / "Warp").glob("Warp*Ops.td")):
        for text in re.split(r"\n(?=def )", path.read_text()):
            if match := re.match(r'def Warp_\w+Op : Warp_\w*Op<\s*"([\w.]+)"', text):
                found[match[1]] = text
    return found


def named(op, text):
    """Whether `text` names the op."""
    return re.search(rf"warp\.{re.escape(op)}(?![\w.])", text) is not None


def lit_tests(folder, pattern, marker=""):
    """The text of all lit tests of a folder that contain `marker`."""
    texts = [path.read_text() for path in (ROOT / "test" / folder).rglob(pattern)]
    return "\n".join(text for text in texts if marker in text)


needs_sources = pytest.mark.skipif(not (ROOT / "dialect").exists(), reason="only where the sources are")


@needs_sources
def test_every_op_is_in_the_table():
    assert sorted(OPS) == sorted(definitions())


@needs_sources
@pytest.mark.parametrize("op", OPS)
def test_has_an_example(op):
    example = re.search(r"```mlir(.*?)```", definitions()[op], re.DOTALL)
    assert example and named(op, example[1])


@needs_sources
@pytest.mark.parametrize("op", OPS)
def test_has_lit_tests(op):
    if op == "role_end":
        return  # the implicit terminator is never written
    assert named(op, lit_tests("dialect/Warp", "*[!s].mlir")), "no test of its syntax"
    lowered = lit_tests("lib/Conversion/WarpToLLVM", "*.mlir", "tilewright-test-ptx")
    assert named(op, lowered), "no test follows it to PTX"
    if "hasVerifier = 1" in definitions()[op]:
        assert named(op, lit_tests("dialect/Warp", "*_errors.mlir")), "no test of its verifier"


@pytest.mark.compiled
@pytest.mark.parametrize("op", OPS)
def test_code(op, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CHECK", "0")
    name, code = OPS[op]
    fn, constants, types, _ = KERNELS[name]
    options = Options(num_warps=4, **OPTIONS.get(name, {}))
    made = compile_kernel(
        fn.fn, types, constants, dict.fromkeys(types, 16), "sm_90a", options, stop_after="ptx"
    )
    assert op == "role_end" or op in LATE or named(op, made.asm["warp"])
    assert code is None or re.search(code, made.asm["ptx"])


@pytest.mark.parametrize("kernel", KERNELS)
def test_runs(backend, rng, kernel):
    if backend.name == "cpu" and kernel in ("roles", "cluster"):
        pytest.skip("the CPU back end has no warps")
    if backend.name == "interpreter" and kernel == "maps":
        pytest.skip("addresses in arrays are none of the interpreter's")
    KERNELS[kernel][3](backend, rng)
