"""Malformed kernels: valid ones, changed at random.

Run as a program with a directory, the first seed and the number of seeds, it compiles one kernel per seed. It prints
each seed first, so that the parent knows which one ended the process. It also prints internal errors, and errors that
name no line of the kernel.
"""

import ast
import copy
import importlib.util
import inspect
import random
import re
import sys
import traceback
from pathlib import Path

HEADER = "import tilewright as tw\nimport tilewright.language as tl\n\n\n"

KERNELS = [
    """
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    row = tl.load(x + i, mask=mask, other=-float("inf"))
    numerator = tl.exp(row - tl.max(row, axis=0))
    tl.store(out + i, numerator / tl.sum(numerator, axis=0), mask=mask)
""",
    """
def kernel(x, out, n, BLOCK: tl.constexpr):
    a = x + tl.arange(0, BLOCK)[:, None] * n + tl.arange(0, BLOCK)[None, :]
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for k in range(0, n, BLOCK):
        tile = tl.load(a, mask=tl.arange(0, BLOCK)[None, :] < n - k, other=0.0)
        acc += tl.dot(tile, tl.trans(tile))
        a += BLOCK
    if n > 64:
        acc = acc * 2.0
    else:
        acc = tl.maximum(acc, 0.0)
    tl.store(out + tl.arange(0, BLOCK), tl.sum(acc, axis=1))
""",
    """
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = 0
    while n > 0:
        if n % 3 == 0:
            break
        for j in tl.static_range(2):
            total += j * n
        n = n // 2
    values = [tl.load(x + i + k) for k in range(2)]

    def scale(v, factor=2):
        return v * factor

    best = tl.reduce(values[0], 0, lambda a, b: tl.minimum(a, b))
    tl.atomic_add(out, scale(total) + best)
    tl.store(out + i, tl.cumsum(sum(values), 0))
""",
    """
def kernel(x, out, n, BLOCK: tl.constexpr):
    block = tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (BLOCK, BLOCK), (1, 0))
    tile = tl.load(block, boundary_check=(0, 1), padding_option="zero")
    tile[0:4, :] = tile[4:8, :] + 1
    block = tl.advance(block, (BLOCK, 0))
    part, rest = tl.split(tl.reshape(tile, (BLOCK, BLOCK // 2, 2)))
    order = tl.sort(tl.sum(part, axis=1))
    tl.device_assert(n >= BLOCK, f"too small: {BLOCK}")
    tl.store(block, tl.cat(part, rest, can_reorder=True).reshape(BLOCK, BLOCK), boundary_check=(0,))
    tl.store(out + tl.arange(0, BLOCK), tl.where(order > 0, order, tl.argmax(part, axis=1)))
""",
]
CONSTANTS = [0, 1, -1, 2, 3, 7, 16, 2**31, 2**70, 0.5, 1e300, True, None, "text", "", b"bytes", 3j, ...]
NAMES = [
    "tl",
    "tw",
    "x",
    "out",
    "n",
    "BLOCK",
    "i",
    "acc",
    "tile",
    "values",
    "undefined",
    "print",
    "len",
    "range",
]
FUNCTIONS = [
    "load", "store", "sum", "dot", "arange", "zeros", "reshape", "sort", "where", "cumsum", "exp", "trans", "split",
    "join", "cat", "topk", "gather", "histogram", "cast", "float16", "int64", "atomic_cas", "broadcast_to", "permute",
    "associative_scan", "static_range", "nothing", "make_tensor_descriptor", "randn", "map_elementwise", "constexpr",
]  # fmt: skip
STATEMENTS = [
    "return", "return n", "break", "continue", "pass", "yield n", "global n", "del n", "raise n", "import os",
    "n = n, n", "n = x", "x = 0", "i: tl.constexpr = 3", "i: tl.constexpr = n", "assert n", "a, b = n", "n += x",
    "n[0] = 1", "i[0:2] = 3", "x.y = 3", "async def f(): pass", "class C: pass", "kernel(x, out, n, BLOCK)",
    "n = kernel", "tl.store(x, x)", "tl.static_assert(n)", "with n: pass", "try:\n    n\nfinally:\n    n", "n = f'{x:d}'",
    "for n in n: pass", "for n in range(n): n = 0.5", "while True: pass", "while n: n = x", "def n(): n()\nn()",
    "n = [n for n in range(3) if n]", "n = (lambda: n)()", "match n:\n    case 1: pass", "n = *x, n", "i = i[None, 1:3]",
]  # fmt: skip
EXPRESSIONS = [
    "{}[0]", "{}[None, :]", "{}[1:3]", "{}.T", "{}.dtype", "{}()", "-{}", "not {}", "~{}", "({}, {})", "[{}]",
    "{{{}: 1}}", "{}.to(tl.float64)", "tl.sum({})", "len({})", "{} if n else 0", "{} and n", "(yield {})", "*{}",
    "lambda: {}", "f'{{{}}}'", "{} @ {}", "{} ** 2", "{} / 0", "{} // {}", "{} < {} < n", "{} in x", "{} is None",
    "tl.zeros([{}], tl.int8)", "range({})", "(w := {})", "tl.arange(0, {})", "{}.shape", "{}.handle",
]  # fmt: skip
TYPES = ["*fp32", "*fp16", "*i32", "*i64", "*i1", "*fp8e5", "*bf16", "i32", "i64", "u8", "fp32", "i1", "fp64"]


