"""The examples of the reference as modules that can be run."""

import ast
import contextlib
import importlib.util
import io
import sys
import textwrap
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "docs"))
from generator import catalogue, examples  # noqa: E402, F401 (they are next to the pages)

_HEAD = """import tilewright as tw
import tilewright.language as tl
import tilewright.language.warp as warp
from tilewright.language.extra import libdevice

"""
_TWICE = """
@tw.jit
def twice(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, 2 * tl.load(x_ptr + i, mask=i < n), mask=i < n)

"""
_SHORT = {"float32": "fp32", "int32": "i32"}
_NUMPY = {"int1": "bool", "float8e4nv": "float8_e4m3fn", "float8e5": "float8_e5m2"}


class Kernel:
    """The body of a kernel with a store after each expression whose results the example shows."""

    def __init__(self, steps):
        self.body, self.outputs, self.memory = [], [], []
        for step in steps:
            self._add(step.source.strip(), step.want)

    def _add(self, source, want):
        if not want:
            self.body.append(source)
        elif source in examples.MEMORY:
            self.memory.append((source, examples.results(want)[0]))
        else:
            self._add_expression(source, examples.results(want))

    def _add_expression(self, source, results):
        if results[0].dtype is None:
            self.body.append(f"tl.static_assert(({source}) == {results[0].values!r})")
            return
        group = f"results_{len(self.body)}"
        self.body.append(f"{group} = {source}")
        for index, result in enumerate(results):
            value = f"{group}[{index}]" if len(results) > 1 else group
            self._add_store(value, result)

    def _add_store(self, value, result):
        name = f"result_{len(self.outputs)}"
        shape = np.shape(result.values)
        self.body += [
            f"tl.static_assert({value}.dtype == tl.{result.dtype}, {f'dtype of {value}'!r})",
            f"tl.static_assert({value}.shape == {shape}, {f'shape of {value}'!r})",
        ]
        where = f" + tl.reshape(tl.arange(0, {np.prod(shape)}), {shape})" if shape else ""
        self.body.append(f"tl.store({name}{where}, {value})")
        self.outputs.append(result)

    def source(self):
        names = [*examples.MEMORY, *(f"result_{i}" for i in range(len(self.outputs)))]
        body = textwrap.indent("\n".join(self.body) or "pass", "    ")
        return f"{_HEAD}\n@tw.jit\ndef kernel({', '.join(names)}):\n{body}\n"

    def _kernel(self, directory):
        path = directory / "example.py"
        path.write_text(self.source())
        return load_module(path).kernel

    def compile(self, directory, target):
        """Compiles it for a GPU that need not be there."""
        from tilewright.options import Options
        from tilewright.runtime.compiler import compile_kernel

        kernel = self._kernel(directory)
        types = {
            name: "*fp32" if "float" in dtype else "*i32" for name, (dtype, *_) in examples.MEMORY.items()
        }
        types |= {f"result_{index}": f"*{_SHORT[result.dtype]}" for index, result in enumerate(self.outputs)}
        aligned = dict.fromkeys(types, 16)
        compile_kernel(kernel.fn, types, {}, aligned, target, Options(), stop_after="ptx")

    def run(self, backend, directory, programs=1):
        """Runs it and compares everything that the example shows."""
        arrays = {
            name: backend.array(np.arange(count) if counts else np.zeros(count), dtype)
            for name, (dtype, count, counts) in examples.MEMORY.items()
        }
        outputs = [
            backend.poisoned(np.shape(result.values) or (1,), _NUMPY.get(result.dtype, result.dtype))
            for result in self.outputs
        ]
        self._kernel(directory)[programs,](*arrays.values(), *outputs)
        for result, output in zip(self.outputs, outputs):
            _compare(backend.numpy(output), result)
        for name, result in self.memory:
            _compare(backend.numpy(arrays[name])[: np.size(result.values)], result)


def _compare(found, result):
    expected = np.array(result.values, np.float64 if "float" in result.dtype else None)
    found = found.reshape(expected.shape)
    if "float" in result.dtype:
        np.testing.assert_allclose(found.astype(np.float64), expected, rtol=2e-4, atol=2e-7)
    else:
        np.testing.assert_array_equal(found, expected)


def load_module(path):
    """The module in a file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_program(steps, directory):
    """Runs a program as if its lines were typed and compares the output."""
    path = directory / "program.py"
    path.write_text(_HEAD + _TWICE + "".join(step.source for step in steps))
    scope = {"__name__": "program"}
    exec(compile(_HEAD + _TWICE, path, "exec"), scope)
    line = (_HEAD + _TWICE).count("\n")
    for step in steps:
        printed = io.StringIO()
        tree = ast.parse("\n" * line + step.source, path)
        with contextlib.redirect_stdout(printed):
            exec(compile(ast.Interactive(tree.body), path, "single"), scope)
        assert printed.getvalue() == step.want, step.source
        line += step.source.count("\n")
