"""Names of sources and tests, and guards of headers."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = (
    "benchmarks",
    "cmake",
    "compiler",
    "dialect",
    "examples",
    "kernels",
    "lib",
    "python",
    "runtime",
    "test",
)
#: Each folder of passes declares them in files of these names.
SHARED_NAMES = ("Passes.h", "Passes.td")
#: Texts that become parts of the headers of ahead-of-time compiled libraries.
PARTS_OF_HEADERS = ROOT / "python/tilewright/aot/support"

pytestmark = pytest.mark.once


def sources(*suffixes):
    """The sources with one of the suffixes."""
    return [
        path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.*")) if path.suffix in suffixes
    ]


def test_no_two_sources_have_one_name():
    found = defaultdict(list)
    for path in sources(".c", ".cpp", ".h", ".td"):
        if path.name not in SHARED_NAMES:
            found[path.name].append(str(path.relative_to(ROOT)))
    assert len(found) > 500
    assert [paths for paths in found.values() if len(paths) > 1] == []


def test_no_two_modules_of_tests_have_one_name():
    """Modules outside of packages are imported by their base name, so that pytest collects only one of them."""
    found = defaultdict(list)
    for path in sources(".py"):
        if path.name.startswith("test_") and not (path.parent / "__init__.py").exists():
            found[path.name].append(str(path.relative_to(ROOT)))
    assert len(found) > 150
    assert [paths for paths in found.values() if len(paths) > 1] == []


def test_guards_are_named_after_the_path():
    headers = [path for path in sources(".h") if path.parent != PARTS_OF_HEADERS]
    assert len(headers) > 200
    wrong = []
    for path in headers:
        guard = "TILEWRIGHT_" + re.sub(r"\W", "_", str(path.relative_to(ROOT))).upper()
        text = path.read_text()
        if f"#ifndef {guard}\n#define {guard}\n" not in text or "#pragma once" in text:
            wrong.append(str(path.relative_to(ROOT)))
    assert wrong == []
