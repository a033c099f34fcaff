"""Loads, stores and atomics through tiles of arbitrary pointers."""

import ml_dtypes
import numpy as np
import pytest

from .conftest import tensor


def pointers_at(body, offsets, count, element, offset_type="i32"):
    base = body.argument(f"!tile.ptr<{element}>")
    type = tensor((count,), f"!tile.ptr<{element}>")
    repeated = body.op(f"tile.splat {base} : !tile.ptr<{element}> -> {type}")
    return body.op(f"tile.addptr {repeated}, {offsets} : {type}, {tensor((count,), offset_type)}")


@pytest.mark.parametrize(
    "element, dtype", [("f32", "f4"), ("i8", "i1"), ("f16", "f2"), ("f64", "f8"), ("i64", "i8")]
)
@pytest.mark.parametrize("kind", ["scattered", "consecutive"])
def test_indirect(body, rng, element, dtype, kind):
    """y[k[i]] = x[k[i]], the indices from memory."""
    n = 100
    index = body.load((n,), "i32")
    value = body.op(
        f"tile.load {pointers_at(body, index, n, element)} : {tensor((n,), f'!tile.ptr<{element}>')}"
    )
    targets = pointers_at(body, index, n, element)
    body.lines.append(f"tile.store {targets}, {value} : {tensor((n,), f'!tile.ptr<{element}>')}")
    k = (rng.permutation(300)[:n] if kind == "scattered" else np.arange(n) + 50).astype(np.int32)
    x = rng.integers(0, 100, 300).astype(dtype)
    y, want = np.zeros(300, dtype), np.zeros(300, dtype)
    body.build()(k, x, y)
    want[k] = x[k]
    assert np.array_equal(y, want)


@pytest.mark.parametrize("stride", [1, 2, -1, 0])
@pytest.mark.parametrize("known", [True, False])
def test_strided(body, rng, stride, known):
    """The step between elements is a constant or an argument."""
    n, t = 50, "tensor<50xi32>"
    step = body.op(f"arith.constant {stride} : i32") if known else body.argument("i32")
    wide = body.op(f"tile.splat {step} : i32 -> {t}")
    offsets = body.op(f"arith.muli {body.range(n)}, {wide} : {t}")
    value = body.op(f"tile.load {pointers_at(body, offsets, n, 'f32')} : tensor<50x!tile.ptr<f32>>")
    body.store(value, (n,), "f32")
    x = rng.standard_normal(201).astype(np.float32)
    out = np.zeros(n, np.float32)
    middle = x[100:]
    body.build()(*([] if known else [stride]), middle, out)
    assert np.array_equal(out, x[100 + stride * np.arange(n)])


@pytest.mark.parametrize("element, dtype", [("f32", "f4"), ("bf16", "u2"), ("i8", "i1"), ("i64", "i8")])
@pytest.mark.parametrize("other", [True, False])
def test_masks(body, rng, element, dtype, other):
    """Masked elements are neither read nor written: they lie past the end of the arrays."""
    n = 100
    type = tensor((n,), f"!tile.ptr<{element}>")
    limit = body.argument("i32")
    wide = body.op(f"tile.splat {limit} : i32 -> tensor<100xi32>")
    mask = body.op(f"arith.cmpi slt, {body.range(n)}, {wide} : tensor<100xi32>")
    pointers = body.pointers((n,), element)
    one = "1.0" if element in ("f32", "bf16") else "1"
    rest = body.op(f"arith.constant dense<{one}> : {tensor((n,), element)}")
    value = body.op(f"tile.load {pointers}, {mask}{', ' + rest if other else ''} : {type}")
    body.store(value, (n,), element)
    target = body.pointers((n,), element)
    body.lines.append(f"tile.store {target}, {value}, {mask} : {type}")
    x = rng.integers(1, 100, 61).astype(dtype)
    full, part = np.full(n, 77).astype(dtype), np.full(n, 77).astype(dtype)
    body.build()(61, x, full, part)
    assert np.array_equal(full[:61], x)
    one = np.uint16(0x3F80) if element == "bf16" else 1
    assert (full[61:] == (one if other else 0)).all()
    assert np.array_equal(part[:61], x) and (part[61:] == 77).all()


