"""Assigns each public name to a page of the reference."""

from dataclasses import dataclass

import tilewright as tw
import tilewright.language as tl
import tilewright.language.warp as warp
import tilewright.testing

_ATOMICS = [
    f"atomic_{op}" for op in ("add", "max", "min", "and", "or", "xor", "xchg", "cas", "load", "store", "poll")
]


@dataclass(frozen=True)
class Page:
    """A page: its file, title, introduction, and the sections as (title, prefix of the names, module, names)."""

    file: str
    title: str
    text: str
    sections: tuple


def _tl(title, names):
    return title, "tl", tl, tuple(names.split() if isinstance(names, str) else names)


def _tw(title, names):
    return title, "tw", tw, tuple(names.split())


PAGES = (
    Page(
        "types.md",
        "Types, constants and casts",
        "The values of a kernel: blocks and scalars (`tl.tensor`) of an element type, pointers, constants, and "
        "aggregates of these. `tl.tuple` and `tl.slice` are Python's own.",
        (
            _tl("Values", "tensor tensor_descriptor aggregate aggregate_replace"),
            _tl("Types", "dtype pointer_type block_type const"),
            _tl("Constants", "constexpr constexpr_function constexpr_type tuple_type"),
            _tl("Casts", "cast to_tensor"),
        ),
    ),
    Page(
        "blocks.md",
        "Programs and blocks",
        "A kernel runs once for each program of a grid; blocks are made of constants and of program ids.",
        (
            _tl("The grid", "program_id num_programs swizzle2d"),
            _tl("Making blocks", "arange full zeros zeros_like"),
        ),
    ),
    Page(
        "shape.md",
        "Shapes",
        "Functions that change the shape of blocks, combine and split them. The order of elements is row-major: the last "
        "axis is the fastest. Dimensions may have any size; powers of two cost least.",
        (
            _tl(
                "Other shapes",
                "reshape view ravel permute trans expand_dims unsqueeze squeeze broadcast broadcast_to flip",
            ),
            _tl("Several blocks", "join split interleave cat"),
        ),
    ),
    Page(
        "memory.md",
        "Memory",
        "Blocks are read and written through blocks of pointers with masks, block pointers, or tensor descriptors.",
        (
            _tl("Pointers", "load store"),
            _tl("Atomics", _ATOMICS),
            _tl(
                "Arrays by blocks",
                "make_block_ptr advance make_tensor_descriptor load_tensor_descriptor store_tensor_descriptor",
            ),
        ),
    ),
    Page(
        "math.md",
        "Mathematics",
        "Elementwise functions. Those that Triton has in `tl.math` are there too. "
        "[libdevice](libdevice.md) has many more.",
        (
            _tl("Functions", "exp exp2 log log2 sqrt sqrt_rn rsqrt sin cos tanh erf sigmoid softmax"),
            _tl("Arithmetic", "abs floor ceil fma fdiv div_rn umulhi cdiv next_power_of_2 add sub mul"),
            _tl("Choice and bounds", "where maximum minimum clamp PropagateNan"),
        ),
    ),
    Page(
        "reductions.md",
        "Reductions, scans, sorting",
        "Functions that combine the elements along an axis, or choose elements by index.",
        (
            _tl("Reductions", "sum max min argmax argmin xor_sum reduce_or reduce"),
            _tl("Scans", "cumsum cumprod associative_scan"),
            _tl("Sorting", "sort topk bitonic_merge"),
            _tl("By index", "gather scatter histogram"),
            _tl("A function of each element", "map_elementwise"),
        ),
    ),
    Page(
        "matrices.md",
        "Dots",
        "Matrix multiplication of blocks, by tensor cores if the GPU has them for the type. See "
        "[numerics](../numerics.md).",
        (_tl("Dots", "dot dot_scaled"),),
    ),
    Page(
        "random.md",
        "Random numbers",
        "Numbers that depend on a seed and an offset alone: the same bits on every back end, and as Triton's.",
        (
            _tl("Numbers", "rand randn randint rand4x randn4x randint4x"),
            _tl("Their parts", "philox philox_impl uint_to_uniform_float pair_uniform_to_normal"),
        ),
    ),
    Page(
        "control.md",
        "Loops, checks and promises",
        "Python's `for`, `while`, `if`, `break`, `continue`, `return` and `assert` work as "
        "[the language](../language.md) describes; these functions add options.",
        (
            _tl("Loops", "range static_range condition"),
            _tl("Checks and prints", "static_assert static_print device_assert device_print debug_barrier"),
            _tl("Promises", "assume expect_zero multiple_of max_contiguous max_constancy"),
        ),
    ),
    Page(
        "warp.md",
        "The warp level",
        "`import tilewright.language.warp as warp`: roles, rings and waits stated by the kernel, on Hopper GPUs and in "
        "the interpreter; [the warp level](../warp-language.md) explains the model.",
        (
            ("Roles", "warp", warp, ("specialize", "role")),
            ("Rings", "warp", warp, ("ring", "ring_buffer", "slot")),
            ("Blocks in shared memory", "warp", warp, ("shared", "shared_tile")),
            ("Dots", "warp", warp, ("wgmma", "wgmma_wait")),
            ("Barriers", "warp", warp, ("barrier", "named_barrier", "role_barrier")),
            ("Clusters", "warp", warp, ("cluster_rank", "cluster_barrier")),
        ),
    ),
    Page(
        "targets.md",
        "GPUs and targets",
        "Functions that depend on the device that a kernel is compiled for.",
        (
            (
                "The target",
                "tl.target_info",
                tl.target_info,
                (
                    "current_target",
                    "is_cuda",
                    "cuda_capability_geq",
                    "is_hip",
                    "is_hip_cdna3",
                    "is_hip_cdna4",
                    "is_hip_gfx1250",
                ),
            ),
            (
                "NVIDIA GPUs",
                "tl.extra.cuda",
                tl.extra.cuda,
                tuple(name for name in tl.extra.cuda.__all__ if name != "libdevice"),
            ),
            _tl("Code from elsewhere", "inline_asm_elementwise"),
            ("Functions of libraries", "tl.extra", tl.extra, ("extern_elementwise",)),
        ),
    ),
    Page(
        "libdevice.md",
        "libdevice",
        "`from tilewright.language.extra import libdevice`: CUDA's functions on every back end. "
        "[libdevice](../libdevice.md) explains how they are computed.",
        (("Functions", "libdevice", tl.extra.libdevice, tuple(tl.extra.libdevice.__all__)),),
    ),
    Page(
        "launching.md",
        "Kernels and launches",
        "Compiling, launching and tuning kernels: see [launching](../launching.md) and [autotuning](../autotuning.md).",
        (
            _tw("Kernels", "jit JITFunction interpret load TensorDescriptor cdiv next_power_of_2"),
            _tw("Choosing configurations", "autotune Config Space heuristics"),
            _tw("Watching launches", "launch_hook compile_hook profile"),
            _tw(
                "Errors",
                "CompilationError KernelAssertError TilewrightError OutOfResources OutOfMemory DriverError CacheError "
                "LibraryError AutotunerError",
            ),
        ),
    ),
    Page(
        "arrays.md",
        "Arrays, streams and devices",
        "For programs without an array library: see [arrays](../arrays.md). Every function that takes arrays also takes "
        "those of NumPy, torch, CuPy and JAX.",
        (
            _tw("Arrays", "Array empty zeros from_numpy from_dlpack to_numpy pinned"),
            _tw("Streams", "Stream current_stream Event Graph"),
            _tw("Devices", "device_info memory_info trim_memory"),
        ),
    ),
    Page(
        "testing.md",
        "Testing and measuring",
        "`tilewright.testing`, for tests and benchmarks of kernels.",
        (
            (
                "Functions",
                "tilewright.testing",
                tilewright.testing,
                tuple(name for name in tilewright.testing.__all__ if name not in ("TOLERANCE", "Mark")),
            ),
        ),
    ),
)

