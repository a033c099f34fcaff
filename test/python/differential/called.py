"""Functions that generated kernels call."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def twice_and_sum(a, b):
    return a + a, a + b


@tw.jit
def halve(x):
    if x.dtype.is_floating():
        return tl.floor(x * 0.5)
    return x


@tw.jit
def pick_larger(a, b):
    if a > b:
        return a
    return b


@tw.jit
def count_steps(n):
    count = n * 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = n - 1
        count += 1
    return count


@tw.jit
def search(a, b, limit):
    for i in range(limit):
        for j in range(3):
            if i * j > 2:
                return a + b * i
            if i + j == 4:
                break
            a += b
        if i == 5:
            return a
    return a - b


@tw.jit
def tuple_of(a, b, COUNT: tl.constexpr):
    if COUNT == 1:
        return (a,)
    elif COUNT == 2:
        return a ^ b, b
    return a & b, a, b


@tl.aggregate
class Pair:
    a: tl.tensor
    b: tl.tensor

    @tw.jit
    def total(self):
        return self.a * 3 - self.b

    @tw.jit
    def turned(self):
        return Pair(self.b, self.a)