def test_last_page(body):
    """A masked load may not touch the page after the array."""
    import mmap

    page = mmap.PAGESIZE
    memory = mmap.mmap(-1, 2 * page)
    import ctypes

    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    ctypes.CDLL(None).mprotect(ctypes.c_void_p(address + page), ctypes.c_size_t(page), 0)
    wide = body.op("arith.constant dense<10> : tensor<1024xi32>")
    mask = body.op(f"arith.cmpi slt, {body.range(1024)}, {wide} : tensor<1024xi32>")
    value = body.op(f"tile.load {body.pointers((1024,), 'f32')}, {mask} : tensor<1024x!tile.ptr<f32>>")
    body.store(value, (1024,), "f32")
    out = np.ones(1024, np.float32)
    body.build()(address + page - 40, out)
    assert (out == 0).all()


def test_pointers_in_memory(body, rng):
    """Loads an array's address, then the array."""
    t = "tensor<4x!tile.ptr<!tile.ptr<f32>>>"
    addresses = body.op(f"tile.load {body.pointers((4,), '!tile.ptr<f32>')} : {t}")
    p = "tensor<4x!tile.ptr<f32>>"
    one = body.op("arith.constant dense<1> : tensor<4xi64>")
    second = body.op(f"tile.addptr {addresses}, {one} : {p}, tensor<4xi64>")
    body.store(body.op(f"tile.load {second} : {p}"), (4,), "f32")
    arrays = [rng.standard_normal(3).astype(np.float32) for _ in range(4)]
    table = np.array([a.ctypes.data for a in arrays], np.uint64)
    out = np.zeros(4, np.float32)
    body.build()(table, out)
    assert np.array_equal(out, [a[1] for a in arrays])


def test_integers_as_pointers(body, rng):
    p = "tensor<40x!tile.ptr<f32>>"
    number = body.op(f"tile.ptr_to_int {body.pointers((40,), 'f32')} : {p} -> tensor<40xi64>")
    four = body.op("arith.constant dense<4> : tensor<40xi64>")
    moved = body.op(f"arith.addi {number}, {four} : tensor<40xi64>")
    pointer = body.op(f"tile.int_to_ptr {moved} : tensor<40xi64> -> {p}")
    body.store(body.op(f"tile.load {pointer} : {p}"), (40,), "f32")
    x = rng.standard_normal(41).astype(np.float32)
    out = np.zeros(40, np.float32)
    body.build()(x, out)
    assert np.array_equal(out, x[1:])


def test_chosen_pointers(body, rng):
    """Each element from one of two arrays."""
    p, n = "tensor<40x!tile.ptr<f32>>", 40
    flag = body.load((n,), "i32")
    zero = body.op("arith.constant dense<0> : tensor<40xi32>")
    condition = body.op(f"arith.cmpi ne, {flag}, {zero} : tensor<40xi32>")
    a, b = body.pointers((n,), "f32"), body.pointers((n,), "f32")
    pointer = body.op(f"arith.select {condition}, {a}, {b} : tensor<40xi1>, {p}")
    body.store(body.op(f"tile.load {pointer} : {p}"), (n,), "f32")
    flag = rng.integers(0, 2, n).astype(np.int32)
    x, y = rng.standard_normal((2, n)).astype(np.float32)
    out = np.zeros(n, np.float32)
    body.build()(flag, x, y, out)
    assert np.array_equal(out, np.where(flag, x, y))


def test_loads_come_before_the_store(body, rng):
    """x[1:] = x[:-1] in place."""
    t = "tensor<500x!tile.ptr<f32>>"
    base = body.argument("!tile.ptr<f32>")
    repeated = body.op(f"tile.splat {base} : !tile.ptr<f32> -> {t}")
    i = body.range(500)
    source = body.op(f"tile.addptr {repeated}, {i} : {t}, tensor<500xi32>")
    value = body.op(f"tile.load {source} : {t}")
    one = body.op("arith.constant dense<1> : tensor<500xi32>")
    target = body.op(f"tile.addptr {source}, {one} : {t}, tensor<500xi32>")
    body.lines.append(f"tile.store {target}, {value} : {t}")
    x = rng.standard_normal(501).astype(np.float32)
    want = np.concatenate([x[:1], x[:-1]])
    body.build()(x)
    assert np.array_equal(x, want)


