"""Missing packages skip tests, but fail them in continuous integration where the environment installs them."""

import optional_packages
import pytest
from optional_packages import needs

pytestmark = pytest.mark.once
MISSING = "a_package_that_nobody_has"


@pytest.fixture
def listed(monkeypatch):
    monkeypatch.setattr(optional_packages, "_installed", lambda: {MISSING})


def test_the_list_names_packages():
    assert {"numpy", "torch", "pytest_timeout"} <= optional_packages._installed()


def test_a_package_that_is_there():
    assert needs("pytest") is pytest


@pytest.mark.parametrize("ci", ["", "0", "false", "False"])
def test_skips_outside_of_continuous_integration(monkeypatch, listed, ci):
    monkeypatch.setenv("CI", ci)
    with pytest.raises(pytest.skip.Exception):
        needs(MISSING)


@pytest.mark.parametrize("ci", ["true", "1"])
def test_fails_in_continuous_integration(monkeypatch, listed, ci):
    monkeypatch.setenv("CI", ci)
    for name in (MISSING, f"{MISSING}.part"):
        with pytest.raises(ModuleNotFoundError, match=MISSING):
            needs(name)
    with pytest.raises(pytest.skip.Exception):
        needs("another_package_that_nobody_has")
