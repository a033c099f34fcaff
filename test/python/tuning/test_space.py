"""Spaces of configurations, and errors of invalid ones."""

import itertools
import re

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

pytestmark = pytest.mark.compiled


def fill(out, n, value, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, value, mask=at < n)


def grid(meta):
    return (tw.cdiv(meta["n"], meta["BLOCK"]),)


def tuned(space, measured, **options):
    """A kernel whose time is the distance of its block from 64; appends the blocks to `measured`."""

    def note(arguments):
        measured.append(arguments["BLOCK"])

    def bench(run, quantiles):
        run()
        return [1.0 + abs(measured[-1] - 64)] * len(quantiles)

    options = {"key": ["n"], "cache_results": False} | options
    return tw.autotune(space, do_bench=bench, pre_hook=note, **options)(tw.jit(fill))


@pytest.fixture
def launch(backend):
    def launch(kernel, n=100):
        kernel[grid](backend.array(np.zeros(n), "float32"), n, 1.0)
        return kernel

    return launch


def test_more_than_can_be_listed():
    many = {f"unused{i}": range(100) for i in range(12)}
    space = tw.Space(BLOCK=[64], **many, seconds=0.05)
    assert space.size == 100**12
    assert space.first().kwargs["unused3"] == 0
    named = tw.jit(fill)
    assert tw.autotune(space, key=["n"])(named).configs == []
    times = space.search(lambda configs: [1.0] * len(configs), clock=itertools.count(0, 0.01).__next__)
    assert times


def test_the_few_that_make_sense_are_found():
    space = tw.Space(A=range(50), B=range(50), where=lambda c: c.kwargs == {"A": 31, "B": 7}, seconds=5)
    (found,) = space.search(lambda configs: [1.0] * len(configs), clock=itertools.count().__next__)
    assert found.kwargs == {"A": 31, "B": 7}


def test_results_of_spaces_are_kept(launch):
    measured = []
    space = tw.Space(BLOCK=[16, 32, 64, 128], num_warps=[1, 2], seconds=5)
    first = launch(tuned(space, measured, cache_results=True))
    count = len(measured)
    assert first.best_config.kwargs == {"BLOCK": 64} and count
    again = launch(tuned(space, measured, cache_results=True))
    assert len(measured) == count and again.best_config == first.best_config
    # Another space is another result, and another order of measuring, too.
    for other in (
        tw.Space(BLOCK=[16, 32, 64, 128], num_warps=[1, 2], seconds=5, seed=1),
        tw.Space(BLOCK=[16, 32, 64, 128], num_warps=[1, 2], seconds=5, where=lambda c: c.num_warps == 1),
    ):
        launch(tuned(other, measured, cache_results=True))
        assert len(measured) > count
        count = len(measured)


@pytest.mark.parametrize("position", [None, 5, [0], [0, 9], [True, 0], ["0", 0], [-1, 0], [3, 0]])
def test_invalid_positions(position):
    space = tw.Space(BLOCK=[16, 32, 64, 128], num_warps=[1, 2], where=lambda c: c.kwargs["BLOCK"] < 100)
    assert space.at(position) is None
    assert space.at(space.indices_of(space.at([1, 1]))) == tw.Config({"BLOCK": 32}, num_warps=2)


def test_pruning_of_spaces(launch):
    measured, space = [], tw.Space(BLOCK=[16, 32, 64, 128], seconds=5)

    def small(configs, named, **kwargs):
        return [config for config in configs if config.kwargs["BLOCK"] < 50]

    kernel = launch(tuned(space, measured, prune_configs_by={"early_config_prune": small}))
    assert set(measured) == {16, 32} and kernel.best_config.kwargs == {"BLOCK": 32}
    nothing = {"early_config_prune": lambda configs, named, **kwargs: []}
    with pytest.raises(tw.AutotunerError, match="early_config_prune left no configuration of fill"):
        launch(tuned(space, [], prune_configs_by=nothing))


def test_a_space_of_nothing(launch, monkeypatch):
    space = tw.Space(BLOCK=[16, 32], seconds=5, where=lambda config: False)
    message = "no configuration that its `where` allows"
    with pytest.raises(tw.AutotunerError, match=message):
        launch(tuned(space, []))
    monkeypatch.setenv("TILEWRIGHT_AUTOTUNE", "first")
    with pytest.raises(tw.AutotunerError, match=message):
        launch(tuned(space, []))


def test_the_first_of_a_space(launch, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_AUTOTUNE", "first")
    space = tw.Space(BLOCK=[16, 32], seconds=5, where=lambda config: config.kwargs["BLOCK"] > 20)
    assert launch(tuned(space, [])).best_config.kwargs == {"BLOCK": 32}


@pytest.mark.parametrize(
    "make, error, message",
    [
        (lambda: tw.Space(BLOCK=64), TypeError, "BLOCK of a space is a list of values, got 64"),
        (lambda: tw.Space(BLOCK="64"), TypeError, "BLOCK of a space is a list of values, got '64'"),
        (lambda: tw.Space(BLOCK=iter([])), ValueError, "at least one value for each of its names"),
        (lambda: tw.Space(BLOCK=[1], seconds="5"), TypeError, "seconds is a number, got '5'"),
        (lambda: tw.Space(BLOCK=[1], seconds=float("nan")), ValueError, "seconds is positive, got nan"),
        (lambda: tw.Space(BLOCK=[1], where=5), TypeError, "where is a function of a Config, got 5"),
        (lambda: tw.Config([1]), TypeError, "kwargs of a Config is a dict of values by the names of"),
        (
            lambda: tw.autotune(5, key=[])(tw.jit(fill)),
            TypeError,
            "configs is a list of Config, or a Space, got 5",
        ),
        (
            lambda: tw.autotune([{}], key=[])(tw.jit(fill)),
            TypeError,
            "configs is a list of Config, or a Space",
        ),
        (lambda: tw.autotune([], key="n"), TypeError, "key is a list of names of parameters, got 'n'"),
        (
            lambda: tw.autotune([], key=[])(fill),
            TypeError,
            "autotune decorates a kernel (decorated with @tile",
        ),
        (
            lambda: tw.heuristics({})(fill),
            TypeError,
            "heuristics decorates a kernel (decorated with @tilewright",
        ),
        (
            lambda: tw.heuristics({"n": 5}),
            TypeError,
            "heuristics has a function of the arguments for 'n', got 5",
        ),
        (
            lambda: tw.autotune([], key=[], prune_configs_by={"topk": 2}),
            ValueError,
            "prune_configs_by has early_config_prune, perf_model and top_k, got 'topk'",
        ),
    ],
)
def test_mistakes(make, error, message):
    with pytest.raises(error, match=re.escape(message)):
        make()
