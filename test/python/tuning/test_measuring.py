"""Comparison of configurations."""

import io
import math
import sys

import tilewright as tw
from tilewright.tuning.measuring import Progress, time_all

CONFIGS = [tw.Config({"BLOCK": block}) for block in (16, 32, 64, 128)]


def measured(times, glance=True, disturbed=()):
    """The results, and the measurements made as (BLOCK, whether it was a short one). Measurements at the positions
    `disturbed` take ten times as long."""
    asked, shown = [], []

    def time(config, rep):
        asked.append((config.kwargs["BLOCK"], rep is not None))
        return times[config.kwargs["BLOCK"]] * (10 if len(asked) - 1 in disturbed else 1)

    results = time_all(CONFIGS, time, lambda: shown.append(1), glance)
    assert len(shown) == len(CONFIGS)
    return {config.kwargs["BLOCK"]: result for config, result in results.items()}, asked


def test_losers_are_looked_at_only_shortly():
    times = {16: 1.4, 32: 1.0, 64: 1.6, 128: math.inf}
    results, asked = measured(times)
    assert results == times
    glances = [(16, True), (32, True), (64, True), (128, True)]
    assert asked == [*glances, (64, True), (16, False), (32, False)]


def test_one_disturbed_glance_drops_nothing():
    times = {16: 1.4, 32: 1.0, 64: 1.1, 128: 9.0}
    results, asked = measured(times, disturbed=[1])
    assert results == times
    assert [block for block, shortly in asked if not shortly] == [16, 32, 64]
    # A disturbed second measurement of a slow one drops nothing, either.
    results, asked = measured(times, disturbed=[4])
    assert results == times and asked[4] == (128, True)


def test_nothing_works():
    results, asked = measured(dict.fromkeys((16, 32, 64, 128), math.inf))
    assert set(results.values()) == {math.inf} and len(asked) == 4


def test_measured_well_at_once():
    _, asked = measured({16: 1.4, 32: 1.0, 64: 1.6, 128: 9.0}, glance=False)
    assert asked == [(16, False), (32, False), (64, False), (128, False)]


def progress_on(stream, monkeypatch, total=3):
    """The progress written to standard error, as `stream`, during three steps."""
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress("kernel", total) as progress:
        for _ in range(total):
            progress.step()
    return stream.getvalue()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_for_terminals(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    assert "tuning kernel" in progress_on(Terminal(), monkeypatch)
    assert progress_on(io.StringIO(), monkeypatch) == ""
    # A single configuration shows no progress.
    assert progress_on(Terminal(), monkeypatch, total=1) == ""
