"""Prints a kernel for every elementwise operation on every type that it takes."""

import itertools

BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
BITS |= {"f8E4M3FN": 8, "f8E5M2": 8, "f16": 16, "bf16": 16, "f32": 32, "f64": 64}
INTS = [t for t in BITS if t.startswith("i")]
FLOATS = [t for t in BITS if not t.startswith("i")]
WIDE_FLOATS = [t for t in FLOATS if BITS[t] > 8]

INT_BINARY = """addi subi muli divsi divui remsi remui ceildivsi ceildivui floordivsi andi ori xori
  shli shrsi shrui maxsi maxui minsi minui""".split()
INT_COMPARE = "eq ne slt sle sgt sge ult ule ugt uge".split()
FLOAT_BINARY = "addf subf mulf divf remf maximumf minimumf maxnumf minnumf".split()
FLOAT_COMPARE = "oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno".split()
FUNCTIONS = """absf acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 floor
  log log10 log1p log2 round roundeven rsqrt sin sinh sqrt tan tanh trunc""".split()
CLASSES = "isfinite isinf isnan isnormal".split()

LAYOUT = "#l = #warp.linear<{register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = []}>"
count = itertools.count()


def tile(element):
    return f"tensor<64x{element}, #l>"


def kernel(text, source, result, results="%r"):
    """A kernel that loads %v of type ``source`` and stores %r, of type ``result``, that text defines."""
    stored, loaded = ("i8" if t == "i1" else t for t in (result, source))
    lines = [
        f"%p = tile.splat %x : !tile.ptr<{loaded}> -> {tile(f'!tile.ptr<{loaded}>')}",
        f"%m = tile.load %p : {tile(f'!tile.ptr<{loaded}>')}",
    ]
    if source == "i1":
        lines.append(f"%v = arith.trunci %m : {tile('i8')} to {tile('i1')}")
    else:
        text = text.replace("%v", "%m")
    lines.append(f"{results} = {text}")
    if result == "i1":
        lines.append(f"%b = arith.extui %r : {tile('i1')} to {tile('i8')}")
    value = "%b" if result == "i1" else "%r"
    lines += [
        f"%q = tile.splat %y : !tile.ptr<{stored}> -> {tile(f'!tile.ptr<{stored}>')}",
        f"tile.store %q, {value} : {tile(f'!tile.ptr<{stored}>')}",
        "tile.return",
    ]
    attributes = "attributes {tile.kernel, warp.num_warps = 1 : i32}"
    arguments = f"%x: !tile.ptr<{loaded}>, %y: !tile.ptr<{stored}>"
    print(f"tile.func @k{next(count)}({arguments}) {attributes} {{")
    print("\n".join("  " + line for line in lines) + "\n}")


def cast(op, source, result):
    kernel(f"arith.{op} %v : {tile(source)} to {tile(result)}", source, result)


def ints(t):
    for op in INT_BINARY:
        kernel(f"arith.{op} %v, %v : {tile(t)}", t, t)
    for op in INT_COMPARE:
        kernel(f"arith.cmpi {op}, %v, %v : {tile(t)}", t, "i1")
    for op in ("absi", "ctlz", "cttz", "ctpop"):
        kernel(f"math.{op} %v : {tile(t)}", t, t)
    for op in ("mulsi_extended", "mului_extended"):
        kernel(f"arith.{op} %v, %v : {tile(t)}", t, t, "%low, %r")
    kernel(f"arith.addui_extended %v, %v : {tile(t)}, {tile('i1')}", t, "i1", "%sum, %r")
    for other in INTS:
        if BITS[other] > BITS[t]:
            cast("extsi", t, other)
            cast("extui", t, other)
            cast("trunci", other, t)
    for other in FLOATS:
        cast("sitofp", t, other)
        cast("uitofp", t, other)
        cast("fptosi", other, t)
        cast("fptoui", other, t)


def floats(t):
    for op in FLOAT_BINARY:
        kernel(f"arith.{op} %v, %v : {tile(t)}", t, t)
    for op in FLOAT_COMPARE:
        kernel(f"arith.cmpf {op}, %v, %v : {tile(t)}", t, "i1")
    kernel(f"arith.negf %v : {tile(t)}", t, t)
    cast("bitcast", t, f"i{BITS[t]}")
    cast("bitcast", f"i{BITS[t]}", t)
    for other in FLOATS:
        if BITS[other] > BITS[t]:
            cast("extf", t, other)
            cast("truncf", other, t)


def functions(t):
    for op in FUNCTIONS:
        kernel(f"math.{op} %v : {tile(t)}", t, t)
    for op in CLASSES:
        kernel(f"math.{op} %v : {tile(t)}", t, "i1")
    for op in ("atan2", "copysign", "powf"):
        kernel(f"math.{op} %v, %v : {tile(t)}", t, t)
    kernel(f"math.fma %v, %v, %v : {tile(t)}", t, t)


print(LAYOUT)
for element in INTS:
    ints(element)
for element in FLOATS:
    floats(element)
for element in WIDE_FLOATS:
    functions(element)