@pytest.mark.parametrize("shift", [-500, -37, -1, 0, 1, 37, 500])
def test_overlapping_arrays(body, rng, shift):
    """y = x + x where y starts `shift` elements from x in the same array."""
    x = body.load((500,), "f32")
    body.store(body.op(f"arith.addf {x}, {x} : tensor<500xf32>"), (500,), "f32")
    memory = rng.standard_normal(1500).astype(np.float32)
    want = memory.copy()
    want[500 + shift : 1000 + shift] = 2 * memory[500:1000]
    body.build()(memory[500:], memory[500 + shift :])
    assert np.array_equal(memory, want)


@pytest.mark.parametrize("shift", [-750, -100, 0, 100, 300])
def test_overlapping_arrays_of_two_types(body, rng, shift):
    """y (f32) = x (f16), `shift` times two bytes apart."""
    x = body.load((300,), "f16")
    wide = body.op(f"arith.extf {x} : tensor<300xf16> to tensor<300xf32>")
    body.store(wide, (300,), "f32")
    memory = rng.standard_normal(3000).astype(np.float16)
    source = memory[1500:1800].copy()
    body.build()(memory[1500:], memory[1500 + shift :])
    assert np.array_equal(memory[1500 + shift : 2100 + shift].view(np.float32), source.astype(np.float32))


def test_load_is_not_moved_over_a_store(body, rng):
    """The sum is over the values before the store."""
    t = "tensor<64x!tile.ptr<f32>>"
    pointers = body.pointers((64,), "f32")
    value = body.op(f"tile.load {pointers} : {t}")
    zero = body.op("arith.constant dense<0.0> : tensor<64xf32>")
    body.lines.append(f"tile.store {pointers}, {zero} : {t}")
    total = body.op(
        f'"tile.reduce"({value}) <{{axis = 0 : i32}}> ({{\n^bb0(%a: f32, %b: f32):\n'
        "%s = arith.addf %a, %b : f32\ntile.yield %s : f32\n}) : (tensor<64xf32>) -> f32"
    )
    pointer = body.argument("!tile.ptr<f32>")
    body.lines.append(f"tile.store {pointer}, {total} : !tile.ptr<f32>")
    x, out = np.ones(64, np.float32), np.zeros(1, np.float32)
    body.build()(x, out)
    assert out[0] == 64 and (x == 0).all()


