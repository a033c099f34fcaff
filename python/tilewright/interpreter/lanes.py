"""Functions of scalars on many elements at once, as long as these take the same path through the function.

A scalar is then an array with an element for each lane. The function may need the number of a scalar, to branch or to
count. If the lanes hold different numbers, they part: the function runs again from its start for the lanes of each.
"""

import numpy as np

from ..language.dtypes import with_scalar
from ..language.tensor import tensor
from .numpy_types import numpy_dtype


class Parted(Exception):
    """The lanes hold different numbers. `groups` are the indices of the lanes of each number."""

    def __init__(self, groups):
        super().__init__("lanes part")
        self.groups = groups


class NotForLanes(Exception):
    """The function does something that is not supported for many elements at once."""


def only_number(values):
    """The number that is in all lanes. Raises `Parted` where there are several."""
    first = values[0].item()
    if not (values != values[0]).any():
        return first
    _, which = np.unique(values, return_inverse=True)
    raise Parted([np.flatnonzero(which == number) for number in range(which.max() + 1)])


def map_lanes(operands, types, pack, function):
    """The results of `function`, of a list of scalars, on the elements of `operands`, as blocks of the same shape.

    It takes `pack` elements of each operand and returns as many of each result. Raises the errors of the function, not
    always for the first failing element.
    """
    lanes = [operand.reshape(-1) for operand in operands]
    waiting, done = [np.arange(lanes[0].size)], []
    while waiting:
        indices = waiting.pop()
        elements = [
            tensor(lane[indices] if len(indices) > 1 else np.asarray(lane[indices[0]]), ty.scalar)
            for lane, ty in zip(lanes, types, strict=True)
            for _ in range(pack)
        ]
        try:
            done.append((indices, function(elements)[::pack]))
        except Parted as parted:
            waiting += [indices[group] for group in parted.groups]
    first = next(values for indices, values in done if indices[0] == 0)
    blocks = []
    for number, value in enumerate(first):
        block = np.empty(lanes[0].size, numpy_dtype(value.dtype))
        for indices, values in done:
            block[indices] = values[number].handle
        blocks.append(tensor(block.reshape(operands[0].shape), with_scalar(types[0], value.dtype)))
    return blocks
