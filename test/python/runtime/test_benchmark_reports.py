"""Plots and pages of benchmark results."""

import html.parser
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
FACTS = {"command": "run.py --out <x>", "device": "Some GPU", "python": "3.12"}

ROWS = {
    "facts": FACTS,
    "rows": [
        {"kernel": "add", "shape": "1024", "unit": "GB/s", "tilewright": 30.5, "torch": 20.25},
        {"kernel": "a & b", "shape": "8", "unit": "TFLOP/s", "tilewright": 7.0, "torch error": "no <such>"},
    ],
}
LAUNCHES = {"facts": FACTS, "microseconds": {"bare": 3.0, "tilewright": 4.5, "broken": None, "import x": 5e4}}
PHASES = {"front end": 0.002, "assembler": 0.1}
COMPILING = {
    "facts": FACTS | {"target": "sm_90a"},
    "kernels": {"GEMM": "float16"},
    "seconds": {
        compiler: {
            "first": {"seconds": 0.5},
            "GEMM": {"seconds": 0.11, "phases": PHASES, "ptx": 5000, "disk": 0.001},
            "import": 0.05,
        }
        for compiler in ("tilewright", "triton")
    },
}
FUNCTIONS = {
    "facts": FACTS,
    "functions": {"exp": {"float32": {"ulp": 0.98, "at": [-16.9]}}, "tan": {"float16": {"ulp": 0.5}}},
}


class Page(html.parser.HTMLParser):
    """The tags, links and cells of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.texts = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [value for name, value in attributes if name in ("src", "href", "xlink:href")]

    def handle_data(self, data):
        self.texts.append(data.strip())


def show(*paths):
    command = [sys.executable, str(BENCHMARKS / "report.py"), *map(str, paths)]
    return subprocess.run(command, capture_output=True, text=True)


#: Files by name: their content, and texts that the page shows.
FILES = {
    "rows": (ROWS, ["add", "1024", "30.5", "a & b", "no <such>", "TFLOP/s"]),
    "launches": (LAUNCHES, ["tilewright", "4.5", "1.5", "import x"]),
    "compiling": (COMPILING, ["GEMM", "triton", "0.002", "front end s", "5000"]),
    "functions": (FUNCTIONS, ["exp", "float32", "0.98", "-16.9"]),
}


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """A directory with the pages of all files, and in `again` the pages from a second run."""
    root = tmp_path_factory.mktemp("shown")
    for directory in (root, root / "again"):
        directory.mkdir(exist_ok=True)
        for name, (content, _) in FILES.items():
            (directory / f"naïve {name}.json").write_text(json.dumps(content))
        done = show(*directory.glob("*.json"))
        assert done.returncode == 0, done.stderr
    return root


@pytest.mark.parametrize("name", FILES)
def test_a_page_and_a_plot_for_each_file(shown, name):
    path, again = (directory / f"naïve {name}.json" for directory in (shown, shown / "again"))
    page = Page(path.with_suffix(".html").read_text(encoding="utf-8"))
    for text in (*FACTS.values(), *FILES[name][1]):
        assert text in page.texts
    assert {"dl", "table", "th", "td"} <= set(page.tags)
    # The page is self-contained: all links are internal.
    assert all(link.startswith("#") for link in page.links)
    assert path.with_suffix(".html").read_bytes() == again.with_suffix(".html").read_bytes()
    if importlib.util.find_spec("matplotlib"):
        assert "svg" in page.tags
        assert path.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
        assert path.with_suffix(".png").read_bytes() == again.with_suffix(".png").read_bytes()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"facts": {}, "rows": []}', '{"facts": 1, "rows": [{}]}', "5"]
)
def test_files_that_are_no_results(tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    done = show(path)
    assert done.returncode == 1 and str(path) in done.stderr and "Traceback" not in done.stderr
    assert not path.with_suffix(".html").exists()


def test_a_file_that_is_not_there(tmp_path):
    done = show(tmp_path / "none.json")
    assert done.returncode == 1 and "none.json" in done.stderr and "Traceback" not in done.stderr


def test_results_that_are_kept(tmp_path):
    copies = [shutil.copy(path, tmp_path) for path in (BENCHMARKS / "results").glob("*.json")]
    done = show(*copies)
    assert done.returncode == 0, done.stderr
    assert copies and all(Path(copy).with_suffix(".html").exists() for copy in copies)


def test_rows_are_kept_as_they_come(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import report

    path = tmp_path / "rows.json"

    def rows():
        yield {"name": "first"}
        assert json.loads(path.read_text()) == {"unit": "us", "rows": [{"name": "first"}]}
        raise RuntimeError("the second breaks off")

    with pytest.raises(RuntimeError, match="breaks off"):
        report.gather(path, {"unit": "us"}, rows())
    assert json.loads(path.read_text())["rows"] == [{"name": "first"}]
    assert report.gather(None, {}, iter([1, 2])) == [1, 2]
