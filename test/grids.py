"""Selects the default cases of large parameter grids: every pair of values of two parameters is in one."""

import itertools

#: Smaller grids run whole.
LARGE = 16


def left_out(items):
    """The test items that need not run."""
    functions = {}
    for item in items:
        if hasattr(item, "callspec"):
            functions.setdefault((item.fspath, item.cls, item.originalname), []).append(item)
    cases = (case for cases in functions.values() if len(cases) > LARGE for case in _not_covering(cases))
    return list(cases)


def _not_covering(items):
    """Greedily takes the case with most uncovered pairs, the first of equals. Returns the cases not taken."""
    pairs = {item: _pairs(item) for item in items}
    missing, left = set().union(*pairs.values()), list(items)
    while missing:
        best = max(left, key=lambda item: len(pairs[item] & missing))
        missing -= pairs[best]
        left.remove(best)
    return left


def _pairs(item):
    """All pairs of parameter values of the case; for a single parameter, its value."""
    given = dict(item.callspec.params)
    axes = []
    for mark in item.iter_markers("parametrize"):
        names = mark.args[0].replace(" ", "").split(",") if isinstance(mark.args[0], str) else mark.args[0]
        axes.append(tuple((name, id(given.pop(name))) for name in names))
    axes += [((name, id(value)),) for name, value in given.items()]  # parameters of fixtures
    return set(itertools.combinations(sorted(axes), 2)) or set(axes)
