"""Bessel functions of any order, from those of orders 0 and 1 by recurrence.

Upwards that is stable for the second kind, and for the first while the order is below the argument; else the
recurrence runs downwards from an order so large that the start does not matter (J. Miller's way).
"""

import tilewright.language as tl

from ...function import KernelFunction


@KernelFunction
def up(n, x, first, second, COUNT):
    """The recurrence from orders 0 and 1 up to `n`."""
    below, value = first, second
    for k in range(1, COUNT):
        above = (2.0 * k) / x * value - below
        below = tl.where(k < n, value, below)
        value = tl.where(k < n, above, value)
    return tl.where(n == 0, first, value)


@KernelFunction
def down(n, x, COUNT):
    """J_n by the recurrence from an even order `COUNT`, divided by J_0 + 2 J_2 + 2 J_4 + ... = 1."""
    above, value = x * 0.0, x * 0.0 + 1e-30
    found, total = x * 0.0, x * 0.0
    for step in range(0, COUNT):
        k = COUNT - step
        below = (2.0 * k) / x * value - above
        above, value = value, below
        large = tl.abs(value) > 1e100
        scale = tl.where(large, 1e-100, 1.0).to(tl.float64)
        above, value, found, total = above * scale, value * scale, found * scale, total * scale
        order = k - 1
        found = tl.where(order == n, value, found)
        total += tl.where((order & 1) == 0, tl.where(order == 0, value, 2.0 * value), 0.0)
    return found / total


@KernelFunction
def yn(n, x, first, second):
    """Y_n of positive arguments."""
    if n.type.is_block():
        count = tl.max(n.ravel())
    else:
        count = n
    value = up(n, x, first, second, count)
    return tl.where(x == 0.0, -float("inf"), tl.where(x == float("inf"), 0.0, value))


@KernelFunction
def jn(n, x, first, second):
    """J_n of positive arguments."""
    if n.type.is_block():
        count = tl.max(n.ravel())
    else:
        count = n
    inside = (x > 0.0) & (x < float("inf"))
    safe = tl.where(inside, x, 1.0)
    low = n.to(tl.float64) < safe
    rising = up(n, tl.where(low, safe, 1.0), first, second, count)
    falling = down(
        n, tl.where(low, 1.0, safe), (count + tl.sqrt(160.0 * count.to(tl.float64)).to(tl.int32)) // 2 * 2 + 2
    )
    value = tl.where(n == 0, first, tl.where(n == 1, second, tl.where(low, rising, falling)))
    return tl.where(inside, value, tl.where((x == 0.0) & (n == 0), 1.0, 0.0))
