"""`tilewright compile`."""

import json
import platform
import sys

import pytest
import tilewright as tw
import tilewright.aot
from tilewright import _tilewright
from tilewright.options import Options
from tilewright.runtime.assemblers import assembler_paths
from tilewright.runtime.compiled import CompiledKernel
from tilewright.runtime.compiler import compile_kernel

pytestmark = pytest.mark.compiled
SIGNATURE = "*fp32:16, *fp32:16, *fp32:16, i32"


def test_obj_and_stages_for_the_cpu(tilewright, source, tmp_path):
    stages = ("--emit", "tile", "--emit", "llvm", "--emit", "obj")
    done = tilewright(
        "compile", f"{source}:add", "--target", "cpu", "--signature", SIGNATURE, *stages, "-o", "out"
    )
    assert done.returncode == 0, done.stderr
    files = [tmp_path / "out" / f"add.cpu{suffix}" for suffix in (".tile.mlir", ".ll", ".o", ".json")]
    assert done.stdout.split() == [str(path.relative_to(tmp_path)) for path in files]
    assert "tile.func @add" in files[0].read_text()
    assert "define" in files[1].read_text()
    assert files[2].read_bytes()[:4] == b"\x7fELF"
    metadata = json.loads(files[3].read_text())
    assert metadata["name"] == "add"
    assert metadata["arg_names"] == ["x", "y", "out", "n"]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="names processors of x86")
def test_obj_for_a_named_processor(tilewright, source, tmp_path):
    command = ("compile", f"{source}:add", "--target", "cpu:x86-64-v3", "--signature", SIGNATURE)
    done = tilewright(*command)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "add.cpu-x86-64-v3.o").read_bytes()[:4] == b"\x7fELF"
    metadata = json.loads((tmp_path / "add.cpu-x86-64-v3.json").read_text())
    assert "avx2" in metadata["features"]
    assert "avx512f" not in metadata["features"]
    assert metadata["triple"].startswith("x86_64")


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_ptx_needs_no_gpu(tilewright, source, target):
    done = tilewright(
        "compile", f"{source}:add", "--target", target, "--signature", SIGNATURE, "--emit", "ptx", "-o", "-"
    )
    assert done.returncode == 0, done.stderr
    assert f".target {target}" in done.stdout
    assert ".entry add(" in done.stdout


@pytest.mark.parametrize("assembler", ["nvjitlink", "ptxas"])
def test_cubin(tilewright, source, tmp_path, assembler):
    if assembler not in {found.get("kind") for found in _tilewright.assemblers(assembler_paths())}:
        pytest.skip(f"no {assembler} on this machine")
    command = ("compile", f"{source}:add", "--target", "sm_80", "--signature", SIGNATURE)
    done = tilewright(*command, TILEWRIGHT_ASSEMBLER=assembler)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "add.sm_80.cubin").read_bytes()[:4] == b"\x7fELF"
    assert json.loads((tmp_path / "add.sm_80.json").read_text())["registers"] > 0


def test_cubin_that_is_left_to_the_driver(tilewright, source):
    command = ("compile", f"{source}:add", "--target", "sm_80", "--signature", SIGNATURE)
    done = tilewright(*command, TILEWRIGHT_ASSEMBLER="driver")
    assert done.returncode == 1
    assert "TILEWRIGHT_ASSEMBLER leaves PTX to the driver" in done.stderr


def test_time_goes_to_standard_error(tilewright, source):
    command = ("compile", f"{source}:add", "--target", "sm_90a", "--signature", SIGNATURE, "--emit", "ptx")
    for _ in range(2):  # the second time, too, when the kernel is in the cache
        done = tilewright(*command, "--time", "-o", "-")
        assert done.returncode == 0, done.stderr
        assert ".entry add(" in done.stdout
        lines = done.stderr.splitlines()
        assert lines[0].split() == ["stage", "ms"]
        assert [line.split()[0] for line in lines[1:] if line[0] != " "] == [
            "tile",
            "warp",
            "llvm",
            "ptx",
            "total",
        ]
        assert any(line.startswith("  generate PTX ") for line in lines)


def test_tile_to_standard_output(tilewright, source):
    done = tilewright(
        "compile", f"{source}:add", "--target", "cpu", "--signature", SIGNATURE, "--emit", "tile", "-o", "-"
    )
    assert done.returncode == 0, done.stderr
    assert "tile.divisibility = 16" in done.stdout


@pytest.mark.parametrize(
    "kernel, extra, message",
    [
        ("{source}:sub", (), "sub is not there; it has add, wrong"),
        ("{source}:not_a_kernel", (), "not_a_kernel is not a kernel (decorate it with @tilewright.jit)"),
        ("{source}", (), "a kernel is named FILE.py:KERNEL, got"),
        ("missing.py:add", (), "tilewright compile: no file missing.py"),
        (".:add", (), "tilewright compile: no file ."),
        ("{source}:add", ("--emit", "ptx"), "target cpu has no 'ptx'; it has tile, llvm, obj"),
        ("{source}:add", ("--num-warps", "3"), "num_warps must be a power of 2 up to 32, got 3"),
    ],
)
def test_errors(tilewright, source, kernel, extra, message):
    kernel = kernel.format(source=source)
    done = tilewright("compile", kernel, "--target", "cpu", "--signature", SIGNATURE, *extra)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr


