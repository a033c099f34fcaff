"""Checks of arguments against a declaration. Each message names the argument, what it is and what was expected."""

import math
import operator

from .._arrays import address, check_no_overlap, dtype_name, library, strides
from . import shapes
from .arguments import Array, Option, Scalar


class Checker:
    """Checks the arguments of one call and binds the dimensions.

    Attributes:
        sizes: the bound dimensions by name.
        like: the first array, and `first` its name.
    """

    def __init__(self, declaration, given, has_data):
        self.declaration, self.given, self.has_data = declaration, given, has_data
        self.sizes, self.deferred = {}, []
        self.like = self.first = None

    def check_arguments(self):
        """Checks all arguments but the results."""
        both = [name for name in self.declaration.exclusive if self.given[name] is not None]
        if len(both) > 1:
            raise ValueError(f"give {' or '.join(both)}, not both")
        for name, kind in self.declaration.arguments.items():
            value = self.given[name]
            if isinstance(kind, Array):
                self._check_array(name, kind, value)
            elif isinstance(kind, Scalar):
                self._check_scalar(name, kind, value)
            elif isinstance(kind, Option):
                check_option(name, kind, value)

    def check_broadcasts(self):
        """Checks the arrays that broadcast to dimensions of others."""
        for name, kind in self.deferred:
            shape = tuple(self.given[name].shape)
            target = shapes.evaluate(kind.shape, self.sizes)
            try:
                fits = shapes.broadcast_shapes(shape, target) == target
            except shapes.ShapeError:
                fits = False
            if not fits:
                raise ValueError(f"{name} has shape {shape}, which does not broadcast to {target}")

    def _is_absent(self, name, value):
        return value is None and self.declaration.defaults.get(name, ...) is None

    def _check_array(self, name, kind, value):
        if self._is_absent(name, value) or (kind.number and isinstance(value, (int, float))):
            return
        self.check_library(name, value)
        if self.like is None:
            self.like, self.first = value, name
        self._check_dtype(name, kind, value)
        if kind.broadcasts:
            self.deferred.append((name, kind))
        elif kind.shape is not None:
            self._check_shape(name, kind.shape, value)
        if self.has_data:
            check_layout(name, kind.layout, value)

    def check_library(self, name, value):
        """Raises TypeError unless the value is an array of the library of the first array."""
        if not self.has_data:
            return
        try:
            found = library(value)
        except TypeError:
            raise TypeError(
                f"{name} is of type {type(value).__name__}, expected an array of numpy, torch or cupy"
            ) from None
        if self.like is not None and found is not library(self.like):
            raise TypeError(
                f"{name} is an array of {found.__name__}, expected one of {library(self.like).__name__}"
            )

    def _check_dtype(self, name, kind, value):
        dtype = dtype_name(value)
        if kind.like is not None and self.given[kind.like] is not None:
            expected = dtype_name(self.given[kind.like])
            if dtype != expected and not (dtype in kind.mixes and expected in kind.mixes):
                raise TypeError(f"{name} is {dtype}, expected {expected}, the type of {kind.like}")
        if kind.dtypes is not None and dtype not in kind.dtypes:
            raise TypeError(f"{name} is {dtype}, expected {listed(kind.dtypes)}")

    def _check_shape(self, name, text, value):
        shape = tuple(value.shape)
        try:
            fits = shapes.match(shape, text, self.sizes, self.declaration.broadcast)
        except shapes.ShapeError:
            raise ValueError(f"the leading dimensions do not broadcast: {self._shapes(name)}") from None
        if not fits:
            free = (shapes.LEADING,) if self.declaration.broadcast else ()
            known = {dim: size for dim, size in self.sizes.items() if dim not in free}
            raise ValueError(f"{name} has shape {shape}, expected {shapes.show(text, known)}")
        for dim, (low, high) in self.declaration.limits.items():
            if dim in shapes.parse(text)[1] and not low <= self.sizes[dim] <= high:
                raise ValueError(f"{name} has shape {shape}, expected {dim} from {low} to {high}")

    def _shapes(self, last):
        """Lists the shapes of the arrays up to the last one."""
        found = []
        for name in self.declaration.parameters:
            kind = self.declaration.arguments.get(name, self.declaration.results.get(name))
            text, value = getattr(kind, "shape", None), self.given[name]
            if text and text.startswith(shapes.LEADING) and hasattr(value, "shape"):
                found.append(f"{name} {tuple(value.shape)}")
            if name == last:
                break
        return ", ".join(found)

    def _check_scalar(self, name, kind, value):
        if self._is_absent(name, value):
            return
        convert = {float: float, int: operator.index, bool: bool}[kind.type]
        try:
            number = convert(value)
        except (TypeError, ValueError):
            raise TypeError(f"{name} is {value!r}, expected a number of type {kind.type.__name__}") from None
        if kind.low is not None and not number >= kind.low:
            raise ValueError(f"{name} is {value!r}, expected at least {kind.low}")
        if kind.high is not None and not number <= kind.high:
            raise ValueError(f"{name} is {value!r}, expected at most {kind.high}")

    def check_result(self, name, kind, shape, dtype):
        """Checks a given result, for which this shape and dtype (a name) would be allocated."""
        value = self.given[name]
        self.check_library(name, value)
        if tuple(value.shape) != shape:
            raise ValueError(f"{name} has shape {tuple(value.shape)}, expected {shape}")
        found = dtype_name(value)
        if kind.dtypes == "same" and found != dtype:
            raise TypeError(f"{name} is {found}, expected {dtype}")
        if not isinstance(kind.dtypes, str) and found not in kind.dtypes:
            raise TypeError(f"{name} is {found}, expected {listed(kind.dtypes)}")
        check_no_overlap(name, value)
        check_layout(name, kind.layout, value)
        if math.prod(shape) == 0:
            return
        for other in kind.apart:
            read = self.given[other]
            if read is not None and address(read) == address(value) and math.prod(read.shape):
                raise ValueError(f"{name} is {other}, which is read while {name} is written")


def check_option(name, kind, value):
    """Raises ValueError unless the value is a choice, or one that the kernel checks."""
    if any(value is choice or value == choice for choice in kind.choices):
        return
    if kind.other is None or isinstance(value, str):
        choices = listed([repr(choice) for choice in kind.choices])
        more = f", or {kind.other}" if kind.other else ""
        raise ValueError(f"{name} must be {choices}{more}, got {value!r}")


def check_layout(name, layout, x):
    """Raises ValueError unless the strides of ``x`` are those of the layout."""
    if layout == "any" or 0 in x.shape:  # strides of arrays without elements are arbitrary
        return
    if layout == "last":
        if x.shape[-1] > 1 and strides(x)[-1] != 1:
            what = name if len(x.shape) == 1 else f"the last dimension of {name}"
            raise ValueError(f"{what} must be contiguous, its stride is {strides(x)[-1]}")
        return
    if not (x.is_contiguous() if library(x).__name__ == "torch" else x.flags.c_contiguous):
        raise ValueError(f"{name} must be C-contiguous, its strides are {tuple(strides(x))}")


def listed(names):
    """Joins names as in "a, b or c"."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last
