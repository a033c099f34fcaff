"""Host code that uses `triton.JITFunction`, `triton.runtime.Autotuner` and related classes."""

import contextlib
import gc
import inspect
import types

import numpy as np
import pytest
import tilewright.compat
from optional_packages import needs

tilewright.compat.install()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@triton.jit(do_not_specialize=["n", "no_such_parameter", 17])
def scale_kernel(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, FACTOR * tl.load(x_ptr + i, mask=i < n), mask=i < n)


FACTOR = tl.constexpr(2)


class Entry(triton.KernelInterface):
    """Records the launches and forwards them."""

    def __init__(self, fn):
        self.fn, self.launches = fn, []

    def run(self, *args, grid, warmup, **kwargs):
        self.launches.append((grid, warmup))
        return self.fn.run(*args, grid=grid, warmup=warmup, **kwargs)


def test_properties_of_a_kernel():
    assert isinstance(scale_kernel, triton.JITFunction)
    assert isinstance(scale_kernel, triton.runtime.JITFunction)
    assert isinstance(scale_kernel, triton.KernelInterface)
    assert scale_kernel.__globals__ is globals() and scale_kernel.module == __name__
    assert [param.num for param in scale_kernel.params] == [0, 1, 2, 3, 4]
    assert [param.do_not_specialize for param in scale_kernel.params] == [False, False, True, False, False]
    assert not scale_kernel.params[0].do_not_specialize_on_alignment
    assert scale_kernel.params[4].annotation is tl.constexpr
    assert list(scale_kernel.signature.parameters) == scale_kernel.arg_names
    assert scale_kernel.src.startswith("def scale_kernel(") and len(scale_kernel.cache_key) == 64


@triton.jit
def fill_kernel(out_ptr, n):
    i = tl.arange(0, 8)
    tl.store(out_ptr + i, i, i < n)


class Lookalike:
    """An object with the address, dtype and shape of a tensor that is not one."""

    def __init__(self, tensor):
        self.tensor, self.dtype, self.shape, self.device = tensor, tensor.dtype, tensor.shape, tensor.device

    def __getattr__(self, name):
        if name not in ("data_ptr", "element_size", "stride", "numel"):
            raise AttributeError(name)
        return getattr(self.tensor, name)


def test_all_memory_of_a_view(backend):
    """A kernel may write past a view, as far as the array of the view reaches."""
    array = np.zeros((2, 8), np.float32)
    if backend.name == "interpreter":
        fill_kernel[1,](array[1:, :5], 8)
        assert array.tolist() == [[0] * 8, list(range(8))]
        torch = needs("torch")
        tensor = torch.zeros(16)
        fill_kernel[1,](tensor[2:4], 8)
        assert tensor[2:10].tolist() == list(range(8)) and not tensor[10:].any()
        fill_kernel[1,](Lookalike(tensor), 8)
        assert tensor[:8].tolist() == list(range(8))
        with pytest.raises(triton.runtime.errors.InterpreterError, match="past the end of 'out_ptr'"):
            fill_kernel[1,](tensor[14:], 8)
        with pytest.raises(triton.runtime.errors.InterpreterError, match="past the end of 'out_ptr'"):
            fill_kernel[1,](array[1, 2:], 8)
    else:
        out = backend.array(array)
        fill_kernel[1,](out, 8)
        backend.check(out, [list(range(8)), [0] * 8], "float32")


def specialised(kernel, function):
    """`kernel` with `FUNCTION` bound to another function, as libraries build kernels from text."""

    def template():
        pass

    def scope(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        pass

    made = types.FunctionType(template.__code__, {**kernel.get_capture_scope(), "FUNCTION": function})
    made.__name__, made.__signature__ = "made", inspect.signature(scope)
    wanted = list(inspect.signature(triton.JITFunction.__init__).parameters.values())[2:]
    attributes = {entry.name: getattr(kernel, entry.name, entry.default) for entry in wanted}
    made = triton.JITFunction(made, **attributes)
    made._unsafe_update_src(kernel.src.replace("def apply_kernel", "def made"))
    return made


@triton.jit(
    repr=lambda specialization: f"apply<{specialization.signature['out_ptr']}>", do_not_specialize=["n"]
)
def apply_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, FUNCTION(tl.load(x_ptr + i, i < n)), i < n)  # noqa: F821


