"""The reference: it has every public name, is up to date, and its examples give the results that they show."""

import inspect
import subprocess
import sys

import pytest
from documented_examples import ROOT, Kernel, catalogue, examples, run_program

ENTRIES = [
    (f"{prefix}.{name}", found) for _, prefix, name, found in catalogue.entries() if prefix != "libdevice"
]
LIBDEVICE = [(name, found) for _, prefix, name, found in catalogue.entries() if prefix == "libdevice"]


def steps_of(found):
    return examples.split(inspect.getdoc(found) or "")[1]


@pytest.mark.parametrize("prefix", ["tl", "warp", "tw"])
def test_every_public_name_has_an_entry(prefix):
    shown = {name for _, where, name, _ in catalogue.entries() if where == prefix}
    names = catalogue.public_names()[prefix]
    assert names - shown - catalogue.WITHOUT_ENTRY[prefix] == set()
    assert (shown | catalogue.WITHOUT_ENTRY[prefix]) - names == set()


@pytest.mark.parametrize(
    ("name", "found"), ENTRIES + LIBDEVICE, ids=[name for name, _ in ENTRIES + LIBDEVICE]
)
def test_every_entry_is_documented(name, found):
    text, steps = examples.split(inspect.getdoc(found) or "")
    assert text, f"{name} has no docstring"
    assert steps or not catalogue.needs_example(found), f"the docstring of {name} has no example"


@pytest.mark.parametrize(("name", "found"), ENTRIES, ids=[name for name, _ in ENTRIES])
def test_example(backend, tmp_path, capfd, name, found):
    steps, short = steps_of(found), name.rpartition(".")[2]
    if not steps:
        return
    if short in catalogue.ON_GPU and backend.name != "cuda":
        pytest.skip("the example needs a GPU")
    if short in catalogue.COMPILED and backend.name == "interpreter":
        pytest.skip("the example is about compiled kernels")
    if examples.is_program(steps):
        run_program(steps, tmp_path)
    elif name.startswith("warp.") and backend.name == "cpu":  # which has no warps
        Kernel(steps).compile(tmp_path, "sm_90a")
    else:
        Kernel(steps).run(backend, tmp_path, catalogue.GRIDS.get(short, 1))


@pytest.mark.parametrize("first", range(0, len(LIBDEVICE), 20))
def test_examples_of_libdevice(backend, tmp_path, first):
    """Many in one kernel, which takes less time."""
    steps = [step for _, found in LIBDEVICE[first : first + 20] for step in steps_of(found)]
    Kernel(steps).run(backend, tmp_path)


def test_pages_are_up_to_date():
    run = subprocess.run(
        [sys.executable, ROOT / "docs" / "generator", "--check"], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr


def test_an_example_that_is_wrong_fails(backend, tmp_path):
    def function():
        """Text.

        Example:

            >>> tl.arange(0, 4)
            int32 [0, 1, 2, 4]
        """

    with pytest.raises(AssertionError):
        Kernel(steps_of(function)).run(backend, tmp_path)
