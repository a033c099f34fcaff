"""Grids of launches in the interpreter: what compiled launches take, in the same words."""

from ..language.constexpr import unwrap
from ..runtime.lookups import call_with_names

#: How many programs there may be along each side.
_LIMITS = (2**31 - 1, 65535, 65535)


def sides_of(fn, grid, names):
    """The three sides of a grid for the kernel `fn`, where a function of `names` gives them if it is one.

    Raises `TypeError` or `ValueError` if it is none.
    """
    kernel = f"kernel {fn.__name__}()"
    if callable(grid):
        names = {name: unwrap(value) for name, value in names.items()}
        grid = call_with_names(grid, names, f"the grid function of {kernel}")
    if not isinstance(grid, (tuple, list)) and not hasattr(grid, "__index__"):
        raise TypeError(
            f"grid of {kernel} is {grid!r}; it is an int, one to three ints, or a function of the arguments that "
            "returns them"
        )
    sides = tuple(grid) if isinstance(grid, (tuple, list)) else (grid,)
    if not 1 <= len(sides) <= 3:
        raise ValueError(f"grid of {kernel} has {len(sides)} dimensions, not one to three")
    numbers = [
        _side(value, limit, f"grid of {kernel} along {axis} is {value!r}")
        for value, limit, axis in zip(sides, _LIMITS, "xyz", strict=False)
    ]
    return (*numbers, *(1,) * (3 - len(numbers)))


def _side(value, limit, what):
    try:
        number = None if isinstance(value, bool) else value.__index__()
    except (AttributeError, TypeError):
        number = None
    if number is None:
        rounded = "; tilewright.cdiv divides and rounds up" if isinstance(value, float) else ""
        raise TypeError(f"{what}, not an int{rounded}")
    if number < 0:
        raise ValueError(f"{what}, a negative number")
    if number > limit:
        raise ValueError(f"{what}, but at most {limit} programs are allowed there")
    return number
