"""Libraries in Python."""

import json
import re
import shutil
import zipfile

import aot_kernels as kernels
import numpy as np
import pytest
import tilewright as tw
from tilewright import _tilewright, aot
from tilewright.aot import Export, Variant

pytestmark = pytest.mark.compiled


@pytest.fixture
def library(tmp_path, backend):
    """`library(kernel, *signatures, ...)`: a library of one function for the back end under test, loaded."""

    def make(kernel, *signatures, variants=(), grid="", targets=None, **options):
        export = Export(kernel, kernel.__name__, signatures, tuple(variants) or (Variant(),), grid, **options)
        targets = targets or {"cpu": ["cpu"], "cuda": ["sm_80", "sm_90a"]}[backend.name]
        made = aot.compile_library("made", [export], targets, ("ptx",))
        aot.write_library(made, tmp_path)
        return tw.load(tmp_path / "made.twlib")

    return make


ADD = ("*fp32:16, *fp32:16, *fp32:16, i32",)


@pytest.mark.parametrize("offset", [0, 1])
def test_add(library, backend, rng, offset):
    made = library(kernels.add, *ADD, grid="cdiv(n, BLOCK)")
    x, y = (rng.standard_normal(1001 + offset, dtype=np.float32) for _ in range(2))
    out = backend.poisoned(1001 + offset, "float32")
    made.add(backend.array(x)[offset:], backend.array(y)[offset:], out[offset:], 1001)
    np.testing.assert_array_equal(backend.numpy(out)[offset:], (x + y)[offset:])


def test_variants_and_ones(library, backend):
    variants = [
        Variant({"TAG": 1000}, when="n >= 64 and n % 2 == 0"),
        Variant({"TAG": 2000}, when="stride == 1 or n < 8"),
        Variant({"TAG": 3000}),
    ]
    signatures = ("*fp32:16, *fp32:16, i32:16, i32:1", "*fp32, *fp32, i32, i32:1")
    made = library(kernels.strided, *signatures, variants=variants, grid="cdiv(n, 32)")
    x = np.arange(256, dtype=np.float32)
    for _ in range(2):  # the second call finds everything cached
        for n, stride, tag in ((64, 1, 1000), (64, 2, 1000), (33, 1, 2000), (7, 3, 2000), (33, 2, 3000)):
            out = backend.poisoned(n, "float32")
            made.strided(x=backend.array(x), out=out, stride=stride, n=n)
            np.testing.assert_array_equal(backend.numpy(out), x[: n * stride : stride] + tag)


def test_grid_of_the_caller_and_sizes(library, backend):
    made = library(kernels.linear_index, "*i32")
    out = backend.array(np.full(24, -1, np.int32))
    made.linear_index[4, 3, 2](out)
    np.testing.assert_array_equal(backend.numpy(out), np.arange(24))
    made = library(kernels.linear_index, "*i32", grid="rows, columns", sizes=("rows", "columns"))
    out = backend.array(np.full(12, -1, np.int32))
    made.linear_index(out, 3, 4)
    np.testing.assert_array_equal(backend.numpy(out), np.arange(12))


def test_scalars_of_every_type(library, backend):
    made = library(kernels.scalars, "*fp64, bf16, i8, u16, fp16, u64, fp32, fp64", grid="1")
    out = backend.array(np.zeros(7))
    made.scalars(out, -2.5, -5, 65535, 0.1, 2**63, 1, np.float64(1e300))
    wanted = [-2.5, -5, 65535, float(np.float16(0.1)), 2.0**63, 1, 1e300]
    np.testing.assert_array_equal(backend.numpy(out), wanted)
    with pytest.raises(OverflowError, match=re.escape("argument 'b' of scalars(): 128 does not fit i8")):
        made.scalars(out, 0, 128, 0, 0, 0, 0, 0)
    with pytest.raises(OverflowError, match=re.escape("argument 'c' of scalars(): -1 does not fit u16")):
        made.scalars(out, 0, 0, -1, 0, 0, 0, 0)
    with pytest.raises(
        OverflowError, match=re.escape("argument 'd' of scalars(): 1000000.0 does not fit fp16")
    ):
        made.scalars(out, 0, 0, 0, 1e6, 0, 0, 0)


