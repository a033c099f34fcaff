"""Valid exports, and how they are compiled."""

import re
import types

import aot_kernels as kernels
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright import aot
from tilewright.aot import Export, ExportError, Variant, exports_of
from tilewright.aot.library import Architecture


def test_specializations():
    signatures = ("*fp32, *fp32:16, i32, i32:1", "*fp32:16, *fp32:16, i32:16, i32:1")
    made = Export(kernels.strided, "f", signatures, (Variant({"TAG": 5}),))
    assert made.arguments == [("x", "*fp32"), ("out", "*fp32"), ("n", "i32"), ("stride", "i32")]
    found = made.specializations(made.variants[0])
    assert [[entry.hint for entry in entries] for entries in found] == [
        [16, 16, 16, 1, 0],
        [0, 16, 0, 1, 0],
        [0, 0, 0, 0, 0],
    ]
    assert {entries[-1].value for entries in found} == {5}


def test_names_of_c_are_those_of_types():
    made = Export(kernels.strided, "f", ("*u1, *B, u16, B, 1",), (Variant(),))
    assert made.arguments == [("x", "*i1"), ("out", "*i1"), ("n", "u16"), ("stride", "i1")]


def test_export_belongs_to_its_module():
    module = types.ModuleType("exporting")
    exec(
        "from tilewright.aot import Variant, export\n"
        "from aot_kernels import add\n"
        "export(add, '*fp32, *fp32, *fp32, i32', variants=[Variant({'BLOCK': 64})])\n"
        "export(add, ['*fp16, *fp16, *fp16, i32'], name='add_half', grid='cdiv(n, BLOCK)')\n",
        vars(module),
    )
    assert [(made.name, made.grid) for made in exports_of(module)] == [
        ("add", ""),
        ("add_half", "cdiv(n, BLOCK)"),
    ]
    assert exports_of(types.ModuleType("empty")) == []
    with pytest.raises(ExportError, match="two exports are called add; give one another name"):
        exec("export(add, '*fp32, *fp32, *fp32, i32')", vars(module))


def test_variant_as_text():
    variant = Variant.parse("BLOCK=128, num_warps=8 if n > 5", num_stages=2)
    assert (variant.constants, variant.when) == ({"BLOCK": 128}, "n > 5")
    assert variant.options == {"num_warps": 8, "num_stages": 2}
    assert Variant.parse("").constants == {}
    message = "a variant is written NAME=CONSTANT, ... [if CONDITION], got 'BLOCK'"
    with pytest.raises(ExportError, match=re.escape(message)):
        Variant.parse("BLOCK")


@tw.jit
def confused(a, a_shape0):
    tl.store(a_shape0, tl.sum(a.load([0])))


FOUR = "*fp32, *fp32, i32, i32"


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((5, "f", (FOUR,), ()), "an export is a kernel (decorated with @tilewright.jit), got 5"),
        ((kernels.strided, "a b", (FOUR,), ()), "an export is called by a name of C, got 'a b'"),
        (
            (kernels.strided, "f", (FOUR,), (Variant({"TAG": 1}), Variant())),
            "export f: its variants give values to different parameters",
        ),
        (
            (kernels.strided, "f", (FOUR,), (Variant(),)),
            "export f: the signature has no entry for parameter 'TAG'",
        ),
        (
            (kernels.strided, "f", (FOUR + ", 1",), (Variant({"TAG": 1}),)),
            "export f: the signature has 5 entries, the kernel 4 other parameters",
        ),
        (
            (kernels.strided, "f", (FOUR,), (Variant({"TOG": 1}),)),
            "export f: the kernel has no parameter 'TOG'",
        ),
        (
            (kernels.strided, "f", (FOUR, "*fp16, *fp32, i32, i32"), (Variant({"TAG": 1}),)),
            "export f: '*fp16, *fp32, i32, i32' has other types than '*fp32, *fp32, i32, i32'; a function has one "
            "list of types, so export them under two names",
        ),
        (
            (kernels.strided, "f", (FOUR,), (Variant({"TAG": 1}, when="x > 1"),)),
            "export f: 'x > 1': 'x' is not an int that is known here; there is TAG, n, stride",
        ),
        (
            (kernels.strided, "f", (FOUR,), (Variant({"TAG": 1}),), "n / 2"),
            "export f: 'n / 2': 'n / 2' is not",
        ),
        (
            (kernels.strided, "f", (FOUR,), (Variant({"TAG": 1}),), "", True, ("n",)),
            "export f: the size 'n' is called as another parameter",
        ),
        (
            (confused, "f", ("tensordesc<fp32[8]>, *fp32",), (Variant(),)),
            "export f: two arguments are called 'a_shape0', of which one is a part of a descriptor",
        ),
        (
            (kernels.strided, "f", (FOUR,), (Variant({"TAG": 1}),), "", True, ("a b",)),
            "export f: a size is called by a name of C, got 'a b'",
        ),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ExportError, match=re.escape(message)):
        Export(*arguments)


@pytest.mark.parametrize(
    "target, image, capabilities",
    [
        ("sm_80", "cubin", [80, 86, 89]),
        ("sm_86", "cubin", [86, 89]),
        ("sm_80", "ptx", [80, 86, 89, 90, 100, 103, 120]),
        ("sm_90a", "cubin", [90]),
        ("sm_90a", "ptx", [90]),
        ("sm_100f", "ptx", [100, 103]),
    ],
)
def test_which_devices_an_image_runs_on(target, image, capabilities):
    known = (75, 80, 86, 89, 90, 100, 103, 120)
    architecture = Architecture.parse(target)
    assert [it for it in known if architecture.runs_on(it, image)] == capabilities


GOOD = Export(kernels.add, "add", ("*fp32, *fp32, *fp32, i32",), (Variant(),))


@pytest.mark.parametrize(
    "name, exports, targets, message",
    [
        ("my lib", [GOOD], ["cpu"], "a library is called by a name of C, got 'my lib'"),
        ("lib", [], ["cpu"], "nothing to compile: no kernel was exported"),
        ("lib", [GOOD], ["z80"], "unknown target 'z80'; there is cpu, cpu:x86-64-v3, sm_80, sm_90a, ..."),
        (
            "lib",
            [Export(kernels.add, "add", GOOD.signatures, (Variant(targets="cpu"),))],
            ["sm_80", "sm_90a"],
            "export add has no variant for sm_80, sm_90a",
        ),
        (
            "lib",
            [Export(kernels.add, "add", GOOD.signatures, (Variant(launch_cooperative_grid=True),))],
            ["cpu"],
            "export add: launch_cooperative_grid needs a GPU; say which targets that variant is for",
        ),
    ],
)
def test_libraries_that_cannot_be(name, exports, targets, message):
    with pytest.raises(ExportError, match=re.escape(message)):
        aot.compile_library(name, exports, targets)


@pytest.mark.compiled
@pytest.mark.parametrize("debug, checks", [(None, True), (False, False)])
def test_options_of_the_decorator(debug, checks):
    variant = Variant() if debug is None else Variant(debug=debug)
    made = Export(kernels.positive, "positive", ("*fp32",), (variant,))
    (candidate,) = aot.compile_library("lib", [made], ["cpu"]).candidates
    assert (b"tw_host_assert_fail" in candidate.code) == checks


@pytest.mark.compiled
def test_functions_of_one_name(tmp_path):
    library = aot.compile_library("add", [GOOD], ["cpu"])
    library.functions *= 2
    with pytest.raises(ExportError, match="library add would have two functions add_cpu; rename an export"):
        aot.write_library(library, tmp_path)
