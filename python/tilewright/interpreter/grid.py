"""Grids of launches in the interpreter, with the checks and messages of compiled launches."""

from ..language.constexpr import unwrap
from ..runtime.lookups import call_with_names

#: Maximum number of programs along each dimension.
_LIMITS = (2**31 - 1, 65535, 65535)


def grid_dims(fn, grid, names):
    """The three dimensions of a grid for the kernel `fn`. A grid function is called with `names`.

    Raises `TypeError` or `ValueError` for an invalid grid.
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
    dims = tuple(grid) if isinstance(grid, (tuple, list)) else (grid,)
    if not 1 <= len(dims) <= 3:
        raise ValueError(f"grid of {kernel} has {len(dims)} dimensions, not one to three")
    numbers = [
        _checked_dim(value, limit, f"grid of {kernel} along {axis} is {value!r}")
        for value, limit, axis in zip(dims, _LIMITS, "xyz", strict=False)
    ]
    return (*numbers, *(1,) * (3 - len(numbers)))


def _checked_dim(value, limit, what):
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
