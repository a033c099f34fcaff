"""Random kernels: source text from a seed.

Each takes float and integer blocks of N elements and an int scalar, mixes promotion, masks, shapes, reductions and
control flow, and stores a block of floats and one of integers. Values are kept small, so that sums in another order
differ by rounding only; every division has a divisor that is not zero.
"""

import random

FLOAT_LEAVES = ["x", "y", "h", "0.5", "2.0", "float_state"]
INT_LEAVES = ["i", "j", "u", "n", "3", "7", "int_state"]
ROWS, COLUMNS = 8, 16


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []

    def pick(self, *options):
        return self.random.choice(options)

    def float(self, depth):
        if depth == 0:
            return self.pick(*FLOAT_LEAVES)
        a, b = (lambda: self.float(depth - 1)), (lambda: self.float(depth - 1))
        return self.pick(
            lambda: f"({a()} + {b()})",
            lambda: f"({a()} - {b()}) * 0.5",
            lambda: f"tl.clamp({a()} * {b()}, -4.0, 4.0)",
            lambda: f"{a()} / ({self.int(depth - 1)} % 5 + 9)",
            lambda: f"tl.maximum({a()}, {b()})",
            lambda: f"tl.minimum({a()}, {self.pick('1', '1.5')})",
            lambda: f"tl.where({self.condition(depth - 1)}, {a()}, {b()})",
            lambda: f"tl.sqrt(tl.cast(tl.abs({a()}), tl.float32))",
            lambda: f"tl.exp(tl.cast(tl.clamp({a()}, -2.0, 1.0), tl.float32))",
            lambda: f"-{a()}",
            lambda: f"tl.cast({a()}, {self.pick('tl.float16', 'tl.float64')}).to(tl.float32)",
            lambda: f"tl.cast({self.int(depth - 1)} % 17, tl.float32)",
            lambda: self.reduction(self.float, depth),
        )()

    def int(self, depth):
        if depth == 0:
            return self.pick(*INT_LEAVES)
        a, b = (lambda: self.int(depth - 1)), (lambda: self.int(depth - 1))
        return self.pick(
            lambda: f"({a()} + {b()})",
            lambda: f"({a()} - {b()})",
            lambda: f"({a()} * {self.pick('2', '3', 'n')})",
            lambda: f"tl.cast({a()}, tl.int32) // tl.cast({b()} % 5 + 9, tl.int32)",
            lambda: f"tl.cast({a()}, tl.int32) % 13",
            lambda: f"({a()} & {b()})",
            lambda: f"({a()} | {b()})",
            lambda: f"({a()} ^ {b()})",
            lambda: f"(tl.cast({a()}, tl.int32) >> {self.pick(1, 3)})",
            lambda: f"(tl.cast({a()}, tl.uint32) >> {self.pick(1, 3)})",
            lambda: f"(tl.cast({a()}, tl.int32) << {self.pick(1, 2)})",
            lambda: f"tl.minimum({a()}, {b()})",
            lambda: f"tl.where({self.condition(depth - 1)}, {a()}, {b()})",
            lambda: (
                f"tl.cast({a()}, {self.pick('tl.int8', 'tl.uint8', 'tl.int16', 'tl.int64')}).to(tl.int32)"
            ),
            lambda: f"tl.cast(tl.clamp({self.float(depth - 1)}, -9.0, 9.0), tl.int32)",
            lambda: self.reduction(self.int, depth),
        )()

    def condition(self, depth):
        return self.pick(
            lambda: f"({self.float(depth)} {self.pick('<', '<=', '>', '>=')} {self.float(depth)})",
            lambda: f"({self.int(depth)} {self.pick('<', '==', '!=', '>=')} {self.int(depth)})",
            lambda: f"(({self.int(depth)} < 5) {self.pick('&', '|', '^')} ({self.float(depth)} > 0))",
        )()

    def reduction(self, kind, depth):
        """A block reshaped, reduced along one side and stretched again."""
        zero, functions = (
            ("zero", ("max", "min")) if kind == self.float else ("izero", ("sum", "max", "min", "xor_sum"))
        )
        block = f"({zero} + tl.cast({kind(depth - 1)}, {zero}.dtype)).reshape({ROWS}, {COLUMNS})"
        reduced = f"tl.{self.pick(*functions)}({block}, {self.pick(0, 1)}, keep_dims=True)"
        return f"tl.broadcast_to({reduced}, ({ROWS}, {COLUMNS})).reshape(N)"

    def statement(self, indent, depth):
        pad = "    " * indent
        kinds = ["float", "int", "float", "int"] + (["if", "for", "while", "exit"] if depth else [])
        kind = self.pick(*kinds)
        if kind == "float":
            self.lines.append(
                f"{pad}float_state = tl.clamp(zero + ({self.float(2)}), -8.0, 8.0).to(tl.float32)"
            )
        elif kind == "int":
            self.lines.append(f"{pad}int_state = (izero + tl.cast({self.int(2)}, tl.int32)) % 1000")
        elif kind == "if":
            self.lines.append(f"{pad}if count % {self.pick(2, 3)} == {self.pick(0, 1)}:")
            self.body(indent + 1, depth - 1)
            if self.random.random() < 0.5:
                self.lines.append(f"{pad}else:")
                self.body(indent + 1, depth - 1)
        elif kind == "for":
            step, bounds = self.pick((1, "0, n % 4"), (-1, "n % 5, 0"), (2, "1, 6"))
            self.lines.append(f"{pad}for k{indent} in range({bounds}, {step}):")
            self.lines.append(f"{pad}    count += k{indent}")
            self.body(indent + 1, depth - 1)
        elif kind == "while":
            self.lines.append(f"{pad}left{indent} = n % 3 + 1")
            self.lines.append(f"{pad}while left{indent} > 0:")
            self.lines.append(f"{pad}    left{indent} -= 1")
            self.body(indent + 1, depth - 1)
        else:
            self.lines.append(f"{pad}for k{indent} in range(0, 4):")
            self.body(indent + 1, depth - 1)
            self.lines.append(f"{pad}    count += 1")
            self.lines.append(f"{pad}    if count % 3 == {self.pick(0, 1, 2)}:")
            self.lines.append(f"{pad}        {self.pick('break', 'continue')}")
            self.body(indent + 1, depth - 1)

    def body(self, indent, depth):
        for _ in range(self.random.randint(1, 2)):
            self.statement(indent, depth)

    def kernel(self):
        self.lines = [
            "import tilewright as tw",
            "import tilewright.language as tl",
            "",
            "",
            "@tw.jit",
            "def kernel(float_out, int_out, x_ptr, y_ptr, h_ptr, i_ptr, j_ptr, u_ptr, n, size, N: tl.constexpr):",
            "    pid = tl.program_id(0)",
            "    offsets = pid * N + tl.arange(0, N)",
            "    mask = offsets < size",
            "    x = tl.load(x_ptr + offsets, mask=mask, other=0.25)",
            "    y = tl.load(y_ptr + offsets, mask=mask, other=1)",
            "    h = tl.load(h_ptr + offsets, mask=mask, other=2.0)",
            "    i = tl.load(i_ptr + offsets, mask=mask, other=5)",
            "    j = tl.load(j_ptr + offsets, mask=mask, other=-3)",
            "    u = tl.load(u_ptr + offsets, mask=mask, other=4)",
            "    zero, izero = tl.zeros((N,), tl.float32), tl.zeros((N,), tl.int32)",
            "    float_state, int_state, count = x, i, pid",
        ]
        for _ in range(3):
            self.statement(1, 2)
        self.lines += [
            "    tl.store(float_out + offsets, float_state, mask=mask)",
            "    tl.store(int_out + offsets, int_state + count, mask=mask)",
        ]
        return "\n".join(self.lines) + "\n"


def source(seed):
    """The text of a module with a kernel named `kernel`."""
    return Generator(seed).kernel()
