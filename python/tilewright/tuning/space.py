"""Spaces of configurations, too many to list."""

import itertools
import math
import random
from collections.abc import Iterable

from .config import AutotunerError, Config

#: Spaces of up to this many combinations are enumerated, so that rare allowed ones are found.
_LISTED = 4096

_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


class Space:
    """All combinations of some values, for `autotune(configs=...)` to search within a time. They are not listed: there
    may be any number.

    Args:
        seconds: time limit for one key; the best configuration so far is taken. The first measured ones are random
            samples of the space, then adjacent points of the best follow.
        where: a function of a `Config` that says whether it makes sense.
        seed: of the random choice; with the same seed the order is the same.
        values: lists of values by the names of parameters and options.

    Raises `TypeError` and `ValueError` for invalid arguments.

    Example:

        >>> import tilewright as tw
        >>> space = tw.Space(BLOCK=[64, 128], num_warps=[4, 8], seconds=5)
        >>> [str(config) for config in space.configs()][:2]
        ['BLOCK: 64, num_warps: 4, num_ctas: 1, num_stages: 3', 'BLOCK: 64, num_warps: 8, num_ctas: 1, num_stages: 3']
    """

    def __init__(self, *, seconds=10.0, where=None, seed=0, **values):
        for name, choices in values.items():
            if isinstance(choices, str) or not isinstance(choices, Iterable):
                raise TypeError(f"{name} of a space is a list of values, got {choices!r}")
        self.values = {name: list(choices) for name, choices in values.items()}
        if not self.values or not all(self.values.values()):
            raise ValueError("a space needs at least one value for each of its names")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float):
            raise TypeError(f"seconds is a number, got {seconds!r}")
        if not seconds > 0:
            raise ValueError(f"seconds is positive, got {seconds}")
        if where is not None and not callable(where):
            raise TypeError(f"where is a function of a Config, got {where!r}")
        self.seconds, self.where, self.seed = seconds, where, seed

    @property
    def size(self):
        """How many combinations there are; `len` cannot say it of very many."""
        return math.prod(map(len, self.values.values()))

    def __len__(self):
        return self.size

    def _config(self, point):
        values = {name: self.values[name][index] for name, index in zip(self.values, point)}
        options = {name: values.pop(name) for name in _OPTIONS if name in values}
        return Config(values, **options)

    def _allowed(self, point):
        return self.where is None or self.where(self._config(point))

    def _points(self):
        return itertools.product(*(range(len(choices)) for choices in self.values.values()))

    def configs(self):
        """All of them that make sense, as a list of `Config`."""
        return [self._config(point) for point in self._points() if self._allowed(point)]

    def first(self):
        """The first of these. Raises `AutotunerError` where there is none."""
        for point in self._points():
            if self._allowed(point):
                return self._config(point)
        raise AutotunerError("the space has no configuration that its `where` allows")

    @property
    def parameters(self):
        """The names that are no options."""
        return {name for name in self.values if name not in _OPTIONS}

    def __repr__(self):
        values = ", ".join(f"{name}={choices}" for name, choices in self.values.items())
        return f"Space({values}, seconds={self.seconds}, seed={self.seed})"

    def identity(self):
        """A text that differs for spaces with other configurations, or other orders of them."""
        code = getattr(self.where, "__code__", None)
        return f"{self!r} {code.co_code.hex() if code else ''} {code.co_consts if code else self.where!r}"

    def indices_of(self, config):
        """The indices of a configuration's values in their lists, as a list."""
        chosen = config.all_kwargs()
        return [choices.index(chosen[name]) for name, choices in self.values.items()]

    def at(self, indices):
        """The inverse of `indices_of`; None for invalid indices."""
        sizes = [len(choices) for choices in self.values.values()]
        if not isinstance(indices, list) or len(indices) != len(sizes):
            return None
        if not all(type(index) is int and 0 <= index < size for index, size in zip(indices, sizes)):
            return None
        return self._config(indices) if self._allowed(indices) else None

    def _sample(self, source, seen, count):
        if self.size <= _LISTED:
            left = [point for point in self._points() if point not in seen and self._allowed(point)]
            found = source.sample(left, min(count, len(left)))
            seen.update(found)
            return found
        sizes = [len(choices) for choices in self.values.values()]
        found = []
        for _ in range(50 * count):
            point = tuple(source.randrange(size) for size in sizes)
            if point not in seen and self._allowed(point):
                seen.add(point)
                found.append(point)
                if len(found) == count:
                    break
        return found

    def _neighbours(self, point, seen):
        found = []
        for axis, choices in enumerate(self.values.values()):
            for index in (point[axis] - 1, point[axis] + 1):
                near = (*point[:axis], index, *point[axis + 1 :])
                if 0 <= index < len(choices) and near not in seen and self._allowed(near):
                    seen.add(near)
                    found.append(near)
        return found

    def search(self, measure, clock):
        """The times of the configurations tried within `seconds`, as a dict.

        `measure` takes a list of `Config` and gives their times in the same order, infinite for one that
        does not work; `clock` gives the time in seconds.
        """
        deadline = clock() + self.seconds
        source, seen, times = random.Random(self.seed), set(), {}
        while clock() < deadline:
            best = min(times, key=times.get, default=None)
            points = self._neighbours(best, seen) if best is not None and len(times) >= 16 else []
            points = points or self._sample(source, seen, 8)
            if not points:
                break
            times.update(zip(points, measure([self._config(point) for point in points])))
        return {self._config(point): time for point, time in times.items()}
