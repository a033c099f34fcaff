"""Dependencies of kernels: constants that change, and cache keys for other libraries."""

import numpy as np
import pytest
import tilewright.compat

tilewright.compat.install()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402

FACTOR = tl.constexpr(2)
KIND = tl.int32


@triton.jit
def scaled(x):
    return FACTOR * x


@triton.constexpr_function
def doubled(n):
    return 2 * n


@triton.jit
def scale_kernel(out_ptr):
    kind: tl.constexpr = KIND
    tl.store(out_ptr, scaled(3).to(kind))
    tl.store(out_ptr + 1, doubled(4))


@pytest.fixture
def changed(monkeypatch):
    """`changed(name, value)`: a constant of this module has another value from now on."""
    return lambda name, value: monkeypatch.setitem(globals(), name, value)


@pytest.mark.compiled
def test_constants_that_change_are_refused(backend, changed):
    kernel = triton.JITFunction(scale_kernel.fn)
    out = backend.array([0, 0], "int32")
    for _ in range(2):
        kernel[1,](out)
    assert backend.numpy(out).tolist() == [6, 8]
    names = {name for name, _ in kernel.used_global_vals}
    assert names == {"FACTOR", "KIND"}
    changed("FACTOR", tl.constexpr(2))  # equal, if not the same
    kernel[1,](out)
    changed("FACTOR", tl.constexpr(5))
    message = r"^Global variable FACTOR has changed since .*, from constexpr\[2\] to constexpr\[5\]"
    with pytest.raises(RuntimeError, match=message):
        kernel[1,](out)
    kernel.forget()
    kernel[1,](out)
    assert backend.numpy(out).tolist() == [15, 8]
    changed("KIND", tl.int64)
    with pytest.raises(RuntimeError, match="Global variable KIND has changed"):
        kernel[1,](out)


@pytest.mark.compiled
def test_a_constant_that_changes_back(backend, changed):
    kernel, out = triton.JITFunction(scale_kernel.fn), backend.array([0, 0], "int32")
    bound = kernel.bind(1, out)
    changed("FACTOR", tl.constexpr(5))
    for launch in (kernel[1,], kernel.warmup, bound):
        with pytest.raises(RuntimeError, match="FACTOR has changed"):
            launch(*([] if launch is bound else [out]))
    changed("FACTOR", tl.constexpr(2))
    kernel[1,](out)
    assert backend.numpy(out).tolist() == [6, 8] and kernel.pre_run_hooks == []


@pytest.mark.compiled
def test_functions_that_change_are_compiled_anew(backend, changed):
    kernel, out = triton.JITFunction(scale_kernel.fn), backend.array([0, 0], "int32")
    text, of_constants = scaled.src, doubled.src
    kernel[1,](out)
    try:
        scaled._unsafe_update_src(text.replace("*", "+"))
        doubled._unsafe_update_src(of_constants.replace("2", "3"))
        kernel[1,](out)
        assert backend.numpy(out).tolist() == [5, 12]
    finally:
        scaled._unsafe_update_src(text)
        doubled._unsafe_update_src(of_constants)
    changed("scaled", triton.jit(tripled))
    kernel[1,](out)
    assert backend.numpy(out).tolist() == [9, 8]


def tripled(x):
    return 3 * x


@pytest.mark.compiled
def test_constants_around_a_kernel(backend):
    size = tl.constexpr(4)

    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr + tl.arange(0, size), size)

    out = backend.array(np.zeros(8), "int32")
    kernel[1,](out)
    size.value = 8
    with pytest.raises(RuntimeError, match="size has changed"):
        kernel[1,](out)


EXTENTS: tl.constexpr = (2, tl.constexpr(3))


@triton.jit
def extents_kernel(out_ptr):
    tl.store(out_ptr, EXTENTS[0] * EXTENTS[1])


@pytest.mark.compiled
def test_tuples_of_constants(backend, changed):
    kernel, out = triton.JITFunction(extents_kernel.fn), backend.array([0], "int32")
    for _ in range(2):
        kernel[1,](out)
    assert backend.numpy(out).tolist() == [6]
    changed("EXTENTS", (2, 4))
    with pytest.raises(
        RuntimeError, match=r"EXTENTS has changed since .*\(2, 3\)\] to constexpr\[\(2, 4\)\]"
    ):
        kernel[1,](out)


@triton.jit
def plain_kernel(out_ptr):
    tl.store(out_ptr, 1)


@pytest.mark.compiled
def test_kernels_without_constants_launch_as_ever(backend):
    plain_kernel[1,](backend.array([0], "int32"))
    assert plain_kernel.used_global_vals == {} and plain_kernel.pre_run_hooks == []


