"""`triton._utils`: values in nested tuples and lists, by their paths."""


def find_paths_if(values, condition):
    """The paths (tuples of positions) of all values for which `condition(path, value)` holds; of nested tuples and lists
    the values inside."""

    def walk(path, value):
        if isinstance(value, (tuple, list)):
            return [found for index, inner in enumerate(value) for found in walk((*path, index), inner)]
        return [path] if condition(path, value) else []

    return walk((), values)


def get_iterable_path(values, path):
    """The value at a path."""
    for index in path:
        values = values[index]
    return values


def set_iterable_path(values, path, value):
    """Put another value at a path. Its container is a list."""
    get_iterable_path(values, path[:-1])[path[-1]] = value


__all__ = ["find_paths_if", "get_iterable_path", "set_iterable_path"]
