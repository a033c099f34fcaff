"""Which cases of parameter grids run by default."""

import itertools
from types import SimpleNamespace

import grids


class Case:
    """A test item of a parametrized function."""

    def __init__(self, function, marks, values):
        self.fspath, self.cls, self.originalname = "file.py", None, function
        self.marks = [SimpleNamespace(args=(names,)) for names in marks]
        self.callspec = SimpleNamespace(params=values)

    def iter_markers(self, name):
        assert name == "parametrize"
        return self.marks


def test_every_pair_of_values_is_in_a_case():
    parameters = {"a": "uvwxy", "b": (1, 2, 3), "c": (None, 4.5), "d": ((), "z")}
    made = [
        Case("f", parameters, dict(zip(parameters, values, strict=True)))
        for values in itertools.product(*parameters.values())
    ]
    out = grids.left_out(made)
    kept = [case.callspec.params for case in made if case not in out]
    assert 15 <= len(kept) <= 20
    for (one, firsts), (other, seconds) in itertools.combinations(parameters.items(), 2):
        together = {(case[one], case[other]) for case in kept}
        assert together == set(itertools.product(firsts, seconds))
    assert grids.left_out(made) == out


def test_names_given_together_are_one_parameter():
    shapes = [(m, n) for m in range(5) for n in range(4)]
    made = [Case("f", ["m, n", "t"], {"m": m, "n": n, "t": t}) for m, n in shapes for t in "ab"]
    assert grids.left_out(made) == []


def test_small_grids_and_few_parameters_run_whole():
    grid = [dict(zip("abc", values, strict=True)) for values in itertools.product((0, 1), repeat=3)]
    one = [Case("g", ["a"], {"a": value}) for value in range(100)]
    assert grids.left_out([Case("f", "abc", values) for values in grid] + one + [SimpleNamespace()]) == []
