"""Writes docs/reference and docs/library.md.

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

from generator import library, render  # noqa: E402


def main():
    """Writes or checks the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--check", action="store_true", help="write nothing, fail where pages are out of date"
    )
    check = parser.parse_args().check
    docs = render.ROOT / "docs"
    pages = {docs / "reference" / name: text for name, text in render.pages().items()}
    pages[docs / "library.md"] = library.page()
    (docs / "reference").mkdir(exist_ok=True)
    left_over = [path for path in (docs / "reference").iterdir() if path not in pages]
    stale = [path for path, text in pages.items() if not path.exists() or path.read_text() != text]
    if check:
        names = ", ".join(path.name for path in stale + left_over)
        sys.exit(f"out of date: {names}; run `make reference`" if names else 0)
    for path in left_over:
        path.unlink()
    for path in stale:
        path.write_text(pages[path])


if __name__ == "__main__":
    main()
