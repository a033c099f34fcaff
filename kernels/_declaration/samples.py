"""Arguments of a sample, and the reference's results for them."""

import inspect
import math

from . import shapes
from .arguments import FLOATS, Array

#: Integers of tests lie in this range.
_INTEGERS = (-100, 101)


def dtype_of(kind, dtype):
    """Returns the dtype that an array has in a test with ``dtype``."""
    if kind.dtypes is None:
        return dtype if kind.like is not None or dtype in FLOATS else "float32"
    return dtype if dtype in kind.dtypes else kind.dtypes[0]


def make(declaration, sample, dtype, rng):
    """Returns the arguments by name, arrays as pairs of values (NumPy, not rounded yet) and the name of their dtype."""
    made = {}
    for name, kind in declaration.arguments.items():
        value = sample.values.get(name)
        if callable(value) and isinstance(kind, Array):
            made[name] = value(rng, sample.sizes), dtype_of(kind, dtype)
        elif name in sample.values:
            made[name] = value
        elif isinstance(kind, Array) and (name not in declaration.defaults or name in sample.optional):
            type_ = dtype_of(kind, dtype)
            made[name] = _values(kind, type_, shapes.evaluate(kind.shape, sample.sizes), rng), type_
    return made


def _values(kind, dtype, shape, rng):
    if kind.fill is not None:
        return kind.fill(rng, shape)
    return rng.integers(*_INTEGERS, shape) if "int" in dtype else rng.standard_normal(shape)


def expected(declaration, given):
    """Returns the results of the reference by name; ``given``: the arguments, arrays of NumPy."""
    names = inspect.signature(declaration.reference).parameters
    found = declaration.reference(**{name: value for name, value in given.items() if name in names})
    return dict(zip(declaration.results, found if isinstance(found, tuple) else (found,)))


def described(sample):
    """Returns a short text of the sample, for names of tests and rows of tables."""
    sizes = [f"{name}={_size(size)}" for name, size in sample.sizes.items() if size != ()]
    values = [f"{name}={value}" for name, value in sample.values.items() if not callable(value)]
    return " ".join([*sizes, *sample.optional, *values])


def _size(size):
    return "x".join(map(str, size)) if isinstance(size, tuple) else size


def elements(sample):
    """Returns the product of all dimensions."""
    return math.prod(math.prod(size) if isinstance(size, tuple) else size for size in sample.sizes.values())