#: Names without an entry: modules, element types (a table lists them), and language errors (users see
#: `tw.CompilationError`).
WITHOUT_ENTRY = {
    "tl": {
        *(
            "math",
            "extra",
            "target_info",
            "tuple",
            "slice",
            "TRITON_MAX_TENSOR_NUMEL",
            "pi32_t",
            "str_to_ty",
            "void",
        ),
        *("LanguageError", "LanguageTypeError", "LanguageValueError"),
        *(name for name in tl.__all__ if isinstance(getattr(tl, name), tl.dtype)),
    },
    "warp": set(),
    "tw": {"knobs", "aot", "compat", "cuda", "kernels", "testing", "tuning", "__version__"},
}

#: Examples that need a GPU.
ON_GPU = {
    *("Stream", "current_stream", "Event", "Graph", "memory_info", "trim_memory", "do_bench_cudagraph"),
    *("globaltimer", "smid"),
}

#: Grid sizes of examples that need several programs.
GRIDS = {"cluster_barrier": 2, "shared_tile": 2}

#: Examples that need a compiled kernel.
COMPILED = {"compile_hook", "launch_hook", "profile", "load"}


def public_names():
    """The public names, by prefix."""
    return {"tl": set(tl.__all__), "warp": set(warp.__all__), "tw": {*tw.__all__, *tw._ON_DEMAND, *tw._FROM}}


def entries():
    """Every entry as (page, prefix, name, object)."""
    for page in PAGES:
        for _, prefix, module, names in page.sections:
            for name in names:
                yield page, prefix, name, getattr(module, name)


def needs_example(found):
    """Whether a name needs an example."""
    is_error = isinstance(found, type) and issubclass(found, BaseException)
    return not is_error
