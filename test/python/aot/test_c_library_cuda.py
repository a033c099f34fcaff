"""Libraries in C: the functions that run on a GPU, driven with a test double of the driver."""

import re

import aot_kernels as kernels
import pytest
from tilewright.aot import Export, Variant, compile_library
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel

pytestmark = pytest.mark.compiled

ADD = Export(
    kernels.add,
    "add",
    ("*fp32:16, *fp32:16, *fp32:16, i32",),
    (Variant({"BLOCK": 1024}, "n >= 4096", num_warps=8), Variant({"BLOCK": 128})),
    "cdiv(n, BLOCK)",
)
CALL = "show(made.add_cuda(c_void_p({stream}), c_void_p({x}), c_void_p(32), c_void_p(48), {n}))\n"


def lines(text):
    return text.splitlines()


def test_lazy_load_and_launch(on_fake_gpu):
    calls = [CALL.format(stream=5, x=16, n=n) for n in (1000, 100, 5000)]
    out = on_fake_gpu([ADD], "".join(calls), FAKE_PARAMETERS="3")
    assert lines(out) == [
        "0 ok",
        "load ptx",
        "launch add__6 (8, 1, 1) (128, 1, 1) 0 0x5: 16 32 48",
        "0 ok",
        "launch add__6 (1, 1, 1) (128, 1, 1) 0 0x5: 16 32 48",
        "0 ok",
        "load ptx",
        "launch add__4 (5, 1, 1) (256, 1, 1) 0 0x5: 16 32 48",
    ]


def test_address_that_is_not_aligned(on_fake_gpu):
    out = on_fake_gpu([ADD], CALL.format(stream=0, x=20, n=100))
    assert "launch add__7 " in out


@pytest.mark.parametrize(
    "capability, image, symbol",
    [(80, "ptx", "add__2"), (86, "ptx", "add__2"), (90, "ptx", "add__6"), (100, "ptx", "add__2")],
)
def test_architecture_is_chosen(on_fake_gpu, capability, image, symbol):
    out = on_fake_gpu([ADD], CALL.format(stream=0, x=16, n=100), FAKE_CAPABILITY=str(capability))
    assert lines(out)[1] == f"load {image}"
    assert f"launch {symbol} " in out


def test_no_code_for_the_device(on_fake_gpu):
    out = on_fake_gpu([ADD], CALL.format(stream=0, x=16, n=100), FAKE_CAPABILITY="75")
    assert out == "4 add: no code for compute capability 7.5; it was compiled for sm_90a, sm_80\n"


def test_grid_without_programs_launches_nothing(on_fake_gpu):
    assert on_fake_gpu([ADD], CALL.format(stream=0, x=16, n=0)) == "0 ok\n"


def test_no_driver(on_fake_gpu):
    out = on_fake_gpu([ADD], CALL.format(stream=0, x=16, n=1), TILEWRIGHT_LIBCUDA="/nonexistent.so")
    assert out.startswith("3 no CUDA driver: /nonexistent.so")


@pytest.mark.parametrize(
    "variable, value, message",
    [
        ("FAKE_INIT", "100", "3 cuInit failed with error 100: no CUDA device"),
        ("FAKE_LOAD", "209", "4 add: cuModuleLoadDataEx failed: FAKE_NO_BINARY (209): words of the driver"),
        ("FAKE_LAUNCH", "700", "7 add: cuLaunchKernel failed: FAKE_ERROR (700): words of the driver"),
        ("FAKE_LAUNCH", "2", "5 add: cuLaunchKernel failed: FAKE_ERROR (2): words of the driver"),
        (
            "FAKE_THREADS",
            "64",
            "4 add: it was compiled for 128 threads, but with its registers the device runs at most 64",
        ),
    ],
)
def test_failures_of_the_driver(on_fake_gpu, variable, value, message):
    out = on_fake_gpu([ADD], CALL.format(stream=0, x=16, n=1), **{variable: value})
    assert lines(out)[0] == message
    if variable == "FAKE_LOAD":
        assert lines(out)[1] == "words of its assembler"


def test_load_and_unload(on_fake_gpu):
    call = CALL.format(stream=0, x=16, n=100)
    script = f"show(made.made_load_cuda())\n{call}made.made_unload_cuda()\nshow(0)\n{call}"
    out = lines(on_fake_gpu([ADD], script))
    # Four for sm_90a and the PTX for sm_80, which runs here too.
    assert out[:9] == ["0 ok"] + ["load ptx"] * 8
    assert out[9:12] == ["0 ok", "launch add__6 (1, 1, 1) (128, 1, 1) 0 (nil):", "0 ok"]
    assert out[12:21] == ["unload"] * 8 + ["release 0"]
    assert out[21:] == ["0 ok", "load ptx", "launch add__6 (1, 1, 1) (128, 1, 1) 0 (nil):"]


