"""Prints kernels with every atomic operation: on each type, with each order, its result used or not, on neighbours, on
elements apart and on one element, with a mask and without."""

import itertools

BITS = {"i32": 32, "i64": 64, "f16": 16, "bf16": 16, "f32": 32, "f64": 64}
KINDS = {
    "i": "add max min umax umin and or xor xchg".split(),
    "wide": "fadd fmax fmin xchg".split(),
    "half": "fadd fmax fmin".split(),
}
SEMS = "relaxed acquire release acq_rel".split()
SCOPES = "gpu cta sys".split()

LAYOUT = "#l = #warp.linear<{register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []}>"
names = (f"%t{number}" for number in itertools.count())


def tile(element):
    return f"tensor<256x{element}, #l>"


def operations(t, sems):
    """What stands in front of the pointers, and how many values it takes, for each operation on ``t``."""
    group = "i" if t.startswith("i") else "half" if BITS[t] == 16 else "wide"
    scopes = itertools.cycle(SCOPES)
    for kind, sem in itertools.product(KINDS[group], sems):
        yield f"tile.atomic_rmw {kind} {sem} {next(scopes)}", 1
    for sem in sems:
        yield f"tile.atomic_cas {sem} {next(scopes)}", 2


def kernel(t):
    pointer = f"!tile.ptr<{t}>"
    print(f"""tile.func @{t}(%p: {pointer} {{tile.divisibility = 16 : i32}}, %out: {pointer}, %n: i32, %bit: i1)
    attributes {{tile.kernel, warp.num_warps = 1 : i32}} {{
  %r = tile.range {{start = 0 : i32, end = 256 : i32}} : {tile("i32")}
  %ps = tile.splat %p : {pointer} -> {tile(pointer)}
  %near = tile.addptr %ps, %r : {tile(pointer)}, {tile("i32")}
  %ns = tile.splat %n : i32 -> {tile("i32")}
  %far = arith.muli %r, %ns : {tile("i32")}
  %apart = tile.addptr %ps, %far : {tile(pointer)}, {tile("i32")}
  %v = tile.load %near : {tile(pointer)}
  %one = tile.load %p : {pointer}
  %mask = tile.splat %bit : i1 -> {tile("i1")}
  %outs = tile.splat %out : {pointer} -> {tile(pointer)}""")
    for where, value, mask, type, out, sems in (
        ("%near", "%v", "", tile(pointer), "%outs", ["relaxed"]),
        ("%apart", "%v", ", %mask", tile(pointer), "%outs", ["acq_rel"]),
        ("%p", "%one", ", %bit", pointer, "%out", SEMS),
    ):
        for operation, count in operations(t, sems):
            values = ", ".join([value] * count)
            instruction = f"{operation} {where}, {values}{mask} : {type}"
            unused, used = next(names), next(names)
            print(f"  {unused} = {instruction}\n  {used} = {instruction}")
            print(f"  tile.store {out}, {used} : {type}")
    print("  tile.return\n}")


print(LAYOUT)
for element in BITS:
    kernel(element)
