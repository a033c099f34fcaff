"""`tilewright explain`."""

import json

import pytest

pytestmark = pytest.mark.compiled
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


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("{source}:add",), "has no function main() to call the kernel; give a signature or a call"),
        (("{source}:add", "--call", "not_a_kernel"), "not_a_kernel() does not call add()"),
        (("{source}:add", "--call", "missing.py:run"), "tilewright explain: no file missing.py"),
        (("{source}:sub", "--signature", SIGNATURE), "sub is not there; it has add, wrong"),
        (("{source}:add", "--signature", "*fp32"), "the signature has no entry for parameter 'y'"),
        (("{source}:wrong", "--signature", "*fp32"), "tl.store(x, undefined)"),
        (("{source}:add", "--signature", SIGNATURE, "--target", "z80"), "unknown target 'z80'"),
        (("{source}:add", "--signature", SIGNATURE, "--num-warps", "3"), "num_warps is 1, 2, 4, 8, 16 or 32"),
    ],
)
def test_errors(tilewright, source, arguments, message):
    done = tilewright("explain", *(argument.format(source=source) for argument in arguments))
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
