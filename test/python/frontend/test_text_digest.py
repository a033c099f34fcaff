"""The digest of a file is the same whether its lines have been read or not."""

import linecache
import os

import pytest
from tilewright.frontend.source import text_digest

TEXTS = (
    b"x = 1\ny = 2\n",
    b"x = 1",
    b"x = 1\r\ny = 2\r\n",
    b"x = 1\ry = 2\n",
    "x = 'é'\n".encode(),
    "# coding: latin-1\nx = 'é'\n".encode("latin-1"),
    b"x = 1\x0cy = 2\n",
)


@pytest.mark.parametrize("text", TEXTS)
def test_with_and_without_lines(tmp_path, text):
    file = str(tmp_path / "kernel.py")
    with open(file, "wb") as stream:
        stream.write(text)
    linecache.cache.pop(file, None)
    unread = text_digest(file)
    assert linecache.getlines(file)
    assert text_digest(file) == unread == text_digest(file)


def test_digest_of_the_present_content(tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text("x = 1\n")
    linecache.cache.pop(str(file), None)
    before = text_digest(str(file))
    file.write_text("x = 2\n")
    os.utime(file, ns=(1, 1))
    assert text_digest(str(file)) not in (before, None)
    file.unlink()
    assert text_digest(str(file)) is None
    assert text_digest("<nowhere>") is None
