"""Spaces of configurations, too many to list."""

import itertools
import math
import random

from .config import Config

_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


class Space:
    """All combinations of some values, for `autotune(configs=...)` to search within a time.

    Args:
        seconds: how long to measure at one key; the best found by then is taken. What is measured first is
            spread over the space at random, then neighbours of the best follow.
        where: a function of a `Config` that says whether it makes sense.
        seed: of the random choice; with the same seed the order is the same.
        values: lists of values by the names of parameters and options.

    Example:

        >>> import tilewright as tw
        >>> space = tw.Space(BLOCK=[64, 128], num_warps=[4, 8], seconds=5)
        >>> [str(config) for config in space.configs()][:2]
        ['BLOCK: 64, num_warps: 4, num_ctas: 1, num_stages: 3', 'BLOCK: 64, num_warps: 8, num_ctas: 1, num_stages: 3']
    """

    def __init__(self, *, seconds=10.0, where=None, seed=0, **values):
        if not values or any(not choices for choices in values.values()):
            raise ValueError("a space needs at least one value for each of its names")
        if seconds <= 0:
            raise ValueError(f"seconds is positive, got {seconds}")
        self.seconds, self.where, self.seed = seconds, where, seed
        self.values = {name: list(choices) for name, choices in values.items()}

    def __len__(self):
        return math.prod(map(len, self.values.values()))

    def _config(self, point):
        values = {name: self.values[name][place] for name, place in zip(self.values, point)}
        options = {name: values.pop(name) for name in _OPTIONS if name in values}
        return Config(values, **options)

    def _allowed(self, point):
        return self.where is None or self.where(self._config(point))

    def configs(self):
        """All of them that make sense, as a list of `Config`."""
        points = itertools.product(*(range(len(choices)) for choices in self.values.values()))
        return [self._config(point) for point in points if self._allowed(point)]

    def _sample(self, source, seen, count):
        sides = [len(choices) for choices in self.values.values()]
        found = []
        for _ in range(50 * count):
            point = tuple(source.randrange(side) for side in sides)
            if point not in seen and self._allowed(point):
                seen.add(point)
                found.append(point)
                if len(found) == count:
                    break
        return found

    def _neighbours(self, point, seen):
        found = []
        for axis, choices in enumerate(self.values.values()):
            for place in (point[axis] - 1, point[axis] + 1):
                near = (*point[:axis], place, *point[axis + 1 :])
                if 0 <= place < len(choices) and near not in seen and self._allowed(near):
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