class Mutation(ast.NodeTransformer):
    """Changes about one in `rarity` nodes."""

    def __init__(self, rng, rarity):
        self.random, self.rarity = rng, rarity

    def chance(self):
        return self.random.random() * self.rarity < 1

    def visit_Name(self, node):
        if not self.chance():
            return self.changed(node)
        return ast.Name(self.random.choice(NAMES), node.ctx)

    def visit_Constant(self, node):
        return ast.Constant(self.random.choice(CONSTANTS)) if self.chance() else node

    def visit_JoinedStr(self, node):
        return node

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if self.chance():
            node.attr = self.random.choice(FUNCTIONS)
        return self.changed(node)

    def visit_Call(self, node):
        self.generic_visit(node)
        if self.chance() and node.args:
            change = self.random.randrange(3)
            if change == 0:
                node.args.pop(self.random.randrange(len(node.args)))
            elif change == 1:
                node.args.append(copy.deepcopy(self.random.choice(node.args)))
            else:
                self.random.shuffle(node.args)
        if self.chance() and node.keywords:
            node.keywords[0].arg = self.random.choice(["axis", "mask", "other", "nothing", "dtype"])
        return self.changed(node)

    def changed(self, node):
        """An expression, or a mutation of it."""
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load) or not self.chance():
            return node
        text = self.random.choice(EXPRESSIONS).replace("{}", f"({ast.unparse(node)})")
        try:
            return ast.parse(text.replace("{{", "{").replace("}}", "}"), mode="eval").body
        except SyntaxError:
            return node

    def body(self, statements):
        """A list of statements with some dropped, doubled, swapped or added."""
        result = []
        for statement in statements:
            kept = self.visit(statement)
            change = self.random.randrange(4) if self.chance() else 4
            result += [[], [kept, kept], [], [kept], [kept]][change] if change != 2 else [kept]
            if change == 3:
                result += ast.parse(self.random.choice(STATEMENTS)).body
            elif change == 2:
                self.random.shuffle(result)
        return result or [ast.Pass()]

    def generic_visit(self, node):
        for name, value in ast.iter_fields(node):
            if name in ("body", "orelse") and isinstance(value, list) and value:
                setattr(node, name, self.body(value))
            elif name not in ("decorator_list", "args") or isinstance(node, ast.Call):
                self._visit_field(node, name, value)
        return node

    def _visit_field(self, node, name, value):
        if isinstance(value, list):
            setattr(node, name, [self.visit(item) if isinstance(item, ast.AST) else item for item in value])
        elif isinstance(value, ast.expr):
            setattr(node, name, self.visit(value))


def source(seed):
    """The text of a module with one malformed kernel, and the types and constants to compile it for."""
    rng = random.Random(seed)
    tree = ast.parse(rng.choice(KERNELS))
    Mutation(rng, rng.choice([15, 30, 60])).generic_visit(tree.body[0])
    types = {"x": "*fp32", "out": "*fp32", "n": "i32"}
    if rng.random() < 0.3:
        types[rng.choice(list(types))] = rng.choice(TYPES)
    constants = {"BLOCK": rng.choice([16, 16, 16, 8, 12, 1, 0, "text", 0.5])}
    return HEADER + ast.unparse(ast.fix_missing_locations(tree)) + "\n", types, constants


def load(seed, directory):
    """The kernel of a seed from its file, or None where Python itself refuses the text."""
    path = Path(directory, f"malformed_{seed}.py")
    path.write_text(source(seed)[0])
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SyntaxError:
        return None
    return module.kernel


def attempt(seed, directory, target):
    """Compiles the kernel of a seed. Returns a description of a wrong failure, or None."""
    from tilewright import CompilationError
    from tilewright.options import Options
    from tilewright.runtime.compiler import compile_kernel

    kernel = load(seed, directory)
    if kernel is None or inspect.isgeneratorfunction(kernel):
        return None
    _, types, constants = source(seed)
    options = Options(debug=bool(seed % 2))
    try:
        compile_kernel(kernel, types, constants, {}, target, options, "ptx" if target != "cpu" else "")
    except CompilationError as error:
        return None if _names_line(error, kernel) else f"no line of the kernel: {error}"
    except Exception:
        return traceback.format_exc()
    return None


def _names_line(error, kernel):
    """Whether an error names the kernel's file or signature, and none of our files."""
    is_in_kernel = any(frame.file == kernel.__code__.co_filename for frame in error.frames)
    return (is_in_kernel or "argument" in error.message) and not re.search(
        r"tilewright/\w+/\w+\.py", str(error)
    )


def main(directory, first, count, target):
    """Compiles the kernels of a range of seeds."""
    for seed in range(int(first), int(first) + int(count)):
        print(f"seed {seed}", flush=True)
        if problem := attempt(seed, directory, target):
            print(f"problem with seed {seed}:\n{problem}", flush=True)
    print("done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
