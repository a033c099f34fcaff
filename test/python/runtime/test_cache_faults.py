"""The disk cache when things go wrong: no crash, no wrong kernel, no complete entry lost.

`test/unit/Runtime/Core/CacheTest.cpp` does the same to the cache alone; here whole kernels are compiled.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest
import tilewright
from tilewright._tilewright import Cache

pytestmark = pytest.mark.compiled

PRELUDE = """
import os, sys
import numpy as np
import tilewright as tw
import tilewright.language as tl

@tw.jit
def scale(x, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i) * FACTOR)

def run(factors):
    for factor in factors:
        x = np.arange(16, dtype=np.float32)
        scale[1](x, FACTOR=factor, BLOCK=16)
        if not np.array_equal(x, factor * np.arange(16)):
            sys.exit(f"factor {factor} gave {x}")
"""


def command(directory, code):
    """Arguments of a process that runs `code` after the prelude."""
    script = Path(directory) / "script.py"
    script.write_text(PRELUDE + textwrap.dedent(code))
    return [sys.executable, str(script)]


def environment(cache):
    package = str(Path(tilewright.__file__).parents[1])
    return {**os.environ, "PYTHONPATH": package, "TILEWRIGHT_CACHE_DIR": str(cache)}


def run(directory, code, cache, arguments=()):
    """The finished process."""
    return subprocess.run(
        [*command(directory, code), *arguments], env=environment(cache), capture_output=True, text=True
    )


def sound_entries(cache):
    """The keys of readable entries: per kernel its code, and the notes of its front end."""
    if not Path(cache).exists():
        return set()
    opened = Cache(str(cache))
    return {key for key, _, _ in opened.list() if opened.peek(key) is not None}


def test_many_processes_at_once(tmp_path):
    done = run(
        tmp_path,
        """
        children = []
        for i in range(64):
            child = os.fork()
            if child == 0:
                try:
                    run([2 + (i + k) % 3 for k in range(3)])
                    os._exit(0)
                except BaseException:
                    import traceback
                    traceback.print_exc()
                    os._exit(1)
            children.append(child)
        sys.exit(sum(os.waitpid(child, 0)[1] != 0 for child in children))
        """,
        tmp_path / "cache",
    )
    assert done.returncode == 0, done.stderr
    assert len(sound_entries(tmp_path / "cache")) == 2 * 3
    assert len(list((tmp_path / "cache").iterdir())) == 2 * 3, "nothing temporary stays"


def test_killed_at_random_moments(tmp_path):
    kernels = random.Random(5)
    cache, seen = tmp_path / "cache", set()
    # The time of a kernel varies widely on a busy machine.
    arguments = command(
        tmp_path,
        """
        import time
        cache = os.environ["TILEWRIGHT_CACHE_DIR"]
        os.environ["TILEWRIGHT_CACHE_DIR"] += f"-{os.getpid()}"
        run([0])  # whatever is imported late is imported now
        start = time.perf_counter()
        run([1])
        print(time.perf_counter() - start, flush=True)
        os.environ["TILEWRIGHT_CACHE_DIR"] = cache
        run(range(2, 40))
        """,
    )
    for _ in range(12):
        child = subprocess.Popen(arguments, env=environment(cache), stdout=subprocess.PIPE)
        each = float(child.stdout.readline())
        try:
            child.wait(kernels.uniform(0, 12) * each)
        except subprocess.TimeoutExpired:
            child.kill()
        child.wait()
        child.stdout.close()
        now = sound_entries(cache)
        assert seen <= now, "a complete entry was lost"
        seen = now
    assert seen, "every process was killed before its first kernel"
    done = run(tmp_path, "run(range(2, 40))", cache)
    assert done.returncode == 0, done.stderr
    assert len(sound_entries(cache)) == 2 * 38


def test_file_size_limit(tmp_path):
    done = run(
        tmp_path,
        """
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
        run([2, 3, 2])
        """,
        tmp_path / "cache",
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("a kernel was not cached on disk") == 1
    assert list((tmp_path / "cache").iterdir()) == []


def test_full_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = f"mount -t tmpfs -o size=16k,mode=700 none {disk}"
    unshare = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    if not shutil.which("unshare") or subprocess.run([*unshare, mount], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    code = f"run(range(2, 8)); print(sum(f.stat().st_size for f in os.scandir({str(disk)!r})))"
    inner = " ".join(command(tmp_path, code))
    done = subprocess.run(
        [*unshare, f"{mount} && exec {inner}"], env=environment(disk), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "No space left on device" in done.stderr
    assert int(done.stdout) <= 16384


def test_damage_at_random_offsets(tmp_path):
    cache, dice = tmp_path / "cache", random.Random(7)
    assert run(tmp_path, "run(range(2, 10))", cache).returncode == 0
    for path in sorted(cache.iterdir()):
        content = bytearray(path.read_bytes())
        for _ in range(dice.randint(1, 4)):
            content[dice.randrange(len(content))] ^= dice.randint(1, 255)
        path.write_bytes(content[: dice.choice([len(content), dice.randrange(len(content))])])
    assert sound_entries(cache) == set()
    assert run(tmp_path, "run(range(2, 10))", cache).returncode == 0
    assert len(sound_entries(cache)) == 2 * 8


def test_read_only_directory(tmp_path):
    shared = tempfile.mkdtemp()  # where another user may go, unlike pytest's
    try:
        os.chmod(shared, 0o777)
        done = run(
            tmp_path,
            """
            from tilewright.runtime.compiler import disk_cache
            run([99])  # whatever is imported late is imported now
            if os.geteuid() == 0:  # who may write everywhere
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            os.environ["TILEWRIGHT_CACHE_DIR"] = sys.argv[1]
            run([2])
            before = disk_cache().list()
            os.chmod(sys.argv[1], 0o500)
            try:
                run([3])
                x = np.ones(16, np.float32)
                scale._dispatcher.clear()
                print(scale[1](x, 2, 16).from_cache, scale[1](x, 3, 16).from_cache)
                print(len(before), {key for key, *_ in disk_cache().list()} == {key for key, *_ in before})
            finally:
                os.chmod(sys.argv[1], 0o700)
            """,
            tmp_path / "cache",
            arguments=[os.path.join(shared, "cache")],
        )
        assert done.returncode == 0, done.stderr
        assert "a kernel was not cached on disk" in done.stderr
        assert done.stdout == "True False\n2 True\n"
    finally:
        shutil.rmtree(shared)


@pytest.mark.parametrize("how", ["owner", "mode"])
def test_directory_of_others(tmp_path, how):
    cache = tmp_path / "cache"
    assert run(tmp_path, "run([2])", cache).returncode == 0
    if how == "owner":
        if os.geteuid() != 0:
            pytest.skip("only root can give a directory away")
        os.chown(cache, 65534, 65534)
    else:
        os.chmod(cache, 0o777)
    names = sorted(path.name for path in cache.iterdir())
    done = run(tmp_path, "run([2, 3]); print(scale.warmup(np.ones(16, np.float32), 2, 16).from_cache)", cache)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "False\n", "nothing is loaded from there"
    assert done.stderr.count("kernels are not cached on disk") == 1
    assert sorted(path.name for path in cache.iterdir()) == names