def test_matmul(library, backend, rng):
    blocks = {"BM": 64, "BN": 64, "BK": 32}
    signature = "*fp32:16, *fp16:16, *fp16:16, i32, i32, i32, i32:16, i32:16, i32:16"
    made = library(kernels.matmul, signature, variants=[Variant(blocks)], grid="cdiv(M, BM), cdiv(N, BN)")
    a, b = rng.standard_normal((96, 80)), rng.standard_normal((80, 128))
    c = backend.poisoned((96, 128), "float32")
    x, y = backend.array(a, "float16"), backend.array(b, "float16")
    made.matmul(c, x, y, 96, 128, 80, 128, 80, 128)
    backend.check(c, np.float64(a.astype(np.float16)) @ np.float64(b.astype(np.float16)), "float32", 10)


BLOCKS = {"BM": 64, "BN": 64, "BK": 32}


@pytest.fixture
def described(library, backend, rng):
    """A matmul of described matrices from a library, its three descriptors and the expected result."""
    signature = "tensordesc<fp16[BM, BN]>:16, tensordesc<fp16[BM, BK]>:16, tensordesc<fp16[BN, BK]>:16, i32"
    grid = "cdiv(c_shape0, BM), cdiv(c_shape1, BN)"
    made = library(kernels.matmul_of_descriptors, signature, variants=[Variant(BLOCKS)], grid=grid)
    a, b = rng.standard_normal((96, 80)), rng.standard_normal((128, 80))
    c = backend.poisoned((96, 128), "float16")
    arrays = c, backend.array(a, "float16"), backend.array(b, "float16")
    blocks = ([64, 64], [64, 32], [64, 32])
    describe = tw.TensorDescriptor.from_tensor
    descriptors = [describe(array, block) for array, block in zip(arrays, blocks)]
    return (
        made.matmul_of_descriptors,
        descriptors,
        a.astype(np.float16) @ b.astype(np.float16).T.astype(float),
    )


def test_descriptors(described, backend):
    matmul, (c, a, b), wanted = described
    matmul(c, a, b, 80)
    backend.check(c.base, wanted, "float16", 10)
    c.base[...] = 0
    matmul(c, K=80, b=b, a=a)
    backend.check(c.base, wanted, "float16", 10)


def test_parts_of_descriptors(described, backend):
    matmul, (c, a, b), wanted = described
    assert [name for name, _ in matmul.arguments][:5] == ["c", "c_shape0", "c_shape1", "c_stride0", "a"]
    matmul(c.base, 96, 128, 128, a.base, 96, 80, 80, b, K=80)
    backend.check(c.base, wanted, "float16", 10)