def test_contexts_have_kernels_of_their_own(on_fake_gpu):
    call = CALL.format(stream=0, x=16, n=100)
    script = f"""
for context in (0x10, 0x20, 0x10):
    fake.fake_set_context(context)
    {call}
fake.fake_renew_contexts()
{call}
"""
    out = on_fake_gpu([ADD], script)
    assert [line.split()[0] for line in lines(out)] == (
        ["0", "load", "launch"] * 2 + ["0", "launch"] + ["0", "load", "launch"]
    )


def test_cooperative_grid(on_fake_gpu):
    variants = (Variant(launch_cooperative_grid=True),)
    together = Export(kernels.add, "add", ADD.signatures, variants, "cdiv(n, BLOCK)")
    out = lines(on_fake_gpu([together], CALL.format(stream=0, x=16, n=100), ("sm_80",)))
    assert out == ["0 ok", "load ptx", "cooperative launch add__0 (2, 1, 1) (128, 1, 1) 0 (nil):"]


@pytest.mark.parametrize(
    "kernel, options, target, launch",
    [
        (kernels.add_dependent, {"launch_pdl": True}, "sm_90a", "[6 = 1] launch"),
        (
            kernels.add_dependent,
            {"launch_pdl": True, "launch_cooperative_grid": True},
            "sm_90a",
            "[6 = 1] [2 = 1] launch",
        ),
        (kernels.add_dependent, {}, "sm_90a", "launch"),
        (kernels.add_dependent, {"launch_pdl": True}, "sm_80", "launch"),
        (kernels.add, {"launch_pdl": True}, "sm_90a", "launch"),  # it never waits
    ],
)
def test_dependent_launch(on_fake_gpu, kernel, options, target, launch):
    dependent = Export(kernel, "add", ADD.signatures, (Variant(**options),), "cdiv(n, BLOCK)")
    out = lines(on_fake_gpu([dependent], CALL.format(stream=0, x=16, n=100), (target,)))
    assert out == ["0 ok", "load ptx", f"{launch} add__0 (2, 1, 1) (128, 1, 1) 0 (nil):"]


# -- launch recipes ---------------------------------------------------------------


SIGNATURE = "*fp32:16, *fp16:16, *fp16:16, i32, i32, i32, i32:16, i32:16, i32:16"
BLOCKS = {"BM": 128, "BN": 128, "BK": 64}
MATMUL = Export(
    kernels.matmul,
    "matmul",
    (SIGNATURE,),
    (Variant(BLOCKS, num_warps=8),),
    "cdiv(M, BM), cdiv(N, BN)",
)
MULTIPLY = """
show(made.matmul_cuda(None, c_void_p({c}), c_void_p({a}), c_void_p(32), {M}, {N}, {K}, {N}, {stride_a}, {N}))
"""


def recipe():
    from tilewright.aot.signature import as_request, read_signature

    types, constants, divisors, _ = as_request(read_signature(SIGNATURE, kernels.matmul.params, BLOCKS))
    compiled = compile_kernel(
        kernels.matmul.fn, types, constants, divisors, "sm_90a", Options(num_warps=8), "ptx"
    )
    return compiled.metadata["launch_recipe"], compiled


def test_tensor_maps_and_persistent_grid(on_fake_gpu):
    numbers, compiled = recipe()
    maps = numbers[2]
    assert maps >= 2  # the subject of this test
    values = {"c": 64, "a": 16, "M": 4096, "N": 8192, "K": 512, "stride_a": 512}
    script = MULTIPLY.format(**values) * 2
    added = 3 if numbers[1] else 0
    out = lines(on_fake_gpu([MATMUL], script, ("sm_90a",), FAKE_PARAMETERS=str(9 + added + maps)))
    assert out[0] == "0 ok"
    made = [line for line in out if line.startswith("map ")]
    assert len(made) == maps  # the second launch finds them
    # Of a: its 512 columns, then its 4096 rows, of float16, 1024 bytes apart, 128 bytes of a row at a time.
    assert re.search(r"^map 6 16 512/64 4096/\d+ \+1024 3 0$", "\n".join(made), re.M), made
    assert re.search(r"^map 6 32 8192/64 512/64 \+16384 3 0$", "\n".join(made), re.M), made
    launches = [line for line in out if line.startswith("launch ")]
    assert len(launches) == 2
    grid = "(264, 1, 1)" if numbers[1] else "(32, 64, 1)"
    threads = compiled.metadata["num_threads"]
    head = f"launch matmul__0 {grid} ({threads}, 1, 1) {compiled.shared} (nil): 64 16 32 "
    for launch in launches:
        assert launch.startswith(head)
        assert launch.split()[-maps:] == [str(i + 1) for i in range(maps)]


