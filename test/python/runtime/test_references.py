"""Launches neither lose nor keep references: reference counts are the same after many launches."""

import gc
import sys

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from optional_packages import needs

pytestmark = pytest.mark.compiled

TIMES = 500


@tw.jit
def add(x, out, n, step, BLOCK: tl.constexpr = 64):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(out + i, i < n) + step * tl.load(x + i, i < n), i < n)


@tw.jit
def copy(x, out, BLOCK: tl.constexpr):
    out.store([0, 0], x.load([0, 0]))


class Number(int):
    """An int that Python does not share, so its references are counted."""


def assert_balanced(action, *things):
    """Asserts that many calls leave the reference counts of `things` and their types, and no objects."""
    things = [*things, *{type(thing) for thing in things}]
    for _ in range(3):  # the cached state of a call replaces that of the previous one
        action()
    gc.collect()
    counts = [sys.getrefcount(thing) for thing in things]
    tracked = len(gc.get_objects())
    for _ in range(TIMES):
        action()
    gc.collect()
    assert [sys.getrefcount(thing) for thing in things] == counts
    assert len(gc.get_objects()) < tracked + TIMES // 2


@pytest.fixture(params=["library", "tilewright"])
def arrays(request, backend):
    """Two arrays of the back end's library, or two of Tilewright on its device."""
    made = [backend.array(np.ones((16, 16), np.float32)) for _ in range(2)]
    if request.param == "library":
        return made
    device = "cuda" if backend.name == "cuda" else "cpu"
    return [tw.from_numpy(np.ones((16, 16), np.float32), device=device) for _ in range(2)]


def test_launches(arrays):
    x, out = arrays
    n, step, block, grid, warps = Number(10), Number(3), Number(128), (Number(2),), Number(2)
    held = (x, out, n, step, block, grid, warps, add, tl.constexpr, tuple, None, True)
    assert_balanced(lambda: add[grid](x, out, n, step), *held)
    assert_balanced(lambda: add[grid](x, out, n, step=step, BLOCK=block, num_warps=warps), *held)
    assert_balanced(lambda: add[[n]](x, out, None or n, 2.5), *held)
    assert_balanced(lambda: add[n, 1](x, out, step=True, n=n), *held)


def test_grids_that_are_functions(arrays):
    x, out = arrays
    n, block = Number(10), Number(128)

    def grid(meta):
        return (tw.cdiv(meta["n"], meta["BLOCK"]),)

    assert_balanced(lambda: add[grid](x, out, n, 1, BLOCK=block), x, out, n, block, grid, add)
    assert_balanced(lambda: add[lambda meta: (n,)](x, out, n, 1), x, out, n, add)


def test_launchers_that_are_held(arrays):
    x, out = arrays
    first, second = (Number(2),), (Number(3),)
    launch = add[first]
    assert_balanced(lambda: (launch(x, out, 4, 1), add[second](x, out, 4, 1)), x, out, first, second, launch)


def test_bound_launches(arrays):
    x, out = arrays
    n, grid = Number(10), (Number(2),)
    launch = add.bind(grid, x, out, n, 1)
    assert_balanced(launch, x, out, n, grid, launch, launch.compiled)
    assert_balanced(lambda: add.bind(grid, x, out, n, 1)(), x, out, n, grid, add)


def test_warmups(arrays):
    x, out = arrays
    n = Number(10)
    assert_balanced(lambda: add.warmup(x, out, n, 1, grid=(1,)), x, out, n, add)


def test_descriptors(arrays):
    x, out = arrays
    shape, block = [Number(16), Number(16)], [Number(16), Number(16)]
    held = [tw.TensorDescriptor(array, shape, [16, 1], block) for array in (x, out)]
    assert_balanced(lambda: copy[1,](*held, 16), x, out, *held, *shape, *block)

    def made_anew():
        copy[1,](*[tw.TensorDescriptor(array, shape, [16, 1], block) for array in (x, out)], 16)

    assert_balanced(made_anew, x, out, *shape, *block)
    launch = copy.bind((1,), *held, 16)
    assert_balanced(launch, x, out, *held, *shape, *block)


def test_structured_arguments(arrays):
    @tw.jit
    def pairs(pair, n, BLOCK: tl.constexpr = 64):
        i = tl.arange(0, BLOCK)
        tl.store(pair[1] + i, tl.load(pair[0] + i, i < n), i < n)

    x, out = arrays
    pair, n = (x, out), Number(10)
    assert_balanced(lambda: pairs[1,](pair, n), x, out, pair, n)


def test_calls_that_are_refused(arrays):
    x, out = arrays
    n, wrong = Number(10), object()

    def refuse(grid, *args, **options):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            add[grid](*args, **options)

    for grid, *args in [
        (1, x, out),
        (1, x, out, n, wrong),
        (1, x, out, n, 1, x),
        (1, x, out, n, 1 << 70),
        ((1, 2, 3, 4), x, out, n, 1),
        (-1, x, out, n, 1),
        (wrong, x, out, n, 1),
        (lambda meta: wrong, x, out, n, 1),
    ]:
        assert_balanced(lambda grid=grid, args=args: refuse(grid, *args), x, out, n, wrong, grid)
    assert_balanced(lambda: refuse(1, x, out, n, 1, unknown=wrong), x, out, n, wrong)
    assert_balanced(lambda: refuse(1, x, out, n, 1, BLOCK=[]), x, out, n)


def test_hooks(arrays):
    x, out = arrays
    seen = Number(3)

    def hook(launch):
        return launch, seen

    with tw.launch_hook(hook, hook):
        assert_balanced(lambda: add[1,](x, out, 4, 1), x, out, seen, hook)


def test_arrays_by_dlpack():
    array, mine = np.ones(16, np.float32), tw.from_numpy(np.ones(16, np.float32), device="cpu")
    assert_balanced(lambda: tw.from_dlpack(array), array)
    assert_balanced(lambda: np.from_dlpack(mine), mine)
    assert_balanced(lambda: (mine.__dlpack__(), mine.__dlpack__(max_version=(1, 0))), mine)
    assert_balanced(lambda: tw.from_dlpack(tw.from_dlpack(array)), array)
    assert_balanced(lambda: (mine.reshape(4, 4), tw.to_numpy(mine), np.asarray(mine)), mine)
    torch = needs("torch")
    tensor = torch.ones(16)
    assert_balanced(lambda: tw.from_dlpack(tensor), tensor)
    assert_balanced(lambda: torch.from_dlpack(mine), mine)


@pytest.mark.cuda
def test_streams_and_graphs():
    stream, graph = tw.Stream(), tw.Graph()
    x, out = tw.zeros(64), tw.zeros(64)
    grid = (Number(1),)
    add[grid](x, out, 64, 1)

    def use():
        with stream:
            tw.current_stream()
            add[grid](x, out, 64, 1)
            tw.empty(64).copy_from(x)
            x.to_numpy()
        with graph.capture(stream):
            add[grid](x, out, 64, 1)
        graph.launch(stream)
        stream.record_event().synchronize()

    assert_balanced(use, stream, graph, x, out, grid)
