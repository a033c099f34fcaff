"""Small arithmetic on sizes, for host code that chooses blocks and grids."""

import operator


def cdiv(x, y):
    """`x / y` rounded up, for ints with `y` > 0: how many blocks of `y` cover `x`.

    Example:

        >>> import tilewright as tw
        >>> tw.cdiv(1000, 128)
        8
    """
    return -(-x // y)


def next_power_of_2(n):
    """The least power of two that is not below the int `n`; 1 for `n` <= 1.

    Example:

        >>> import tilewright as tw
        >>> tw.next_power_of_2(1000)
        1024
    """
    return 1 << max(0, operator.index(n) - 1).bit_length()
