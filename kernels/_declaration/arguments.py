"""The parts of a declaration: kinds of arguments, results, gradient, cost and samples.

A symbolic shape is a text such as "... M K": dimensions of one name are equal in all arguments, and "..." stands for any
number of leading dimensions, equal in all arguments unless the kernel says that they broadcast.

These are named tuples, since dataclasses take ten times as long to import.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

#: Types of arrays that most kernels compute in float32 and round once.
FLOATS = ("float16", "bfloat16", "float32")

NOTHING = MappingProxyType({})


class ArrayType(NamedTuple):
    """Shape and name of the dtype of an array without data."""

    shape: tuple
    dtype: str


class Array(NamedTuple):
    """An argument that is an array; optional if its default is None.

    Attributes:
        shape: a symbolic shape; None if the kernel itself checks the shape.
        dtypes: names of the allowed dtypes; None for any.
        like: name of an earlier argument of the same dtype, or None.
        mixes: dtypes that may differ from that of ``like`` among each other.
        layout: "any" strides, "last" dimension contiguous, or "contiguous" in C's order.
        broadcasts: whether the array only has to broadcast to ``shape``, which others bind.
        number: whether a number may stand for the array.
        fill: ``fill(rng, shape)`` gives values for tests; normal numbers, or all of an integer type, by default.
    """

    shape: str | None
    dtypes: tuple | None = FLOATS
    like: str | None = None
    mixes: tuple = ()
    layout: str = "any"
    broadcasts: bool = False
    number: bool = False
    fill: Callable | None = None


class Scalar(NamedTuple):
    """An argument that is a number of ``type`` (float, int or bool), from ``low`` to ``high``."""

    type: type
    low: float | None = None
    high: float | None = None


class Option(NamedTuple):
    """An argument with a value of ``choices``; ``other`` describes values that only the kernel checks, or is None."""

    choices: tuple
    other: str | None = None


class Value(NamedTuple):
    """An argument that the kernel itself checks. ``schema``: its type in PyTorch's schemas; None if they leave it out."""

    text: str
    schema: str | None = None


class Result(NamedTuple):
    """A result: a parameter of the function that is written, and allocated where it is None.

    Attributes:
        shape: a symbolic shape.
        dtype: the argument whose dtype a result has, or a function of all arguments (a mapping) to the name of a dtype.
        dtypes: allowed dtypes of a given array; "any", or "same" for that of ``dtype`` alone.
        layout: as for :class:`Array`.
        apart: arguments that must not be the same memory, since they are read while the result is written.
        needs: name of an optional argument without which there is no such result, or None.
    """

    shape: str
    dtype: str | Callable[[Mapping], str]
    dtypes: tuple | str = FLOATS
    layout: str = "contiguous"
    apart: tuple = ()
    needs: str | None = None


class Gradient(NamedTuple):
    """The kernel that computes the gradient.

    Its result ``x_grad`` is the gradient of the argument ``x``. Its argument ``out_grad`` is the gradient of the result
    ``out``. An argument with the name of an argument of the forward kernel has its value. ``sources`` maps other
    arguments to names of arguments and results of the forward kernel.
    """

    kernel: str
    sources: Mapping[str, str] = NOTHING


class Cost(NamedTuple):
    """Minimum memory traffic in bytes, and floating-point operations: 0 if memory bandwidth is the limit."""

    bytes: int
    flops: int = 0


class Sample(NamedTuple):
    """Arguments for a test or a benchmark.

    Attributes:
        sizes: the dimensions by name; "..." is a tuple.
        optional: optional arrays that are given.
        values: other arguments by name. A function ``f(rng, sizes)`` makes an array.
    """

    sizes: Mapping[str, Any]
    optional: tuple = ()
    values: Mapping[str, Any] = NOTHING
