"""Tuning results, on disk and in files of the user."""

import json

import pytest
from tilewright import _tilewright
from tilewright.cli import main
from tilewright.tuning import results

pytestmark = pytest.mark.compiled

KEY = "a" * 64
RESULT = {"kernel": "k", "device": "d", "key": "(1,)", "config": "BLOCK: 4", "times": {"BLOCK: 4": 0.5}}


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, also used by the command."""
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "cäche"))
    return _tilewright.Cache()


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "5",
        "{no json",
        '{"kernel": "k"}',
        json.dumps(RESULT | {"times": []}),
        json.dumps(RESULT | {"times": {"a": "x"}}),
    ],
)
def test_entries_that_are_no_results(cache, text, capsys):
    cache.put(KEY, {"metadata": b'{"kind": "tuning"}', "result": text.encode()})
    assert results.load(KEY) is None
    assert not list(results.entries(cache))
    assert main(["tune", "list"]) == 0
    assert capsys.readouterr() == ("0 results\n", "")


def test_entries_with_odd_metadata(cache):
    cache.put(KEY, {"metadata": b"[1]"})
    cache.put("b" * 64, {"metadata": b"{}", "tile": b""})
    assert not list(results.entries(cache))


def test_there_and_back(cache, tmp_path, capsys):
    file = tmp_path / "tabelle für ü.json"
    results.store(KEY, RESULT, cache)
    assert main(["tune", "export", str(file)]) == 0
    assert main(["tune", "clear"]) == 0
    assert main(["tune", "import", str(file)]) == 0
    assert dict(results.entries(cache)) == {KEY: RESULT}
    assert main(["tune", "list"]) == 0
    assert "k  d  (1,)\n    BLOCK: 4  0.5000 ms of 1 measured" in capsys.readouterr().out


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "it is no JSON: Expecting value"),
        (b"\xff\xfe", "codec can't decode byte"),
        (b"[]", "it is not a table of results, as `tilewright tune export` writes it"),
        (json.dumps({"x": RESULT}).encode(), "'x' is no digest"),
        (json.dumps({KEY: 5}).encode(), "the result aaaaaaaaaaaaaaaa is no object with kernel, device, key"),
        (json.dumps({KEY: {}}).encode(), "the result aaaaaaaaaaaaaaaa has no kernel"),
        (
            json.dumps({KEY: RESULT | {"times": {"BLOCK: 4": "fast"}}}).encode(),
            "the result aaaaaaaaaaaaaaaa has 'fast' as a time of 'BLOCK: 4'",
        ),
        (json.dumps({KEY: RESULT | {"times": {"c": float("nan")}}}).encode(), "has nan as a time of 'c'"),
    ],
)
def test_files_that_cannot_be_imported(cache, tmp_path, content, message, capsys):
    file = tmp_path / "table.json"
    file.write_bytes(content)
    assert main(["tune", "import", str(file)]) == 1
    told = capsys.readouterr().err
    assert told.startswith(f"tilewright tune: {file} cannot be imported: ") and message in told
    assert not list(cache.list())


def test_files_that_are_not_there(cache, tmp_path, capsys):
    assert main(["tune", "import", str(tmp_path / "none.json")]) == 1
    assert main(["tune", "export", str(tmp_path)]) == 1
    assert "Is a directory" in capsys.readouterr().err
