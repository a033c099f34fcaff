"""Writes docs/reference.

    python docs/generator [--check]

With `--check` nothing is written, and outdated pages are an error.
"""

import argparse
import importlib.util
import pathlib
import sys

DOCS = pathlib.Path(__file__).resolve().parents[1]
if importlib.util.find_spec("tilewright") is None:  # from the source tree unless one is installed
    sys.path.insert(0, str(DOCS.parent / "python"))
sys.path.insert(0, str(DOCS))

from generator import render  # noqa: E402


def main():
    """Writes or checks the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--check", action="store_true", help="write nothing, fail where pages are out of date"
    )
    check = parser.parse_args().check
    directory = render.ROOT / "docs" / "reference"
    directory.mkdir(exist_ok=True)
    pages = render.pages()
    stale = [
        name
        for name, text in pages.items()
        if not (directory / name).exists() or (directory / name).read_text() != text
    ]
    stale += [path.name for path in directory.iterdir() if path.name not in pages]
    if check:
        sys.exit(f"out of date: {', '.join(stale)}; run `make reference`" if stale else 0)
    for path in directory.iterdir():
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        (directory / name).write_text(text)


if __name__ == "__main__":
    main()