@pytest.mark.parametrize("M, programs", ((32768, 120), (300, 4)))
def test_persistent_clusters(on_fake_gpu, M, programs):
    """As many clusters as run at once, or as programs need; partial clusters are rounded up."""
    pairs = Variant(BLOCKS, num_warps=8, num_ctas=2)
    export = Export(kernels.matmul, "matmul", (SIGNATURE,), (pairs,), MATMUL.grid)
    script = MULTIPLY.format(c=64, a=16, M=M, N=128, K=512, stride_a=512)
    out = lines(on_fake_gpu([export], script, ("sm_90a",)))
    assert out[0] == "0 ok"
    assert next(line for line in out if line.startswith("launch ")).startswith(
        f"launch matmul__0 ({programs}, 1, 1)"
    )


def test_array_that_no_tensor_map_describes(on_fake_gpu):
    # Aligned, as the signature requires, but with a negative row stride: the next version takes it.
    script = MULTIPLY.format(c=64, a=16, M=256, N=256, K=64, stride_a=-512)
    out = lines(on_fake_gpu([MATMUL], script, ("sm_90a",)))
    assert out[0] == "0 ok"
    assert next(line for line in out if line.startswith("launch ")).startswith("launch matmul__1 ")


def test_no_version_without_tensor_maps(on_fake_gpu):
    only = Export(kernels.matmul, "matmul", (SIGNATURE,), MATMUL.variants, MATMUL.grid, fallback=False)
    script = MULTIPLY.format(c=64, a=16, M=256, N=256, K=64, stride_a=-512)
    out = lines(on_fake_gpu([only], script, ("sm_90a",)))
    assert out[0] == (
        "1 matmul: the tensor memory accelerator cannot copy from an array of these addresses, sizes and strides"
    )
    assert "launch" not in "\n".join(out)


def test_array_without_elements(on_fake_gpu):
    script = MULTIPLY.format(c=64, a=16, M=256, N=256, K=0, stride_a=512)
    out = lines(on_fake_gpu([MATMUL], script, ("sm_90a",)))
    assert out[0] == "0 ok"
    assert "alloc 256" in out
    assert re.search(r"^map 6 28672 1/64 1/\d+ \+256 3 0$", "\n".join(out), re.M)  # 0x7000


DESCRIBED = Export(
    kernels.matmul_of_descriptors,
    "matmul",
    ("tensordesc<fp16[BM, BN]>:16, tensordesc<fp16[BM, BK]>:16, tensordesc<fp16[BN, BK]>:16, i32",),
    (Variant(BLOCKS, num_warps=8, num_ctas=2),),
    "cdiv(c_shape0, BM), cdiv(c_shape1, BN)",
)
MULTIPLY_DESCRIBED = """
def matrix(address, rows, columns, stride):
    return c_void_p(address), rows, columns, c_int64(stride)
c, a, b = matrix(64, 512, {columns}, 256), matrix(16, 512, 192, {stride}), matrix(32, 256, 192, 192)
show(made.matmul_cuda(None, *c, *a, *b, 192))
"""


def test_descriptors_of_the_host(on_fake_gpu):
    """One map per descriptor, in clusters whose programs share loads."""
    out = lines(
        on_fake_gpu(
            [DESCRIBED], MULTIPLY_DESCRIBED.format(stride=256, columns=256), ("sm_90a",), FAKE_PARAMETERS="19"
        )
    )
    assert out[:2] == ["0 ok", "load ptx"]
    # Sizes and extents of boxes, innermost first; bytes between rows.
    made = [line for line in out if line.startswith("map ")]
    assert re.fullmatch(r"map 6 64 256/64 512/\d+ \+512 3 0", made[0])
    assert re.fullmatch(r"map 6 16 192/64 512/\d+ \+512 3 0", made[1])
    assert re.fullmatch(r"map 6 32 192/64 256/\d+ \+384 3 0", made[2])
    (launch,) = [line.split() for line in out if line.startswith("launch ")]
    assert launch[:5] == ["launch", "matmul__0", "(8,", "1,", "1)"]
    # The kernel's own parameters, then the requested grid, then the maps.
    described = ["64", "512", "256", "256", "16", "512", "192", "256", "32", "256", "192", "192", "192"]
    assert [str(int(word) % 2**32) for word in launch[-19:-3]] == [*described, "4", "2", "1"]
    assert launch[-3:] == ["1", "2", "3"]


