"""`tilewright explain`."""

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.compiled
EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
SIGNATURE = "*fp32:16, *fp32:16, *fp32:16, i32"
MAIN = """

def main():
    x = np.ones(100, np.float32)
    print("main was here")
    add[(2,)](x, x, np.empty_like(x), 100)


def other():
    x = np.ones(100, np.float16)
    add[(1,)](x, x, np.empty_like(x), 100, BLOCK=128, num_warps=2)
"""


def test_text(tilewright, source):
    done = tilewright("explain", f"{source}:add", "--signature", SIGNATURE)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "add for sm_90a, 4 warps, 3 stages"
    assert any("tl.store(out + i" in line for line in lines)
    assert any(line.strip().startswith("= warp-report-traffic: stores") for line in lines)


TUNED = """

tuned = tw.heuristics({"BLOCK": lambda args: 64})(add)
searched = tw.autotune([tw.Config({"BLOCK": 64}), tw.Config({"BLOCK": 128})], key=["n"])(add)


def main():
    x = np.ones(100, np.float32)
    searched[(2,)](x, x, np.empty_like(x), 100)
"""


@pytest.mark.parametrize("name", ["tuned", "searched"])
def test_the_kernel_inside_a_tuner(tilewright, source, name):
    source.write_text(source.read_text() + TUNED)
    done = tilewright("explain", f"{source}:{name}", "--signature", SIGNATURE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("add for sm_90a, 4 warps, 3 stages")


def test_the_call_of_a_tuner(tilewright, source):
    source.write_text(source.read_text() + TUNED)
    done = tilewright("explain", f"{source}:searched")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("add for sm_90a")


@pytest.mark.parametrize(
    "warps, said",
    [
        ("4", "8 warps consume, 4 produce, 2 ping-pong groups alternate between tiles"),
        ("8", "no ping-pong, all warps share each tile: "),
    ],
)
def test_ping_pong_groups(tilewright, warps, said):
    example = f"{EXAMPLES}/matmul.py:matmul_kernel"
    done = tilewright("explain", example, "--ping-pong", "--num-warps", warps, "--constant", "BLOCK_N=128")
    assert done.returncode == 0, done.stderr
    assert said in done.stdout


def test_json(tilewright, source):
    done = tilewright(
        "explain",
        f"{source}:add",
        "--signature",
        SIGNATURE,
        "--json",
        "--target",
        "sm_80",
        "--num-warps",
        "8",
    )
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["target"] == "sm_80"
    assert data["resources"]["threads"] == 256


def test_main_is_called_without_a_signature(tilewright, source):
    source.write_text(source.read_text() + MAIN)
    done = tilewright("explain", f"{source}:add", "--json")
    assert done.returncode == 0, done.stderr
    assert "main was here" in done.stderr
    data = json.loads(done.stdout)
    assert data["arguments"]["x"].startswith("*fp32")
    assert data["constants"]["BLOCK"] == 64


def test_call(tilewright, source):
    source.write_text(source.read_text() + MAIN)
    for call in ("other", f"{source}:other"):
        done = tilewright("explain", f"{source}:add", "--call", call, "--json", "--num-stages", "2")
        assert done.returncode == 0, done.stderr
        data = json.loads(done.stdout)
        assert data["arguments"]["x"].startswith("*fp16")
        assert (data["options"]["num_warps"], data["options"]["num_stages"]) == (2, 2)


def test_page(tilewright, source, tmp_path):
    command = ("explain", f"{source}:add", "--signature", SIGNATURE, "--html")
    for target in ("sm_90a", "cpu"):
        done = tilewright(*command, "add.html", "--target", target)
        assert done.returncode == 0, done.stderr
        assert done.stdout == "add.html\n"
        assert f"<title>add for {target}</title>" in (tmp_path / "add.html").read_text()
    done = tilewright(*command, "missing/add.html")
    assert done.returncode == 1
    assert "tilewright explain: [Errno 2] No such file or directory" in done.stderr
    assert "Traceback" not in done.stderr


def test_options_of_the_decorator(tilewright, source):
    source.write_text(source.read_text().replace("@tw.jit\ndef add", '@tw.jit(numerics="triton")\ndef add'))
    done = tilewright("explain", f"{source}:add", "--signature", SIGNATURE, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["options"]["numerics"] == "triton"


def test_constants_go_before_those_of_the_call(tilewright, source):
    source.write_text(source.read_text() + MAIN)
    done = tilewright("explain", f"{source}:add", "--constant", "BLOCK=256", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["constants"]["BLOCK"] == 256
    for entry, message in (
        ("SIZE=1", "the call has no constant 'SIZE'; it has BLOCK"),
        ("BLOCK", "a constant is given as NAME=VALUE, got 'BLOCK'"),
        ("BLOCK=big", "a constant is given as NAME=VALUE, got 'BLOCK=big'"),
    ):
        done = tilewright("explain", f"{source}:add", "--constant", entry)
        assert done.returncode == 1
        assert message in done.stderr


def test_call_through_another_name_of_the_module(tilewright, source, tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "kernels.py").symlink_to(source)
    caller = tmp_path / "caller.py"
    caller.write_text(
        "import numpy as np\nfrom package.kernels import add\n\n\n"
        "def run():\n    x = np.ones(9, np.float32)\n    add[(1,)](x, x, x, 9)\n"
    )
    done = tilewright("explain", f"{source}:add", "--call", f"{caller}:run", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["name"] == "add"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("{source}:add", "--signature", SIGNATURE, "--constant", "BLOCK=64"), "--constant is for a call"),
        (("{source}:add",), "has no function main() to call the kernel; give a signature or a call"),
        (("{source}:add", "--call", "not_a_kernel"), "not_a_kernel() does not call add()"),
        (("{source}:add", "--call", "missing.py:run"), "tilewright explain: no file missing.py"),
        (
            ("{source}:add", "--call", "fails"),
            "fails() failed: ValueError: invalid literal",
        ),
        (("{source}:add", "--call", "refuses"), "refuses() failed: ValueError: of the caller's own\n  at "),
        (("{source}:sub", "--signature", SIGNATURE), "sub is not there; it has add, wrong"),
        (("{source}:add", "--signature", "*fp32"), "the signature has no entry for parameter 'y'"),
        (("{source}:wrong", "--signature", "*fp32"), "tl.store(x, undefined)"),
        (("{source}:add", "--signature", SIGNATURE, "--target", "z80"), "unknown target 'z80'"),
        (
            ("{source}:add", "--signature", SIGNATURE, "--num-warps", "3"),
            "num_warps must be a power of 2 up to 32",
        ),
    ],
)
def test_errors(tilewright, source, arguments, message):
    done = tilewright("explain", *(argument.format(source=source) for argument in arguments))
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
