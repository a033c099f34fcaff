"""The builder that evaluates each operation at once."""

import numpy as np

from ..language.dtypes import block_type, int32, with_scalar
from ..language.errors import BlockAsScalarError, LanguageError
from ..language.semantic.convert import as_tensors
from ..language.tensor import tensor
from ..user_location import user_location
from ..options import Options
from . import arith_ops, math_ops, tile_ops, warp_ops
from .lanes import NotForLanes, map_lanes, only_number
from .numpy_types import as_numbers, numpy_dtype
from .rounding import odd_float32
from .schedule import Schedule

_PURE = {**arith_ops.OPS, **math_ops.OPS}
_OTHERS = {**tile_ops.OPS, **warp_ops.OPS}




class EagerBuilder:
    """Implements `language.ir.Builder` on NumPy arrays; handles are arrays, of rank 0 for scalars.

    `memory` holds the arguments' arrays. `grid` is the number of programs along each axis, and `position` the index of the
    running program. `functions` prepares functions for the interpreter. Of the launch `options`, `debug` checks overflow
    and `check_nan` follows NaNs. Asserts are always on.
    """

    debug, is_draft = True, False
    extents = {}  # memory itself checks accesses
    target, warp_target = "cpu", "interpreter"

    def __init__(self, memory, grid, functions, options=None):
        self.options = options or Options()
        self.checks_overflow, self.traces_nans = self.options.checks, self.options.check_nan
        self.nan_sites = []
        self.memory, self.grid, self.functions = memory, grid, functions
        self.in_lanes = False  # whether a scalar may be an element for each of many lanes
        self.position = (0, 0, 0)
        self.cluster = 1  # programs of a cluster
        self.named_barriers = 0
        self.schedule = None  # that of the roles of the programs of a cluster
        self.cluster_tiles = {}  # by program: the shared blocks that the others of its cluster reach

    def create(self, op, operands, types, attrs):
        with np.errstate(all="ignore"):
            pure = _PURE.get(op)
            if pure:
                results = pure(operands, types, attrs)
            elif op in _OTHERS:
                if self.in_lanes and op != "tile.assert":
                    raise NotForLanes
                results = _OTHERS[op](self, operands, types, attrs)
            else:
                raise tile_ops.unknown(op)
        return [np.asarray(result) for result in results]

    def constant(self, value, type):
        if self.in_lanes and type.shape:
            raise NotForLanes
        dtype = numpy_dtype(type)
        with np.errstate(all="ignore"):
            if type.scalar.is_floating() and dtype.itemsize <= 2:  # NumPy makes bfloat16 of float32 only
                value = odd_float32(np.float64(value))
            return np.full(type.shape, value, dtype)

    def reduce(self, operands, operand_types, result_types, axis, combine):
        if self.in_lanes:
            raise NotForLanes
        before, self.checks_overflow = self.checks_overflow, False  # compiled regions have no checks
        try:
            return self._reduce(operands, operand_types, axis, combine)
        finally:
            self.checks_overflow = before

    def _reduce(self, operands, operand_types, axis, combine):
        values = [np.moveaxis(operand, axis, 0) for operand in operands]
        while len(values[0]) > 1:
            end = len(values[0]) // 2 * 2  # adjacent elements are combined, which keeps the order
            lefts, rights = ([self._wrap(v[part], ty) for v, ty in zip(values, operand_types, strict=True)]
                             for part in (slice(0, end, 2), slice(1, end, 2)))  # fmt: skip
            combined = combine(lefts, rights)
            values = [
                np.concatenate([result.handle, value[end:]])
                for result, value in zip(combined, values, strict=True)
            ]
        return [value[0] for value in values]

    def map(self, operands, operand_types, pack, function):
        if self.in_lanes:
            raise NotForLanes
        if operands[0].size > 1:
            self.in_lanes = True
            try:
                return map_lanes(operands, operand_types, pack, function)
            except Exception:  # the run for each element then finds the first one that fails
                pass
            finally:
                self.in_lanes = False
        return self._map_each(operands, operand_types, pack, function)

    def _map_each(self, operands, operand_types, pack, function):
        columns, dtypes = None, None
        for index in np.ndindex(operands[0].shape):
            elements = [
                tensor(np.asarray(operand[index]), ty.scalar)
                for operand, ty in zip(operands, operand_types, strict=True)
                for _ in range(pack)
            ]
            values = function(elements)[::pack]
            if columns is None:
                dtypes = [value.dtype for value in values]
                columns = [np.empty(operands[0].shape, numpy_dtype(ty)) for ty in dtypes]
            for column, value in zip(columns, values, strict=True):
                column[index] = value.handle
        types = [with_scalar(operand_types[0], ty) for ty in dtypes]
        return [tensor(column, ty) for column, ty in zip(columns, types, strict=True)]

    @staticmethod
    def _wrap(array, ty):
        return tensor(array, block_type(ty.scalar, array.shape))

    def specialize(self, roles):
        if self.in_lanes:
            raise NotForLanes
        x, y, z = self.position
        if self.grid[0] % self.cluster:
            raise LanguageError(
                f"the grid has {self.grid[0]} programs along its first dimension, which is not a multiple of the cluster of "
                f"{self.cluster}"
            )
        if self.schedule is None:
            self.schedule = Schedule(self._move)
        self.schedule.add(roles, (x, y, z))
        if (x + 1) % self.cluster:
            return  # run with those of the cluster's last program
        try:
            self.schedule.run()
        finally:
            self.schedule = None
            self.cluster_tiles.clear()

    def _move(self, position):
        self.position = position

    def promise(self, handle, name, values):
        pass  # it changes no result

    def repeat(self, start, end, values, body):
        start, end = (self.concrete(bound.handle, bound.type) for bound in (start, end))
        for index in range(start, end):
            values = body(tensor(self.constant(index, int32), int32), values)
        return list(values)

    def call(self, function, args, kwargs=None):
        return self.functions.call(function, args, kwargs or {})

    def call_on_elements(self, function, args):
        try:
            return self.call(function, args)
        except BlockAsScalarError:
            operands, types = [arg.handle for arg in args], [arg.type for arg in args]
            return tuple(self.map(operands, types, 1, lambda elements: as_tensors(self.call(function, elements))))

    def user_location(self):
        return user_location()

    def nan_site(self, name):
        site = name, *user_location()
        if site not in self.nan_sites:
            self.nan_sites.append(site)
        return self.nan_sites.index(site) + 1

    def report_nan(self, worst, what):
        if number := worst.handle.item():
            name, file, line = self.nan_sites[number - 1]
            program = tuple(self.position)
            raise AssertionError(
                f"{file}:{line}: {name} makes a NaN out of numbers, which {what} writes (program {program})"
            )

    def concrete(self, handle, type):
        numbers = as_numbers(handle, type)
        return only_number(numbers) if self.in_lanes and numbers.size > 1 else numbers.item()

    def describe(self, handle, type):
        return f"{np.array2string(as_numbers(handle, type))} of type {type}"
