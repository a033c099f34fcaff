"""`triton.knobs`: scoped settings."""

import os

import numpy as np
import pytest
from optional_packages import needs

needs("torch")


@pytest.fixture
def triton(monkeypatch):
    import tilewright.compat

    tilewright.compat.install()
    import triton

    yield triton
    tilewright.compat.uninstall()


def test_scopes_restore_settings(triton, tmp_path, monkeypatch):
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


@pytest.mark.compiled
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


def test_hooks_around_launches_and_loading(triton):
    import triton.language as tl

    seen = []

    @triton.jit
    def kernel(out):
        tl.store(out, 7)

    def note(what):
        return lambda metadata: seen.append((what, metadata.get()["name"]))

    def note_loading(what):
        def call(module, function, name, metadata_group, hash):
            seen.append((what, name, function is None, len(hash) > 8, metadata_group))

        return call

    runtime = triton.knobs.runtime
    hooks = {
        "launch_enter_hook": [note("enter"), note("enter too")],
        "launch_exit_hook": [note("exit"), note("exit too")],
        "kernel_load_start_hook": [note_loading("start"), note_loading("start too")],
        "kernel_load_end_hook": [note_loading("end"), note_loading("end too")],
    }
    for name, functions in hooks.items():
        for function in functions:
            getattr(runtime, name).add(function)
            getattr(runtime, name).add(function)  # counts once
        assert isinstance(getattr(runtime, name), triton.knobs.HookChain)
        assert getattr(runtime, name).calls == functions
    out = np.zeros(1, np.int32)
    try:
        if not kernel.is_interpreted:
            kernel.warmup(out)  # loads nothing
            assert not seen
        kernel[1,](out)
        kernel[1,](out)
    finally:
        for name, functions in hooks.items():
            for function in functions:
                getattr(runtime, name).remove(function)
            assert not getattr(runtime, name).calls
    before, after = ["enter", "enter too"], ["exit too", "exit"]
    loading = [("start", True), ("start too", True), ("end too", False), ("end", False)]
    if kernel.is_interpreted:
        assert not seen
        return
    launches = [(what, "kernel") for what in before + after]
    assert seen == [(what, "kernel", none, True, {}) for what, none in loading] + launches * 2
    kernel[1,](out)
    assert len(seen) == 12


def test_a_hook_may_be_set(triton):
    import triton.language as tl

    @triton.jit
    def kernel(out):
        tl.store(out, 7)

    seen, out = [], np.zeros(1, np.int32)
    with triton.knobs.runtime.scope():
        triton.knobs.runtime.launch_enter_hook = lambda metadata: seen.append(metadata.get()["name"])
        kernel[1,](out)
        triton.knobs.runtime.launch_enter_hook = None
        kernel[1,](out)
        assert triton.knobs.runtime.launch_enter_hook is None
    assert seen == ([] if kernel.is_interpreted else ["kernel"])
    assert triton.knobs.runtime.launch_enter_hook.calls == []


def test_settings_that_programs_touch(triton, monkeypatch):
    knobs = triton.knobs
    for name in ("TRITON_PRINT_AUTOTUNING", "TRITON_HOME", "AMDGCN_USE_BUFFER_OPS"):
        monkeypatch.delenv(name, raising=False)
    for group in (
        "build",
        "cache",
        "compilation",
        "autotuning",
        "runtime",
        "language",
        "nvidia",
        "amd",
        "proton",
    ):
        with getattr(knobs, group).scope():
            assert getattr(knobs, group).knobs.keys() == getattr(knobs, group).settings.keys()
    with knobs.cache.scope():
        knobs.cache.dir = None
        assert os.path.isabs(knobs.cache.dir)
    assert knobs.cache.get_triton_dir("cache").endswith(".triton/cache")
    with knobs.autotuning.scope(), knobs.amd.scope(), knobs.compilation.scope(), knobs.nvidia.scope():
        knobs.autotuning.print = True
        knobs.amd.use_buffer_ops = False
        knobs.nvidia.ptxas_options = "-v"
        knobs.compilation.listener = print
        assert knobs.autotuning.print and not knobs.amd.use_buffer_ops
        assert (knobs.nvidia.ptxas_options, knobs.compilation.listener) == ("-v", print)
        del knobs.autotuning.print
        assert not knobs.autotuning.print
        assert knobs.compilation.copy().listener is print
    assert not knobs.autotuning.print and knobs.amd.use_buffer_ops is True
    assert knobs.nvidia.ptxas_options is knobs.compilation.listener is None
    knobs.refresh_knobs()


def test_tools(triton, monkeypatch, tmp_path):
    from triton.backends.nvidia.compiler import get_ptxas

    tool = tmp_path / "ptxas"
    tool.write_text("#!/bin/sh\necho 'assembler, release 13.1, V13.1.80'\n")
    tool.chmod(0o755)
    with triton.knobs.nvidia.scope():
        monkeypatch.setenv("TILEWRIGHT_PTXAS", "before")
        triton.knobs.nvidia.ptxas = str(tool)
        found = triton.knobs.nvidia.ptxas
        assert (found.path, found.version) == (str(tool), "13.1") and get_ptxas(90) == found
    monkeypatch.setenv("TRITON_CUOBJDUMP_PATH", "/nowhere")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("tilewright.compat.tools.ptxas_candidates", list)
    with pytest.raises(RuntimeError, match="cuobjdump was not found; set TRITON_CUOBJDUMP_PATH"):
        triton.knobs.nvidia.cuobjdump  # noqa: B018


SIZE = 4


def test_globals_as_constants(triton, monkeypatch):
    import triton.language as tl

    @triton.jit
    def kernel(out):
        tl.store(out + tl.arange(0, SIZE), SIZE)

    out = np.zeros(4, np.int32)
    if not kernel.is_interpreted:
        with pytest.raises(triton.CompilationError, match="'SIZE' is not a compile-time constant"):
            kernel[1,](out)
    with triton.knobs.compilation.scope():
        triton.knobs.compilation.allow_non_constexpr_globals = True
        kernel[1,](out)
    assert out.tolist() == [4] * 4


def test_the_default_precision_of_dots(triton, monkeypatch):
    import triton.language as tl
    from triton.compiler import ASTSource

    @triton.jit
    def kernel(x, out):
        i = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
        tl.store(out + i, tl.dot(tl.load(x + i), tl.load(x + i)))

    texts = {}
    for precision in (None, "ieee"):
        with triton.knobs.language.scope():
            triton.knobs.language.fp32_default = precision
            source = ASTSource(kernel, {"x": "*fp32", "out": "*fp32"})
            texts[precision] = triton.compile(
                source, target=triton.backends.compiler.GPUTarget("cuda", 90, 32)
            )
    assert "tf32" in texts[None].asm["ttir"] and "tf32" not in texts["ieee"].asm["ttir"]


def test_requests_as_text(triton):
    import json

    import triton.language as tl
    from triton.runtime.jit import serialize_specialization_data

    constants = {(2,): tl.float16, (3,): tl.constexpr(4)}
    made = {"name": "f", "signature": {"x": "i32"}, "attrs": {}, "key": "k"}
    text = serialize_specialization_data(
        constants={str(index): value for index, value in constants.items()}, options={"num_warps": 4}, **made
    )
    assert json.loads(text)["constants"] == {"(2,)": "fp16", "(3,)": {"constexpr": 4}}
