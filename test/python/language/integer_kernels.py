"""Random kernels of integers whose 64-bit differences take upper halves of products."""

import random


def random_kernel(number):
    """The text of a kernel of random operations on integers of 32 and 64 bits, most of which end in a difference."""
    rng = random.Random(number)
    narrow, wide = ["a", "b", "c"], ["d", "e"]
    divisors = [3, 5, 6, 7, 9, 24, 100, 641, 6700417, 2**31 - 1]
    lines = []

    def pick(names):
        return rng.choice(names[-6:])

    def add(names, text):
        names.append(f"v{len(lines)}")
        lines.append(f"{names[-1]} = {text}")

    def add_narrow():
        x, y, divisor = pick(narrow), pick(narrow), rng.choice(divisors)
        factor = rng.choice([y, "0x55555556", "0xFFFFFFFF", "0x80000000"])
        signed = f"(({x}.to(tl.int32).to(tl.int64) * {rng.choice([-(2**31), -1, 7, 2**31 - 1])}) >> 32).to(tl.uint32)"
        quotient = f"({x}.to(tl.int32) // {divisor}).to(tl.uint32)"
        texts = [f"tl.umulhi({x}, {factor})"] * 4 + [
            f"{x} // {divisor}",
            f"{x} % {divisor}",
            quotient,
            signed,
        ]
        texts += [
            f"{x} >> {rng.randrange(32)}",
            f"tl.where({x} < {y}, {y}, {pick(narrow)})",
            f"{x} & {factor}",
        ]
        texts += [f"({pick(wide)} >> {rng.choice([0, 32])}).to(tl.uint32)", f"{x} + {y}"]
        add(narrow, rng.choice(texts))

    def add_wide():
        x, y = pick(wide), pick(wide)
        extended = rng.choice([f"{pick(narrow)}.to(tl.int64)", f"{pick(narrow)}.to(tl.int32).to(tl.int64)"])
        texts = [f"{extended} - {pick(narrow)}.to(tl.int64)"] * 3 + [
            extended,
            f"{extended} - {x}",
            f"{x} - {y}",
        ]
        texts += [
            f"{x} + -{y}",
            f"-{x}",
            f"{x} + {extended}",
            f"tl.where({x} > {y}, {x}, {extended})",
            f"{x} & 1",
        ]
        texts += [f"{x} // {rng.choice(divisors)}", f"{x} << {rng.randrange(33)}"]
        add(wide, rng.choice(texts))

    for _ in range(rng.randrange(60, 120)):
        rng.choice([add_narrow, add_wide])()
        if rng.random() < 0.3:
            lines.append(f"tl.store(out + {len(lines)} * 32 + i, {pick(wide)})")
    body = "\n    ".join(lines)
    return f"""import tilewright as tw
import tilewright.language as tl

@tw.jit
def kernel(x_ptr, y_ptr, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b, c = tl.load(x_ptr + i), tl.load(x_ptr + N + i), tl.load(x_ptr + 2 * N + i)
    d, e = tl.load(y_ptr + i), tl.load(y_ptr + N + i)
    {body}
"""