def test_keys(changed):
    key = scale_kernel.cache_key
    assert key == scale_kernel.cache_key != plain_kernel.cache_key
    source = scaled.src
    other = triton.JITFunction(scaled.fn)
    other._unsafe_update_src(source.replace("*", "+"))
    changed("scaled", other)
    assert scale_kernel.cache_key != key
    other._unsafe_update_src(source)
    assert scale_kernel.cache_key == key
    changed("FACTOR", tl.constexpr(3))
    assert scale_kernel.cache_key != key


def test_caches_of_devices_that_nothing_was_compiled_for():
    kernel = triton.JITFunction(plain_kernel.fn)
    assert len(kernel.device_caches[0][0]) == 0


@pytest.mark.compiled
def test_hooks_around_launches(backend):
    seen = []

    def note(metadata):
        seen.append(metadata.get())

    @triton.jit(launch_metadata=lambda grid, kernel, args: {"grid": grid, "n": args["n"]})
    def kernel(out_ptr, n):
        tl.store(out_ptr, n)

    hooks = triton.knobs.runtime.launch_enter_hook
    hooks.add(note)
    hooks.add(note)
    try:
        kernel[2, 3](backend.array([0], "int32"), 7)
    finally:
        hooks.remove(note)
    kernel[1,](backend.array([0], "int32"), 7)
    (found,) = seen
    assert (found["name"], found["grid"][:2], found["n"]) == ("kernel", (2, 3), 7) and "stream" in found


@pytest.mark.compiled
def test_files_of_libraries_are_not_needed(backend):
    out = backend.array([0], "int32")
    for libraries in ({"libdevice": "libdevice.10.bc"}, {}, None):
        plain_kernel[1,](out, extern_libs=libraries)
    with pytest.raises(TypeError, match="extern_libs maps names of libraries to files, got 3"):
        plain_kernel[1,](out, extern_libs=3)


@pytest.mark.compiled
def test_the_architecture_is_that_of_the_device(backend):
    out = backend.array([0], "int32")
    for arch in (None, "sm90"):
        plain_kernel[1,](out, arch=arch)
    with pytest.raises(TypeError, match="arch is text such as 'sm90', got 90"):
        plain_kernel[1,](out, arch=90)


@pytest.mark.compiled
def test_hashes(backend):
    out = backend.array([0], "int32")
    first, second = plain_kernel.warmup(out, grid=(1,)), plain_kernel.warmup(out, grid=(1,))
    assert first.hash == second.hash and len(first.hash) == 64


@triton.constexpr_function
def flag():
    return False


@triton.constexpr_function
def opened():
    return np.load("somewhere")


@triton.jit
def flag_kernel(out_ptr):
    tl.store(out_ptr, flag())


def test_functions_of_constants_with_another_text():
    before, text = flag_kernel.cache_key, flag.src
    assert flag() == False and flag.cache_key == flag.cache_key  # noqa: E712
    flag._unsafe_update_src(text.replace("False", "True"))
    assert flag() == True and flag_kernel.cache_key != before  # noqa: E712
    flag._unsafe_update_src(text)
    assert flag_kernel.cache_key == before and flag.src == text
    with pytest.raises(RuntimeError, match=r"Unsupported function referenced: .*load.* in opened"):
        opened.cache_key  # noqa: B018


@pytest.mark.compiled
def test_a_cache_that_is_cleared(backend):
    kernel, out = triton.JITFunction(flag_kernel.fn), backend.array([5], "int32")
    kernel[1,](out)
    (cache,) = kernel.device_caches[0]
    assert len(cache) == 1
    kernel.device_caches[0][0].clear()
    assert len(kernel.device_caches[0][0]) == 0
    kernel[1,](out)
    assert len(kernel.device_caches[0][0]) == 1


class Runs:
    """A tunable object that is no kernel."""

    def __init__(self):
        self.fn, self.sizes = (lambda: None), []

    def run(self, **options):
        self.sizes.append(options["SIZE"])


def test_tuning_an_object_that_is_no_kernel():
    measured, runs = [], Runs()

    def measure(call, quantiles):
        call()
        measured.append(runs.sizes[-1])
        return [abs(runs.sizes[-1] - 3)] * 3

    configs = [triton.Config({"SIZE": size}) for size in range(1, 9)]
    prune = {"perf_model": lambda **options: options["SIZE"], "top_k": 0.5}
    tuner = triton.runtime.Autotuner(
        runs, [], configs, [], None, None, do_bench=measure, prune_configs_by=prune
    )
    tuner.run()
    assert measured == [1, 2, 3, 4] and runs.sizes == [1, 2, 3, 4, 3] and tuner.best_config is configs[2]