@triton.jit
def plus_one(x):
    return x + 1


@triton.jit
def twice(x):
    return x * 2


def no_function_of_the_kernel(x):
    return x


def test_kernels_made_of_others(backend):
    outer = 3

    @triton.jit
    def reads_outer(out_ptr):
        tl.store(out_ptr, outer)

    assert reads_outer.get_capture_scope()["outer"] == 3
    assert apply_kernel.get_capture_scope()["plus_one"] is plus_one
    x = backend.array(np.arange(8), "float32")
    for function, want in ((plus_one, np.arange(8) + 1), (twice, np.arange(8) * 2)):
        out = backend.array(np.zeros(8), "float32")
        made = specialised(apply_kernel, function)
        made[1,](x, out, 8, BLOCK=8)
        backend.check(out, want, "float32")
        assert made.do_not_specialize == ["n"] and made.params[2].do_not_specialize


@pytest.mark.compiled
def test_a_made_kernel_says_where_its_text_comes_from(backend):
    """Its errors name the lines of the kernel that it was made of."""
    lines, first = inspect.getsourcelines(apply_kernel.fn)
    (line,) = [first + i for i, text in enumerate(lines) if text.startswith("def ")]
    assert (apply_kernel.raw_src, apply_kernel.starting_line_number) == (lines, first)
    assert apply_kernel.file_name == __file__
    assert (apply_kernel.def_file_line_number, apply_kernel.def_file_col_number) == (line, 1)
    made = specialised(apply_kernel, no_function_of_the_kernel)
    made.raw_src, made.starting_line_number = list(apply_kernel.raw_src), apply_kernel.starting_line_number
    made.file_name = "the_file_of_the_template.py"
    made.def_file_line_number, made.def_file_col_number = 1000, apply_kernel.def_file_col_number
    with pytest.raises(triton.CompilationError) as caught:
        made[1,](backend.array(np.arange(8), "float32"), backend.array(np.zeros(8), "float32"), 8, BLOCK=8)
    assert (caught.value.file, caught.value.line) == ("the_file_of_the_template.py", 1002)


def test_a_kernel_with_another_text(backend):
    other = triton.JITFunction(scale_kernel.fn)
    assert other is not scale_kernel and other.numerics == scale_kernel.numerics
    x, out = backend.array(np.arange(8), "float32"), backend.array(np.zeros(8), "float32")
    for factor in (3, 5):
        other._unsafe_update_src(scale_kernel.src.replace("FACTOR", str(factor)))
        other[1,](x, out, 8, 1, BLOCK=8)
        backend.check(out, factor * np.arange(8), "float32")
    scale_kernel[1,](x, out, 8, 1, BLOCK=8)
    backend.check(out, 2 * np.arange(8), "float32")
    with pytest.raises(triton.CompilationError, match="cannot compile scale_kernel"):
        other._unsafe_update_src("def scale_kernel(:")


def test_an_interface_of_others(backend):
    entry = Entry(scale_kernel)
    x, out = backend.array(np.arange(8), "float32"), backend.array(np.zeros(8), "float32")
    entry[2,](x, out, 8, 1, BLOCK=4)
    backend.check(out, 2 * np.arange(8), "float32")
    assert entry.launches == [((2,), False)]


@pytest.mark.compiled
def test_a_launch_returns_a_launchable_kernel(backend):
    x, out = backend.array(np.arange(8), "float32"), backend.array(np.zeros(8), "float32")
    compiled = scale_kernel[1,](x, out, 4, 1, BLOCK=4)
    compiled[2, 1, 1](x, out, 8, 1, 4)
    backend.check(out, 2 * np.arange(8), "float32")