KINDS = {
    "add": ("i32", np.add),
    "and": ("i32", np.bitwise_and),
    "or": ("i64", np.bitwise_or),
    "xor": ("i32", np.bitwise_xor),
    "max": ("i32", np.maximum),
    "min": ("i64", np.minimum),
    "umax": ("i32", np.maximum),
    "umin": ("i32", np.minimum),
    "fadd": ("f32", np.add),
    "fmax": ("f32", np.maximum),
    "fmin": ("f64", np.minimum),
    "xchg": ("f32", lambda a, b: b),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("masked", [True, False])
def test_atomic(body, rng, kind, masked):
    element, function = KINDS[kind]
    n, type = 33, tensor((33,), f"!tile.ptr<{element}>")
    value = body.load((n,), element)
    mask = ""
    if masked:
        limit = body.op("arith.constant dense<20> : tensor<33xi32>")
        mask = ", " + body.op(f"arith.cmpi slt, {body.range(n)}, {limit} : tensor<33xi32>")
    old = body.op(
        f"tile.atomic_rmw {kind} relaxed gpu {body.pointers((n,), element)}, {value}{mask} : {type}"
    )
    body.store(old, (n,), element)
    dtype = np.dtype({"i32": "i4", "i64": "i8", "f32": "f4", "f64": "f8"}[element])
    if kind.startswith("u"):
        dtype = np.dtype("u4")
    x = rng.integers(-100, 100, n).astype(dtype)
    memory = rng.integers(-100, 100, n).astype(dtype)
    before, out = memory.copy(), np.full(n, 5, dtype)
    body.build()(x, memory, out)
    on = np.arange(n) < 20 if masked else np.ones(n, bool)
    assert np.array_equal(memory, np.where(on, function(before, x), before))
    assert np.array_equal(out, np.where(on, before, 0))


@pytest.mark.parametrize(
    "element, dtype, programs",
    [
        ("f32", np.float32, 2000),
        ("f16", np.float16, 2000),
        ("bf16", ml_dtypes.bfloat16, 256),
        ("i32", np.int32, 2000),
    ],
)
def test_atomics_of_many_threads(body, element, dtype, programs):
    """Every program adds to the same few elements."""
    n = 8
    one = "1" if element == "i32" else "1.0"
    value = body.op(f"arith.constant dense<{one}> : {tensor((n,), element)}")
    kind = "add" if element == "i32" else "fadd"
    pointers = body.pointers((n,), element)
    body.op(
        f"tile.atomic_rmw {kind} relaxed gpu {pointers}, {value} : {tensor((n,), f'!tile.ptr<{element}>')}"
    )
    x = np.zeros(n, dtype)
    body.build()(x, grid=(programs,), threads=4)
    assert (x == programs).all()


@pytest.mark.parametrize("element, dtype", [("i32", "i4"), ("i64", "i8"), ("i16", "i2"), ("f32", "f4")])
def test_compare_and_swap(body, rng, element, dtype):
    n, type = 20, tensor((20,), f"!tile.ptr<{element}>")
    compare, value = body.load((n,), element), body.load((n,), element)
    old = body.op(f"tile.atomic_cas acq_rel gpu {body.pointers((n,), element)}, {compare}, {value} : {type}")
    body.store(old, (n,), element)
    compare, value, memory = (rng.integers(0, 3, n).astype(dtype) for _ in range(3))
    before, out = memory.copy(), np.zeros(n, dtype)
    body.build()(compare, value, memory, out)
    assert np.array_equal(out, before)
    assert np.array_equal(memory, np.where(before == compare, value, before))


def test_volatile(body, rng):
    t = "tensor<10x!tile.ptr<f32>>"
    value = body.op(f"tile.load {body.pointers((10,), 'f32')} volatile : {t}")
    body.store(value, (10,), "f32")
    x = rng.standard_normal(10).astype(np.float32)
    out = np.zeros(10, np.float32)
    body.build()(x, out)
    assert np.array_equal(out, x)


def test_scalars(kernel):
    """Arguments of every width, read and written one by one."""
    run = kernel("""
    tile.func @kernel(%out: !tile.ptr<f64>, %a: i8, %b: i16, %c: i32, %d: i64, %e: f16, %f: f32, %g: f64, %h: i1)
        attributes {tile.kernel} {
      %a1 = arith.sitofp %a : i8 to f64
      %b1 = arith.sitofp %b : i16 to f64
      %c1 = arith.sitofp %c : i32 to f64
      %d1 = arith.sitofp %d : i64 to f64
      %e1 = arith.extf %e : f16 to f64
      %f1 = arith.extf %f : f32 to f64
      %h1 = arith.uitofp %h : i1 to f64
      %s1 = arith.addf %a1, %b1 : f64
      %s2 = arith.addf %s1, %c1 : f64
      %s3 = arith.addf %s2, %d1 : f64
      %s4 = arith.addf %s3, %e1 : f64
      %s5 = arith.addf %s4, %f1 : f64
      %s6 = arith.addf %s5, %g : f64
      %s7 = arith.addf %s6, %h1 : f64
      tile.store %out, %s7 : !tile.ptr<f64>
      tile.return
    }""")
    out = np.zeros(1)
    run(out, -1, -20, -300, -4000, np.float16(0.5), np.float32(0.25), np.float64(0.125), 1)
    assert out[0] == -1 - 20 - 300 - 4000 + 0.5 + 0.25 + 0.125 + 1
