"""Symbolic shapes, such as "... M K": names of dimensions, numbers, and leading dimensions."""

from functools import lru_cache

LEADING = "..."


class ShapeError(ValueError):
    """A shape does not match, or leading dimensions do not broadcast."""


@lru_cache(maxsize=256)
def parse(text):
    """Returns whether leading dimensions are allowed, and the other dimensions: names and numbers."""
    words = text.split()
    leading = words[:1] == [LEADING]
    dims = tuple(int(word) if word.isdigit() else word for word in words[leading:])
    if LEADING in dims:
        raise ValueError(f"leading dimensions come first, got {text!r}")
    return leading, dims


def match(shape, text, sizes, broadcast=False):
    """Binds the dimensions of ``text`` to those of ``shape``.

    Args:
        shape: the shape of an array.
        text: a symbolic shape.
        sizes: the dimensions bound so far, by name; updated if the shapes match.
        broadcast: whether leading dimensions broadcast with those bound so far. Otherwise they are equal.

    Returns whether the shapes match.
    """
    leading, dims = parse(text)
    rest = len(shape) - len(dims)
    if rest < 0 or (rest and not leading):
        return False
    found = {}
    for dim, size in zip(dims, shape[rest:]):
        if size != (dim if isinstance(dim, int) else found.setdefault(dim, sizes.get(dim, size))):
            return False
    if leading:
        first, known = tuple(shape[:rest]), sizes.get(LEADING)
        if known is not None and broadcast:
            first = broadcast_shapes(known, first)
        elif known is not None and first != known:
            return False
        found[LEADING] = first
    sizes.update(found)
    return True


def broadcast_shapes(left, right):
    """Returns the common shape of two arrays. Raises ShapeError if there is none."""
    length = max(len(left), len(right))
    pairs = zip((1,) * (length - len(left)) + left, (1,) * (length - len(right)) + right)
    result = []
    for one, other in pairs:
        if one != other and one != 1 and other != 1:
            raise ShapeError(f"{left} and {right} do not broadcast")
        result.append(other if one == 1 else one)
    return tuple(result)


def evaluate(text, sizes):
    """Returns the shape that ``text`` stands for; all its dimensions are bound."""
    leading, dims = parse(text)
    first = sizes[LEADING] if leading else ()
    return (*first, *(dim if isinstance(dim, int) else sizes[dim] for dim in dims))


def show(text, sizes):
    """Formats a symbolic shape: bound dimensions as numbers, the others as names."""
    leading, dims = parse(text)
    first = sizes.get(LEADING, (LEADING,)) if leading else ()
    parts = [str(part) for part in (*first, *(sizes.get(dim, dim) for dim in dims))]
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