@pytest.mark.parametrize("sizes", [{"stride": 200, "columns": 256}, {"stride": 256, "columns": 250}], ids=str)
def test_descriptors_that_are_not_as_assumed(on_fake_gpu, sizes):
    out = lines(on_fake_gpu([DESCRIBED], MULTIPLY_DESCRIBED.format(**sizes), ("sm_90a",)))
    assert out[0] == "0 ok"
    assert next(line for line in out if line.startswith("launch ")).startswith("launch matmul__1 (4, 2, 1)")
    assert not [line for line in out if line.startswith("map ")]


def test_maps_that_the_device_makes(on_fake_gpu):
    """The host does nothing for them: their memory is part of the module."""
    groups = Export(
        kernels.grouped_matmul,
        "groups",
        ("*i64:16, *i64:16, *i64:16, *i32:16",),
        (Variant({**BLOCKS, "M": 512, "N": 256}, num_warps=8),),
        "n, cdiv(M, BM), cdiv(N, BN)",
        sizes=("n",),
    )
    call = "show(made.groups_cuda(c_void_p(5), c_void_p(64), c_void_p(16), c_void_p(32), c_void_p(48), c_int64(3)))\n"
    library = compile_library("made", [groups], ["sm_90a"], ("ptx",))
    assert all(b"tensormap.replace" in candidate.code for candidate in library.candidates)
    out = lines(on_fake_gpu([groups], call, ("sm_90a",), FAKE_PARAMETERS="4"))
    assert out[:2] == ["0 ok", "load ptx"]
    assert re.fullmatch(r"launch groups__0 \(3, 4, 2\) \(\d+, 1, 1\) \d+ 0x5: 64 16 32 48", out[-1])
    assert not [line for line in out if line.startswith(("map ", "alloc "))]


@pytest.mark.parametrize("failure", ["FAKE_LOAD", "FAKE_LAUNCH"])
@pytest.mark.parametrize("export, script", [(DESCRIBED, MULTIPLY_DESCRIBED.format(stride=192, columns=256))])
def test_failures_with_descriptors_are_returned(on_fake_gpu, export, script, failure):
    out = lines(on_fake_gpu([export], script, ("sm_90a",), **{failure: "700"}))
    assert re.match(r"[47] matmul: cu\w+ failed: FAKE_ERROR \(700\): words of the driver", out[0])


def test_programs_with_ticket_counters(on_fake_gpu):
    """Each stream has its own ticket counter."""
    tickets = Export(kernels.tickets, "tickets", ("*i32, *i32",), (Variant(),), "100")
    call = "show(made.tickets_cuda(c_void_p({}), c_void_p(16), c_void_p(32)))\n"
    script = "".join(call.format(stream) for stream in (0, 5, 7, 5))
    out = lines(on_fake_gpu([tickets], script, ("sm_90a",), FAKE_PARAMETERS="3"))
    launches = [line.split() for line in out if line.startswith("launch ")]
    # The double shows 64 bits of each parameter, and this one has 32.
    assert [int(words[-1]) % 2**32 for words in launches] == [0, 1, 2, 1]
    assert all(words[-3:-1] == ["16", "32"] for words in launches)


def test_too_much_shared_memory(on_fake_gpu):
    script = MULTIPLY.format(c=64, a=16, M=256, N=256, K=64, stride_a=64)
    out = on_fake_gpu([MATMUL], script, ("sm_90a",), FAKE_SHARED="49152")
    assert re.match(r"4 matmul: it needs \d+ bytes of shared memory, but the device has at most 49152", out)


def test_cubins(on_fake_gpu):
    from tilewright import _tilewright
    from tilewright.runtime.assemblers import assembler_paths

    if not _tilewright.assemblers(assembler_paths()):
        pytest.skip("no assembler of PTX on this machine")
    call = CALL.format(stream=0, x=16, n=100)
    for capability, image in ((90, "cubin"), (86, "cubin"), (120, "ptx")):
        out = on_fake_gpu([ADD], call, images=("cubin", "ptx"), FAKE_CAPABILITY=str(capability))
        assert lines(out)[1] == f"load {image}"
