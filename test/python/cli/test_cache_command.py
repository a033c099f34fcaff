"""`tilewright cache`."""

import json
import shutil

import pytest

pytestmark = pytest.mark.compiled

SIGNATURE = "*fp32, *fp32, *fp32, i32, {}"


@pytest.fixture
def cache(tilewright, filled_cache, tmp_path):
    """`cache(*arguments)`: the finished command on its own copy of `filled_cache`."""
    shutil.copytree(filled_cache, tmp_path / "cache")

    def command(*arguments, **environment):
        return tilewright(
            "cache", *arguments, **{"TILEWRIGHT_CACHE_DIR": str(tmp_path / "cache"), **environment}
        )

    return command


def listed(cache):
    done = cache("list", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_list(cache):
    rows = listed(cache)
    assert [(row["kind"], row["name"], row["target"]) for row in rows] == [("kernel", "add", "cpu")] * 2
    assert rows[0]["used"] < rows[1]["used"]
    assert all(row["bytes"] > 100 for row in rows)
    text = cache("list").stdout.splitlines()
    assert len(text) == 3
    assert text[0].startswith(rows[0]["key"][:16]) and "add" in text[0]
    assert text[2].startswith("2 entries, ")


def test_notes_are_listed(tilewright, source, tmp_path):
    own_cache = {"TILEWRIGHT_CACHE_DIR": str(tmp_path / "own")}
    signature = SIGNATURE.format(32)
    tilewright(
        "compile", f"{source}:add", "--target", "cpu", "--signature", signature, "-o", "out", **own_cache
    )
    rows = json.loads(tilewright("cache", "list", "--json", **own_cache).stdout)
    assert {(row["kind"], row["name"], row["target"]) for row in rows} == {
        ("kernel", "add", "cpu"),
        ("notes", "add", "cpu"),
    }


def test_listing_is_no_use(cache):
    before = listed(cache)
    assert listed(cache) == before


def test_prune_keeps_the_younger(cache):
    older, younger = listed(cache)
    done = cache("prune", "--max-size", str(younger["bytes"] + older["bytes"] - 1))
    assert done.returncode == 0 and done.stdout.startswith("removed 1 entries, 1 are left")
    assert listed(cache) == [younger]
    assert cache("prune").stdout.startswith("removed 0 entries")


def test_verify(cache, tmp_path):
    assert cache("verify").stdout == "checked 2 entries, 0 were damaged\n"
    victim, other = listed(cache)
    path = tmp_path / "cache" / f"{victim['key']}.twc"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    assert "damaged" in cache("list").stdout
    done = cache("verify")
    assert done.returncode == 1
    assert done.stdout == f"damaged, removed: {victim['key']}\nchecked 2 entries, 1 were damaged\n"
    assert listed(cache) == [other]


def test_clear(cache):
    assert cache("clear").stdout == "removed 2 entries\n"
    assert listed(cache) == []


def test_a_cache_that_cannot_be_used(cache, tmp_path):
    (tmp_path / "file").write_text("")
    done = cache("list", TILEWRIGHT_CACHE_DIR=str(tmp_path / "file"))
    assert done.returncode == 1
    assert done.stderr.startswith("tilewright cache: ") and "Traceback" not in done.stderr


@pytest.mark.parametrize("size", ["x", "10T", "-1", ""])
def test_sizes_that_are_none(cache, size):
    done = cache("prune", f"--max-size={size}")
    assert done.returncode == 2 and "followed by K, M or G" in done.stderr


def test_reader_that_had_enough(tilewright):
    """Like `tilewright cache list | head`: no error about the closed pipe."""
    program = (
        "import subprocess, sys; pipe = subprocess.Popen(['true'], stdin=subprocess.PIPE); pipe.wait()\n"
    )
    program += (
        "sys.exit(subprocess.call([sys.executable, '-m', 'tilewright', 'cache', 'list'], stdout=pipe.stdin))"
    )
    done = tilewright.python("-c", program)
    assert (done.returncode, done.stderr) == (0, "")


def test_entries_of_other_makers(cache, tmp_path):
    """Entries are sound if their checksum is right, independent of their content."""
    from tilewright import _tilewright

    held = [
        b"[1, 2]",
        b"{no json",
        b"\xff",
        b'{"kind": 5}',
        b'{"kind": "tuning", "name": "k", "target": "t"}',
    ]
    made = _tilewright.Cache(str(tmp_path / "cache"))
    for i, metadata in enumerate(held):
        made.put(f"{i}" * 64, {"metadata": metadata, "result": b"[]"})
    kinds = {row["key"]: row["kind"] for row in listed(cache)}
    assert [kinds[f"{i}" * 64] for i in range(5)] == ["other"] * 4 + ["tuning"]
    assert cache("verify").stdout == "checked 7 entries, 0 were damaged\n"
