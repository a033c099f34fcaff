"""A matmul kernel that tests explain, and a lookup of its lines."""

import tilewright as tw
import tilewright.language as tl
from tilewright.explain import explain
from tilewright.options import Options


@tw.jit
def matmul(a, b, c, K, BLOCK: tl.constexpr):
    # A comment that tries to end the script: </script><b>
    i = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for start in range(0, K, BLOCK):
        x = tl.load(a + i[:, None] * K + i + start)
        y = tl.load(b + (i + start)[:, None] * BLOCK + i)
        acc = tl.dot(x, y, acc)
    tl.store(c + i[:, None] * BLOCK + i, acc)


FILE = __file__


def explain_matmul(target):
    """The explanation for aligned arrays of 16-bit numbers."""
    types = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "K": "i32"}
    divisors = dict.fromkeys(types, 16)
    return explain(matmul, types, {"BLOCK": 64}, divisors, target, Options(num_stages=2))


def line_of(text):
    """The number of the line of the kernel that has `text`, and no other."""
    with open(FILE) as lines:
        (number,) = [number for number, line in enumerate(lines, 1) if line.strip() == text]
    return number