def test_descriptors_that_do_not_fit(described, library, backend):
    matmul, (c, a, b), _ = described
    message = (
        "argument 'a' of matmul_of_descriptors() describes blocks of [64, 64], but it was compiled for "
        "blocks of [64, 32]"
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        matmul(c, tw.TensorDescriptor.from_tensor(a.base, [64, 64]), b, 80)
    with pytest.raises(ValueError, match="has padding 'nan', but it was compiled for padding 'zero'"):
        matmul(c, a, tw.TensorDescriptor.from_tensor(b.base, [64, 32], "nan"), 80)
    message = (
        "argument 'c_shape0' of matmul_of_descriptors() was not compiled for a tensor descriptor of 2 axes"
    )
    with pytest.raises(TypeError, match=re.escape(message)):
        matmul(c.base, a, b, 80)
    with pytest.raises(TypeError, match=r"matmul_of_descriptors\(\): too many positional arguments"):
        matmul(c, a, b, 80, a)
    with pytest.raises(TypeError, match=r"argument 'c' .* a tensor descriptor of 1 axes"):
        matmul(tw.TensorDescriptor(c.base, [96], [1], [64]), a, b, 80)
    x = backend.array(np.zeros((4, 16), np.float32))
    add = library(kernels.add, "*fp32, *fp32, *fp32, i32", grid="1").add
    with pytest.raises(
        TypeError, match=r"argument 'x' of add\(\) was not compiled for a tensor descriptor of 2 axes"
    ):
        add(x=tw.TensorDescriptor.from_tensor(x, [4, 16]), y=x, out=x, n=1)


def test_arrays_at_addresses_in_memory(library, backend, rng):
    """On Hopper the device makes their tensor maps."""
    constants = BLOCKS | {"M": 128, "N": 64}
    made = library(
        kernels.grouped_matmul,
        "*i64:16, *i64:16, *i64:16, *i32:16",
        variants=[Variant(constants)],
        grid="n, cdiv(M, BM), cdiv(N, BN)",
        sizes=("n",),
    )
    depths = (64, 96)
    a = [backend.array(rng.standard_normal((128, k)), "float16") for k in depths]
    b = [backend.array(rng.standard_normal((64, k)), "float16") for k in depths]
    c = [backend.poisoned((128, 64), "float16") for _ in depths]

    def addresses(arrays):
        found = [x.data_ptr() if hasattr(x, "data_ptr") else x.ctypes.data for x in arrays]
        return backend.array(np.array(found, np.int64))

    made.grouped_matmul(
        addresses(c), addresses(a), addresses(b), backend.array(np.array(depths, np.int32)), 2
    )
    for x, y, z in zip(a, b, c):
        backend.check(z, backend.numpy(x).astype(float) @ backend.numpy(y).astype(float).T, "float16", 10)


def test_properties_of_a_library(library):
    made = library(kernels.add, *ADD, grid="cdiv(n, BLOCK)", targets=["cpu", "sm_80"])
    assert repr(made) == "<tilewright library made: add>"
    assert list(made.functions) == ["add"]
    assert "add" in dir(made)
    assert sorted(made.add.targets) == ["cpu", "sm_80"]
    assert repr(made.add).startswith("<tilewright function add(x: *fp32, y: *fp32, out: *fp32, n: i32) for ")
    with pytest.raises(AttributeError, match="library made has no function 'sub', it has add"):
        made.sub  # noqa: B018


def test_multiples_of_8(library, backend):
    made = library(kernels.strided, "*fp32, *fp32, i32:8, i32, 7", grid="cdiv(n, 32)", fallback=False)
    numbers = np.arange(64, dtype=np.float32)
    x, out = backend.array(numbers), backend.array(np.zeros(48, np.float32))
    for n in (24, 48):
        made.strided(x, out, n, 1)
        np.testing.assert_array_equal(backend.numpy(out)[:n], numbers[:n] + 7)
    with pytest.raises(ValueError, match="argument 'n' is not a multiple of 8, as it was compiled for"):
        made.strided(x, out, 20, 1)


def test_wrong_calls(library, backend):
    made = library(kernels.strided, *("*fp32:16, *fp32, i32, i32:1, 0",), grid="cdiv(n, 32)", fallback=False)
    x, half = backend.array(np.zeros(64, np.float32)), backend.array(np.zeros(64, np.float16))
    wrong = [
        ((x, x, 1), TypeError, "strided(): missing a required argument: 'stride'"),
        ((x, half, 1, 1), TypeError, "argument 'out' of strided() is an array of fp16, not an array of fp32"),
        ((x, None, 1, 1), TypeError, "argument 'out' of strided() is None, not an array of fp32"),
        ((x, x, 1.5, 1), TypeError, "argument 'n' of strided() is 1.5, not a value of type i32"),
        ((x, x, 2**31, 1), OverflowError, "argument 'n' of strided(): 2147483648 does not fit i32"),
        (
            (x[1:], x, 1, 1),
            ValueError,
            "strided(): argument 'x' is not a multiple of 16, as it was compiled for",
        ),
        ((x, x, 1, 2), ValueError, "strided(): argument 'stride' is not 1, as it was compiled for"),
    ]
    for arguments, error, message in wrong:
        with pytest.raises(error, match=re.escape(message)):
            made.strided(*arguments)
    with pytest.raises(TypeError, match=re.escape("strided() computes its grid: call it as strided(...)")):
        made.strided[1]
    with pytest.raises(
        TypeError, match=re.escape("linear_index() is launched over a grid: linear_index[grid](...)")
    ):
        library(kernels.linear_index, "*i32").linear_index(x)


def test_expressions_without_value(library, backend):
    x = backend.array(np.zeros(64, np.float32))
    variants = [Variant({"TAG": 0}, when="1000 // stride > 0")]
    made = library(kernels.strided, "*fp32, *fp32, i32, i32", variants=variants, grid="n // (stride - 1)")
    with pytest.raises(ValueError, match=re.escape("strided(): '1000 // stride > 0' has no value")):
        made.strided(x, x, 1, 0)
    with pytest.raises(ValueError, match=re.escape("strided(): its grid: 'n // (stride - 1)' has no value")):
        made.strided(x, x, 1, 1)
    with pytest.raises(ValueError, match=re.escape("strided(): the conditions of all variants are false")):
        made.strided(x, x, 1, 2000)


def test_array_that_may_not_be_written(library, backend):
    if backend.name == "cuda":
        pytest.skip("arrays of torch are never read-only")
    made = library(kernels.add, *ADD, grid="1")
    x = np.zeros(64, np.float32)
    x.flags.writeable = False
    with pytest.raises(ValueError, match=re.escape("argument 'out' of kernel add(): the array is read-only")):
        made.add(x, x, x, 64)


def test_processor_without_the_features(library, monkeypatch):
    made = library(kernels.add, *ADD, grid="1", targets=["cpu:x86-64-v3"])
    x = np.zeros(64, np.float32)
    monkeypatch.setattr(_tilewright, "host_target", lambda: "x86_64-unknown-linux-gnu;old;+sse3,+ssse3")
    message = r"add\(\) has no code for this processor, which lacks fma, sse4.1, .*; it was compiled for cpu:x86-64-v3"
    with pytest.raises(tw.LibraryError, match=message):
        made.add(x, x, x, 64)


def test_another_kind_of_processor(library, monkeypatch):
    made = library(kernels.add, *ADD, grid="1", targets=["cpu"])
    features = _tilewright.host_target().split(";")[2]
    monkeypatch.setattr(_tilewright, "host_target", lambda: f"z80-unknown-linux-gnu;z80;{features}")
    with pytest.raises(tw.LibraryError, match=r"add\(\) has no code for this processor, which lacks \w+-"):
        made.add(*[np.zeros(64, np.float32)] * 3, 64)


def test_no_code_for_the_cpu(library):
    made = library(kernels.add, *ADD, grid="1", targets=["sm_80", "sm_90a"])
    with pytest.raises(
        tw.LibraryError, match=re.escape("add() has no code for the CPU; it was compiled for sm_90a, sm_80")
    ):
        made.add(*[np.zeros(64, np.float32)] * 3, 64)


@pytest.mark.cuda
def test_no_code_for_the_gpu(library, backend):
    made = library(kernels.add, *ADD, grid="1", targets=["cpu"])
    with pytest.raises(tw.LibraryError, match=r"add\(\) has no code for CUDA device 0 of compute capability"):
        made.add(*[backend.array(np.zeros(64, np.float32))] * 3, 64)


# -- files ------------------------------------------------------------------


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The file of a library."""
    directory = tmp_path_factory.mktemp("package")
    export = Export(kernels.add, "add", ADD, (Variant(),), "cdiv(n, BLOCK)")
    aot.write_library(aot.compile_library("made", [export], ["cpu"]), directory)
    return directory / "made.twlib"


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        tw.load(tmp_path / "made.twlib")


@pytest.mark.parametrize("keep", [0, 10, 0.5, 0.99])
def test_cut_file(package, tmp_path, keep):
    data = package.read_bytes()
    path = tmp_path / "cut.twlib"
    path.write_bytes(data[: keep if keep > 1 else int(keep * len(data))])
    with pytest.raises(tw.LibraryError, match=r"cut\.twlib is no library or damaged: .*; make it again"):
        tw.load(path)


def test_damaged_bytes(package, tmp_path):
    """A library with one changed byte is either refused or unaffected."""
    data, path, refused = package.read_bytes(), tmp_path / "damaged.twlib", 0
    sound = tw.load(package).add._candidates
    for at in range(0, len(data), 37):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0x5A]) + data[at + 1 :])
        try:
            found = tw.load(path).add._candidates
        except tw.LibraryError:
            refused += 1
        else:
            assert [vars(it) | {"when": 0, "grid": 0} for it in found] == [
                vars(it) | {"when": 0, "grid": 0} for it in sound
            ]
    assert refused > len(data) // 37 // 2


def _with_manifest(package, path, change):
    shutil.copy(package, path)
    with zipfile.ZipFile(package) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "manifest.json":
                manifest = json.loads(data)
                change(manifest)
                data = json.dumps(manifest)
            new.writestr(name, data)
    return path


def test_another_format(package, tmp_path):
    path = _with_manifest(package, tmp_path / "new.twlib", lambda manifest: manifest.update(format=99))
    message = r"new\.twlib was made by tilewright .* in format 99; this version reads format 1: make it again"
    with pytest.raises(tw.LibraryError, match=message):
        tw.load(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest.pop("functions"),
        lambda manifest: manifest.update(functions=5),
        lambda manifest: manifest["functions"][0]["candidates"][0].update(hints=[]),
        lambda manifest: manifest["functions"][0]["candidates"][0].update(grid=["m"]),
        lambda manifest: manifest["functions"][0]["candidates"][0].update(file="missing"),
    ],
)
def test_manifest_that_makes_no_sense(package, tmp_path, change):
    path = _with_manifest(package, tmp_path / "wrong.twlib", change)
    with pytest.raises(tw.LibraryError, match=r"wrong\.twlib is no library or damaged"):
        tw.load(path)