class Wrapped:
    """Presents an array as another type, with only Triton's duck-typed members."""

    def __init__(self, base, dtype):
        self.base, self.dtype, self.device = base, dtype, getattr(base, "device", "cpu")

    def data_ptr(self):
        return self.base.data_ptr() if hasattr(self.base, "data_ptr") else self.base.ctypes.data


@pytest.mark.compiled
@pytest.mark.parametrize("dtype", [tl.float32, "torch.float32", "fp32"])
def test_an_argument_that_has_an_address_alone(backend, dtype):
    bits = backend.array(np.arange(8, dtype=np.float32).view(np.int32), "int32")
    out = backend.array(np.zeros(8), "float32")
    scale_kernel[1,](Wrapped(bits, dtype), out, 8, 1, BLOCK=8)
    backend.check(out, 2 * np.arange(8), "float32")
    with pytest.raises(TypeError, match=r"argument 'x_ptr' .* no kernel takes elements of dtype complex64"):
        scale_kernel[1,](Wrapped(bits, "torch.complex64"), out, 8, 1, BLOCK=8)


class Tuner(triton.runtime.Autotuner):
    """A tuner with its own choice, built on Triton's class."""

    def run(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args))
        pruned = self.prune_configs(kwargs)
        times = {config: self._bench(*args, config=config, **kwargs)[0] for config in pruned}
        self.best_config = min(times, key=times.get)
        full = {**self.nargs, **kwargs, **self.best_config.all_kwargs()}
        self.pre_hook(full, reset_only=True)
        result = self.fn.run(*args, **kwargs, **self.best_config.all_kwargs())
        self.nargs = None
        return result


def tuner(kind, fn, configs, **more):
    return kind(fn, fn.arg_names, configs, ["n", "no_such_parameter"], ["out_ptr"], None, **more)


@triton.jit
def add_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(out_ptr + i, mask=i < n) + tl.load(x_ptr + i, mask=i < n), mask=i < n)


@pytest.mark.parametrize("kind", [Tuner, triton.runtime.Autotuner])
def test_tuners_of_others(backend, kind):
    configs = [triton.Config({"BLOCK": 4}), triton.Config({"BLOCK": 8}, num_warps=2)]
    found = []
    tuned = tuner(
        kind,
        add_kernel,
        configs,
        warmup=1,
        rep=1,
        prune_configs_by={
            "early_config_prune": lambda configs, named, **_: found.append(named["n"]) or configs
        },
    )
    x, out = backend.array(np.arange(8), "float32"), backend.array(np.ones(8), "float32")
    assert not tuned.user_defined_pre_hook and tuned.base_fn is add_kernel.fn
    tuned[lambda meta: (triton.cdiv(8, meta["BLOCK"]),)](x, out, 8)
    assert tuned.best_config in configs and tuned.nargs is None and found == [8]
    backend.check(out, np.arange(8), "float32")  # zeroed, and added to once


@pytest.mark.compiled
def test_hooks_of_tuners(backend):
    calls = []
    tuned = triton.autotune(
        [triton.Config({"BLOCK": 4}), triton.Config({"BLOCK": 8})],
        key=["n"],
        pre_hook=lambda named, reset_only=False: calls.append(reset_only),
        warmup=1,
        rep=1,
        cache_results=False,
    )(add_kernel)
    x, out = backend.array(np.arange(8), "float32"), backend.array(np.zeros(8), "float32")
    tuned[lambda meta: (triton.cdiv(8, meta["BLOCK"]),)](x, out, 8)
    assert tuned.user_defined_pre_hook and calls.count(True) == 1 and calls[-1]
    assert list(tuned.cache) == [(8, str(x.dtype), str(out.dtype))]


