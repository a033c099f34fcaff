"""Files that other libraries cache next to compiled kernels, and helpers that they import from Triton's modules."""

import os

import pytest
import tilewright.compat

tilewright.compat.install()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton import knobs  # noqa: E402
from triton._utils import find_paths_if, get_iterable_path, set_iterable_path  # noqa: E402
from triton.backends.compiler import BaseBackend, GPUTarget  # noqa: E402
from triton.backends.nvidia.compiler import min_dot_size  # noqa: E402
from triton.compiler.compiler import make_backend  # noqa: E402
from triton.runtime._allocation import NullAllocator, _allocator  # noqa: E402
from triton.runtime.cache import (  # noqa: E402
    FileCacheManager,
    get_cache_manager,
    get_dump_manager,
    get_override_manager,
)
from triton.testing import _summarize_statistics  # noqa: E402


@pytest.fixture
def directories(tmp_path):
    with knobs.cache.scope():
        knobs.cache.dir, knobs.cache.dump_dir = str(tmp_path / "kept"), str(tmp_path / "dumped")
        yield tmp_path


def test_files_by_key(directories):
    manager = get_cache_manager("00ff10")
    assert isinstance(manager, FileCacheManager) and manager.get_file("a.json") is None
    path = manager.put("{}", "a.json", binary=False)
    manager.put(b"\x01\x02", "b.bin")
    assert os.path.dirname(path).startswith(str(directories / "kept")) and manager.get_file("a.json") == path
    again = get_cache_manager("00ff10")
    with open(again.get_file("b.bin"), "rb") as file:
        assert file.read() == b"\x01\x02"
    assert get_cache_manager("00ff11").get_file("a.json") is None


def test_groups(directories):
    manager = get_cache_manager("ab")
    assert manager.get_group("all") is None
    group = {name: manager.put(name.encode(), name) for name in ("x", "y")}
    manager.put_group("all", group)
    assert get_cache_manager("ab").get_group("all") == group
    os.remove(group["y"])
    assert manager.get_group("all") == {"x": group["x"]}


def test_other_directories(directories):
    assert get_dump_manager("ab").put(b"", "x").startswith(str(directories / "dumped"))
    with pytest.raises(RuntimeError, match=r"knobs\.cache\.override_dir is not set"):
        get_override_manager("ab")


def test_a_class_of_the_user(directories):
    class Mine(FileCacheManager):
        pass

    knobs.cache.manager_class = Mine
    assert type(get_cache_manager("ab")) is Mine


def test_paths():
    values = [1, ("a", [2, "b"]), "c"]
    paths = find_paths_if(values, lambda path, value: isinstance(value, str))
    assert paths == [(1, 0), (1, 1, 1), (2,)]
    assert [get_iterable_path(values, path) for path in paths] == ["a", "b", "c"]
    set_iterable_path(values, (1, 1, 0), 3)
    assert values == [1, ("a", [3, "b"]), "c"]


def test_a_backend_has_the_common_base():
    target = GPUTarget("cuda", 90, 32)
    assert isinstance(make_backend(target), BaseBackend)
    assert min_dot_size(target)(tl.float16, tl.float16) == (1, 1, 16)
    assert min_dot_size(target)(tl.float8e4nv, tl.float8e4nv) == (1, 1, 32)


def test_the_last_allocator_is_known():
    before = _allocator.get()
    mine = lambda size, alignment, stream: None  # noqa: E731
    try:
        triton.set_allocator(mine)
        assert _allocator.get() is mine
        triton.set_allocator(NullAllocator())
        assert isinstance(_allocator.get(), NullAllocator)
        triton.set_allocator(None)
        assert _allocator.get() is None
        with pytest.raises(TypeError, match="an allocator is a function"):
            triton.set_allocator(3)
    finally:
        _allocator.set(before)


def test_statistics_of_times():
    assert _summarize_statistics([1.0, 2.0, 6.0], None, "mean") == 3.0
    assert _summarize_statistics([1.0, 2.0, 3.0], [0.5], "mean") == 2.0