ODD_FILES = [
    ("", "it has no kernel"),
    ("raise SystemExit(3)", "ends the program when it is imported (status 3); leave that to if __name__ =="),
    ("def (", "SyntaxError: invalid syntax"),
    ("\0", "source code string cannot contain null bytes"),
    (
        "import nowhere_to_be_found",
        "line 1, in <module>\n    import nowhere_to_be_found\nModuleNotFoundError: ",
    ),
]


@pytest.mark.parametrize("text, message", ODD_FILES, ids=["empty", "exit", "syntax", "bytes", "import"])
def test_odd_files(tilewright, tmp_path, text, message):
    """An error in a file shows the lines of that file, without our import machinery."""
    file = tmp_path / "ödd file.py"
    file.write_text(text)
    done = tilewright("compile", f"{file}:add", "--target", "cpu", "--signature", SIGNATURE)
    assert done.returncode == 1
    assert message in done.stderr
    assert "frozen" not in done.stderr and "load.py" not in done.stderr


@pytest.mark.parametrize("name", ["json.py", "my.kernels.py", "2 kernels.py", "größe.py"])
def test_odd_names_of_files(tilewright, source, tmp_path, name):
    file = tmp_path / "elsewhere" / name
    file.parent.mkdir()
    file.write_text(source.read_text())
    done = tilewright(
        "compile", f"{file}:add", "--target", "cpu", "--signature", SIGNATURE, "--emit", "tile", "-o", "-"
    )
    assert done.returncode == 0, done.stderr
    assert "tile.func @add" in done.stdout


def test_files_that_are_not_python(tilewright, source, tmp_path):
    other = tmp_path / "kernels.txt"
    other.write_text(source.read_text())
    done = tilewright("compile", f"{other}:add", "--target", "cpu", "--signature", SIGNATURE)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"tilewright compile: {other} is no file of Python, whose name ends in .py\n"


def test_output_of_files_and_kernels_is_separate(tilewright, source):
    text = source.read_text().replace(
        "    i = tl.program_id", "    tl.static_print('of the kernel')\n    i = tl.program_id"
    )
    source.write_text(text + "print('of the file')\n")
    kernel = (f"{source}:add", "--target", "cpu", "--signature", SIGNATURE)
    done = tilewright("compile", *kernel, "--emit", "tile", "-o", "-")
    assert done.returncode == 0 and done.stdout.startswith("module {")
    assert "of the file\n" in done.stderr and "of the kernel\n" in done.stderr
    done = tilewright("explain", *kernel, "--json")
    assert json.loads(done.stdout)["name"] == "add"
    assert "of the file\n" in done.stderr


def test_error_in_the_signature(tilewright, source):
    done = tilewright("compile", f"{source}:add", "--target", "cpu", "--signature", "*fp32")
    assert done.returncode == 1
    assert done.stderr == "tilewright compile: the signature has no entry for parameter 'y'\n"


def test_error_in_the_kernel_shows_its_line(tilewright, source):
    done = tilewright("compile", f"{source}:wrong", "--target", "cpu", "--signature", "*fp32")
    assert done.returncode == 1
    assert "tl.store(x, undefined)" in done.stderr
    assert "^^^^^^^^^" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "target, message",
    [
        ("sm_70", "'sm_70' is too old: needs sm_80 or newer"),
        ("z80", "unknown target 'z80'; expected 'cpu'"),
        ("cpu:z80", "unknown processor 'z80' of "),
    ],
)
def test_unknown_target(tilewright, source, target, message):
    done = tilewright("compile", f"{source}:add", "--target", target, "--signature", SIGNATURE)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_kernel_in_a_package(tilewright, source, tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "block.py").write_text("SIZE = 32\n")
    text = (
        source.read_text().replace("import numpy as np", "from .block import SIZE").replace("= 64", "= SIZE")
    )
    (package / "kernels.py").write_text(text)
    kernels_file = package / "kernels.py"
    done = tilewright(
        "compile",
        f"{kernels_file}:add",
        "--target",
        "cpu",
        "--signature",
        SIGNATURE,
        "--emit",
        "tile",
        "-o",
        "-",
    )
    assert done.returncode == 0, done.stderr
    assert "tensor<32xf32>" in done.stdout


def test_error_of_the_file_keeps_its_traceback(tilewright, source):
    source.write_text("raise ValueError('of the file')\n")
    done = tilewright("compile", f"{source}:add", "--target", "cpu", "--signature", SIGNATURE)
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "ValueError: of the file" in done.stderr


def test_no_assembler(monkeypatch):
    @tw.jit
    def kernel(x):
        pass

    def without_cubin(fn, types, constants, divisors, target, options, last, report, trees):
        return CompiledKernel("kernel", target, {"ptx": ""}, {}, types, constants)

    monkeypatch.setattr(sys.modules["tilewright.aot.compile"], "compile_kernel", without_cubin)
    with pytest.raises(tw.aot.NoAssembler, match="neither nvJitLink nor ptxas was found"):
        tw.aot.compile(kernel, "*fp32", "sm_80")
    assert tw.aot.compile(kernel, "*fp32", "sm_80", ["ptx"]).asm == {"ptx": ""}


def test_symbol():
    @tw.jit
    def kernel(x):
        pass

    def compile_as(symbol):
        return compile_kernel(kernel.fn, {"x": "*fp32"}, {}, {}, "sm_80", Options(), "ptx", symbol=symbol)

    compiled = compile_as("called_otherwise")
    assert compiled.name == compiled.metadata["name"] == "called_otherwise"
    assert ".entry called_otherwise(" in compiled.asm["ptx"]
    with pytest.raises(tw.CompilationError, match="symbol must be a name of C, got 'a b'"):
        compile_as("a b")