def test_heuristics_choose_options(backend):
    kernel = triton.heuristics({"BLOCK": lambda named: 8, "num_warps": lambda named: 2})(add_kernel)
    assert isinstance(kernel, triton.runtime.Heuristics) and set(kernel.values) == {"BLOCK", "num_warps"}
    x, out = backend.array(np.arange(8), "float32"), backend.array(np.zeros(8), "float32")
    compiled = kernel[1,](x, out, 8)
    backend.check(out, np.arange(8), "float32")
    if backend.name == "cuda":
        assert compiled.metadata.num_warps == 2


def test_a_configuration_comes_of_source():
    assert triton.Config({}, ir_override=None) == triton.Config({})
    edited = triton.Config({}, ir_override="edited.ttgir")
    assert "edited.ttgir" in str(edited) != str(triton.Config({}))
    with pytest.raises(ValueError, match=r"compiled from its source.*leave out ir_override='edited.ttgir'"):
        triton.autotune(configs=[edited], key=[])(scale_kernel)[1,](None)


def test_output_of_nvidia_smi(monkeypatch, tmp_path):
    program = tmp_path / "nvidia-smi"
    program.write_text('#!/bin/sh\necho "1980, 2619"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert triton.testing.nvsmi(["clocks.max.sm", "clocks.max.memory"]) == [1980, 2619]
    monkeypatch.setenv("PATH", "")
    with pytest.raises(OSError, match="nvidia-smi"):
        triton.testing.nvsmi(["clocks.max.sm"])


def test_the_interpreter_by_its_name_in_triton(monkeypatch):
    assert not triton.jit(add_kernel.fn).is_interpreted or scale_kernel.is_interpreted
    is_interpreted = isinstance(scale_kernel, triton.runtime.interpreter.InterpretedFunction)
    assert is_interpreted == scale_kernel.is_interpreted
    assert not isinstance(scale_kernel.fn, triton.runtime.interpreter.InterpretedFunction)
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    kernel = triton.jit(add_kernel.fn)
    assert kernel.is_interpreted and isinstance(kernel, triton.runtime.interpreter.InterpretedFunction)
    x, out = np.arange(8.0), np.ones(8)
    kernel[1,](x, out, 8, BLOCK=8)
    np.testing.assert_array_equal(out, 1 + np.arange(8))


def test_times_as_by_the_profiler():
    for bench in (triton.testing.do_bench_proton, triton.testing.do_bench_cudagraph_proton):
        times = bench(lambda: sum(range(100)), rep=1, return_mode="all")
        assert times and min(times) >= 0


def test_a_graph_without_collection(monkeypatch):
    torch = needs("torch")

    @contextlib.contextmanager
    def graph(pool):
        assert not gc.isenabled()
        yield pool

    monkeypatch.setattr(torch.cuda, "graph", graph)
    assert gc.isenabled()
    with triton.testing.cuda_graph_without_gc("pool") as captured:
        assert captured == "pool" and not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), triton.testing.cuda_graph_without_gc("pool"):
        1 / 0  # noqa: B018
    assert gc.isenabled()


def test_a_tuner_that_has_nothing_left(backend):
    kernel = triton.autotune(
        [triton.Config({"BLOCK": 8}), triton.Config({"BLOCK": 16})],
        key=[],
        prune_configs_by={"early_config_prune": lambda configs, named, **rest: []},
    )(add_kernel)
    with pytest.raises(
        triton.TritonError, match=r"^Autotuner error: No valid autotuner configs after pruning"
    ):
        kernel[1,](backend.array(np.arange(8.0)), backend.array(np.ones(8)), 8)


def test_tuners_of_no_kernel():
    for decorate in (triton.autotune([triton.Config({})], key=[]), triton.heuristics({})):
        with pytest.raises(TypeError, match="decorates a kernel"):
            decorate(len)
    with pytest.raises(TypeError, match="has a function of the arguments for 'B', got 64"):
        triton.heuristics({"B": 64})(triton.jit(lambda x: None))
