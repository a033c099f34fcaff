"""Functions of scalars on many elements at once, as long as these take the same way through the function.

A scalar is then an array of an element for each lane. Where the function asks which number a scalar is, to branch or to
count, and the lanes hold different ones, they part: the function runs again from its start for those of each number.
"""

import numpy as np

from ..language.dtypes import with_scalar
from ..language.tensor import tensor
from .numpy_types import numpy_dtype


class Parted(Exception):
    """The lanes hold different numbers; `groups` are the places of the lanes of each."""

    def __init__(self, groups):
        super().__init__("lanes part")
        self.groups = groups


class NotForLanes(Exception):
    """What the function does is not done for many elements at once."""


def only_number(values):
    """The number that is in all lanes. Raises `Parted` where there are several."""
    first = values[0].item()
    if not (values != values[0]).any():
        return first
    _, which = np.unique(values, return_inverse=True)
    raise Parted([np.flatnonzero(which == number) for number in range(which.max() + 1)])


def map_lanes(operands, types, pack, function):
    """What `function`, of a list of scalars, gives for the elements of `operands`, as blocks of the same shape.

    It gets `pack` of each operand and gives as many of each result. Raises whatever the function raises, not always for
    the first element that it raises it for.
    """
    lanes = [operand.reshape(-1) for operand in operands]
    waiting, done = [np.arange(lanes[0].size)], []
    while waiting:
        places = waiting.pop()
        elements = [
            tensor(lane[places] if len(places) > 1 else np.asarray(lane[places[0]]), ty.scalar)
            for lane, ty in zip(lanes, types, strict=True)
            for _ in range(pack)
        ]
        try:
            done.append((places, function(elements)[::pack]))
        except Parted as parted:
            waiting += [places[group] for group in parted.groups]
    first = next(values for places, values in done if places[0] == 0)
    blocks = []
    for number, value in enumerate(first):
        block = np.empty(lanes[0].size, numpy_dtype(value.dtype))
        for places, values in done:
            block[places] = values[number].handle
        blocks.append(tensor(block.reshape(operands[0].shape), with_scalar(types[0], value.dtype)))
    return blocks
