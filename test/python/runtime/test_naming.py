"""`repr` and `launch_metadata` of `tw.jit`, and the metadata of compiled kernels."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

pytestmark = pytest.mark.compiled


def scale(out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(out + i, i < n) * 2, i < n)


def facts(grid, metadata, arguments):
    assert metadata.num_warps == 2 and metadata["num_stages"] == 3
    return {"name": f"{metadata.name} {grid}", "bytes": 8 * arguments["n"], "block": arguments["BLOCK"]}


named = tw.jit(scale, repr=lambda s: f"scale<{s.constants['BLOCK']},{s.signature['out']}>")


@pytest.fixture
def out(backend):
    return backend.array(np.ones(100, np.float32))


def test_the_name_of_a_kernel(backend, out):
    compiled = named.warmup(out, 100, BLOCK=64)
    assert compiled.name == "scale_64__fp32_"
    assert named.warmup(out, 100, BLOCK=32).name == "scale_32__fp32_"
    with tw.profile() as profile:
        named[2,](out, 100, BLOCK=64)
    assert [launch["kernel"] for launch in profile.launches] == ["scale_64__fp32_"]
    assert (backend.numpy(out) == 2).all()
    if backend.name == "cuda":
        assert ".entry scale_64__fp32_(" in compiled.asm["ptx"]
    assert tw.jit(scale, repr=lambda _: "2 fast").warmup(out, 100, BLOCK=64).name == "_2_fast"


def test_the_signature_that_names_see(backend):
    """Types in the order of the parameters; parts of tuples and descriptors as one entry."""
    seen = []

    def name(specialization):
        seen.append(specialization)
        return "named"

    @tw.jit(repr=name)
    def kernel(matrix, pair, n, m, SIZE: tl.constexpr, nothing):
        tl.store(pair[0], n + m)

    array = backend.array(np.zeros((32, 64), np.float16))
    kernel.warmup(tw.TensorDescriptor.from_tensor(array, [16, 32]), (array, (4, 1)), 1, 7, 8, None)
    ((constants, signature),) = seen
    assert (constants["n"], constants["SIZE"], constants["nothing"]) == (1, 8, None)
    assert list(signature.items()) == [
        ("matrix", "tensordesc<fp16[16, 32]>"),
        ("pair", ("*fp16", ("i32", "constexpr"))),
        ("n", "constexpr"),
        ("m", "i32"),
        ("SIZE", "constexpr"),
        ("nothing", "constexpr"),
    ]


def test_functions_that_call_a_named_kernel(backend, out):
    @tw.jit
    def outer(out, n):
        named(out, n, 128)

    compiled = outer[1,](out, 100)
    assert compiled.name == "outer"
    assert (backend.numpy(out) == 2).all()


def test_metadata_of_launches(out):
    kernel, seen = tw.jit(scale, launch_metadata=facts), []
    kernel[2,](out, 100, BLOCK=64)  # no hook asks for it
    with tw.launch_hook(seen.append, seen.append), tw.profile() as profile:
        kernel[2,](out, 100, BLOCK=64, num_warps=2)
    expected = {"name": "scale (2, 1, 1)", "bytes": 800, "block": 64}
    assert [launch.metadata for launch in seen] == [expected, expected]
    assert profile.launches[0]["metadata"] == expected
    assert profile.trace()["traceEvents"][0]["args"]["bytes"] == 800
    seen.clear()
    with tw.launch_hook(seen.append):
        kernel.bind((2,), out, 100, BLOCK=64)()
        tw.jit(scale)[2,](out, 100, BLOCK=64)
    assert [launch.metadata for launch in seen] == [{}, {}]


def test_invalid_repr_and_metadata(out):
    with pytest.raises(TypeError, match="repr of a kernel is a function, got 'scale'"):
        tw.jit(scale, repr="scale")
    with pytest.raises(TypeError, match="launch_metadata of a kernel is a function, got 3"):
        tw.jit(scale, launch_metadata=3)
    with pytest.raises(TypeError, match=r"repr of kernel scale\(\) gives a name, got 3"):
        tw.jit(scale, repr=lambda _: 3).warmup(out, 100, BLOCK=64)
    with (
        pytest.raises(TypeError, match=r"launch_metadata of kernel scale\(\) gives a dict, got None"),
        tw.launch_hook(print),
    ):
        tw.jit(scale, launch_metadata=lambda *_: None)[2,](out, 100, BLOCK=64)


def test_caches_of_devices(out):
    kernel = tw.jit(scale)
    assert kernel.device_caches == {}
    compiled = [kernel[2,](out, 100, BLOCK=block) for block in (32, 64, 64)]
    (made,) = kernel.device_caches[0]
    assert len(made) == 2 and set(map(id, made.values())) == set(map(id, compiled))
    assert all(entry.n_regs >= 1 and entry.n_spills == 0 for entry in made.values())
    assert all(entry.metadata.num_warps == 4 for entry in made.values() if "num_warps" in entry.metadata)


def test_decorators_of_triton(out):
    import tilewright.compat

    jit = tilewright.compat.functions.jit
    kernel = jit(repr=lambda _: "other", launch_metadata=facts, noinline=True, version=1)(scale)
    assert kernel.warmup(out, 100, BLOCK=64).name == "other"
    assert kernel.launch_metadata is facts
    assert kernel.repr(None) == "other" and tw.jit(scale).repr(None) == "scale"
