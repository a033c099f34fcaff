"""`triton.knobs`: settings that come and go with their scope."""

import os

import numpy as np
import pytest

pytest.importorskip("torch")


@pytest.fixture
def triton(monkeypatch):
    import tilewright.compat

    tilewright.compat.install()
    import triton

    yield triton
    tilewright.compat.uninstall()


def test_scopes_bring_back_what_was_set(triton, tmp_path, monkeypatch):
    knobs = triton.knobs
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", "before")
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    hook = lambda **kwargs: False  # noqa: E731
    with knobs.cache.scope(), knobs.runtime.scope(), knobs.compilation.scope():
        knobs.cache.dir = tmp_path
        knobs.runtime.interpret = True
        knobs.compilation.always_compile = True
        knobs.runtime.jit_cache_hook = hook
        assert os.environ["TILEWRIGHT_CACHE_DIR"] == str(tmp_path) == knobs.cache.dir
        assert knobs.runtime.interpret is True and os.environ["TRITON_INTERPRET"] == "1"
        assert knobs.compilation.always_compile is True and knobs.runtime.jit_cache_hook is hook
    assert knobs.cache.dir == "before" and "TRITON_INTERPRET" not in os.environ
    assert knobs.compilation.always_compile is False and knobs.runtime.jit_cache_hook is None


def test_fresh_knobs(triton, monkeypatch):
    from triton._internal_testing import _fresh_knobs_impl

    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", "before")
    monkeypatch.setenv("TILEWRIGHT_DEBUG", "1")
    fresh, reset = _fresh_knobs_impl(skipped_attr={"cache", "nvidia"})
    knobs = fresh()
    assert knobs is triton.knobs and knobs.cache.dir == "before" and knobs.runtime.debug is False
    reset()
    assert knobs.runtime.debug is True


def test_there_are_no_others(triton):
    with pytest.raises(AttributeError, match=r"triton\.knobs\.cache has no 'home'"):
        triton.knobs.cache.home = "there"
    with pytest.raises(AttributeError, match="has no 'anything'"):
        triton.knobs.runtime.anything  # noqa: B018


def test_kernels_are_kept_where_the_knob_says(triton, tmp_path):
    import triton.language as tl

    @triton.jit
    def kernel(out):
        tl.store(out, 7)

    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = tmp_path
        out = np.zeros(1, np.int32)
        kernel[1,](out)
        assert out[0] == 7 and any(tmp_path.rglob("*"))
