"""`tilewright compile --library`."""

import zipfile

import pytest

pytestmark = pytest.mark.compiled
SIGNATURE = "*fp32:16, *fp32:16, *fp32:16, i32"


def test_kernel_with_variants(tilewright, source, tmp_path):
    variants = ("--variant", "BLOCK=256, num_warps=8 if n > 100", "--variant", "BLOCK=64")
    done = tilewright(
        "compile", f"{source}:add", "--library", "vectors", "--target", "cpu", "--target", "sm_80", "--image", "ptx",
        "--signature", f"add_f={SIGNATURE}", "--signature", "add_h=*fp16, *fp16, *fp16, i32", "-o", "out",
        "--grid", "cdiv(n, BLOCK)", *variants,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    names = ["vectors.h", "vectors.c", "vectors_cpu.a", "vectors.twlib"]
    assert done.stdout.split() == [f"out/{name}" for name in names]
    header = (tmp_path / "out" / "vectors.h").read_text()
    for kind, device in (("cuda", "void *stream"), ("cpu", "unsigned threads")):
        for name in ("add_f", "add_h"):
            arguments = "const void *x, const void *y, void *out, int32_t n"
            assert f"int {name}_{kind}({device}, {arguments});" in header
    with zipfile.ZipFile(tmp_path / "out" / "vectors.twlib") as package:
        suffixes = [name.rpartition(".")[2] for name in package.namelist()]
    # Two variants, each with and without assumptions; of the half-precision one only without.
    assert (suffixes.count("obj"), suffixes.count("ptx")) == (6, 6)


def test_exports_of_a_file(tilewright, source, tmp_path):
    exports = (
        f"\nimport tilewright.aot\ntw.aot.export(add, {SIGNATURE!r}, name='sum_of_two', fallback=False)\n"
    )
    source.write_text(source.read_text() + exports)
    done = tilewright("compile", source, "--library", "vectors", "--target", "cpu")
    assert done.returncode == 0, done.stderr
    assert (
        "int sum_of_two_cpu(unsigned threads, const int64_t grid[3], " in (tmp_path / "vectors.h").read_text()
    )


@pytest.mark.parametrize(
    "kernel, extra, message",
    [
        ("{source}", (), "{source} exports nothing: call tilewright.aot.export there, or name a kernel"),
        (
            "{source}:add",
            ("--signature", "*fp32"),
            "export add: the signature has no entry for parameter 'y'",
        ),
        ("{source}:sub", ("--signature", "*fp32"), "sub is not there"),
        ("{source}:add", ("--emit", "ptx"), "--emit, --time and -o - are for single kernels"),
        (
            "{source}:add",
            ("--signature", SIGNATURE, "--variant", "BLOCK"),
            "a variant is written NAME=CONSTANT",
        ),
        (
            "{source}:add",
            ("--signature", SIGNATURE, "--variant", "BLOCK=64, num_warps=5"),
            "variant 'BLOCK=64, num_warps=5': num_warps must be a power of 2 up to 32, got 5",
        ),
        ("{source}:wrong", ("--signature", "*fp32"), "tl.store(x, undefined)"),
    ],
)
def test_errors(tilewright, source, kernel, extra, message):
    done = tilewright("compile", kernel.format(source=source), "--library", "v", "--target", "cpu", *extra)
    assert done.returncode == 1
    assert message.format(source=source) in done.stderr
    assert "Traceback" not in done.stderr


def test_several_targets_need_a_library(tilewright, source):
    done = tilewright(
        "compile", f"{source}:add", "--target", "cpu", "--target", "sm_80", "--signature", SIGNATURE
    )
    assert done.returncode == 1
    assert "without --library, give one --target and one --signature" in done.stderr
