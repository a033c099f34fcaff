"""Times kernels in the style of public ones for Triton, compiled by both compilers from the same source.

    python benchmarks/published.py [--only attention] [--workers 8] [--out published.json]

The kernels are those of test/python/compat (of serving, training and generated code) and of published_kernels.py, at
the sizes of models of some billion parameters. Where their users tune, both compilers choose among the same
configurations. The best of each take turns with the L2 cache flushed before each call; times are medians, and the
results of both are compared. Compiling takes most of the time, so processes side by side fill both disk caches first.
"""

import argparse
import functools
import hashlib
import importlib.util
import itertools
import math
import multiprocessing
import pathlib
import re
import statistics
import tempfile
from dataclasses import dataclass, field

import report
import tilewright as tw
import torch
from gemm import in_turns
from rich.console import Console
from rich.table import Table

ROOT = pathlib.Path(__file__).resolve().parent
FILES = {
    "tutorials": ROOT.parent / "test/python/compat/triton_kernels.py",
    "gradients": ROOT / "published_kernels.py",
    **{
        name: ROOT.parent / f"test/python/compat/published/{name}.py"
        for name in ("attention", "layers", "sparse", "sorting", "generated")
    },
}


@dataclass
class Compiler:
    """The kernels by file, as one compiler compiles them, and its descriptors."""

    name: str
    kernels: dict
    descriptor: type


def load_with(text):
    """A module of `text`, in a file, from which compilers read kernels; the same one in all processes."""
    name = f"published_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    path = pathlib.Path(tempfile.gettempdir(), f"{name}.py")
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(text)
    pathlib.Path(file.name).replace(path)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def compilers():
    """Ours, and Triton where it is installed."""
    texts = {
        name: re.sub(r"import tilewright\.compat\n+tilewright\.compat\.install\(\)\n", "", path.read_text())
        for name, path in FILES.items()
    }
    ours = {}
    for name, text in texts.items():
        text = re.sub(r"import triton\b(?!\.)", "import tilewright as triton", text)
        text = re.sub(r"(import|from) triton\.", r"\1 tilewright.", text)
        text = text.replace("@triton.jit(", '@triton.jit(numerics="triton", ')
        text = text.replace("@triton.jit\n", '@triton.jit(numerics="triton")\n')
        ours[name] = load_with(text)
    found = [Compiler("tilewright", ours, tw.TensorDescriptor)]
    if importlib.util.find_spec("triton"):
        from triton.tools.tensor_descriptor import TensorDescriptor

        theirs = {name: load_with(text) for name, text in texts.items()}
        found.append(Compiler("triton", theirs, TensorDescriptor))
    return found


@dataclass
class Block:
    """An argument: a descriptor of `array` with the sides that `block` makes of the configuration."""

    array: torch.Tensor
    block: object


@dataclass
class Case:
    """A kernel, what it is called with, and the places of the arguments that it writes.

    `grid` and the constants may be functions of the configuration. `zeroed` places hold sums and locks that have to be
    zero before each call.
    """

    name: str
    kernel: str
    grid: object
    args: list
    written: tuple
    constants: dict = field(default_factory=dict)
    configs: tuple = ({},)
    zeroed: tuple = ()

    def call(self, compiler, config, args=None):
        """A function that launches the kernel."""
        file, name = self.kernel.split(".")
        kernel = getattr(compiler.kernels[file], name)
        if hasattr(kernel, "configs"):  # Tuned here, not by its own configurations.
            kernel = kernel.fn
        options = self.constants | config
        args = [
            compiler.descriptor.from_tensor(x.array, list(x.block(config))) if isinstance(x, Block) else x
            for x in (args or self.args)
        ]
        grid = self.grid(options) if callable(self.grid) else self.grid
        zeroed = [args[place] for place in self.zeroed]

        def launch():
            for array in zeroed:
                array.zero_()
            kernel[grid](*args, **options)

        return launch

    def results(self, compiler, config):
        """What the kernel writes, called with copies."""

        def copy(x):
            if isinstance(x, Block):
                return Block(x.array.clone(), x.block)
            return x.clone() if isinstance(x, torch.Tensor) else x

        args = [copy(x) for x in self.args]
        self.call(compiler, config, args)()
        return [args[i].array if isinstance(args[i], Block) else args[i] for i in self.written]


def random(*shape, dtype=torch.float16, scale=1.0):
    """Normal numbers."""
    return (torch.randn(*shape, device="cuda") * scale).to(dtype)


def empty(*shape, dtype=torch.float16):
    """An array that a kernel fills."""
    return torch.zeros(*shape, device="cuda", dtype=dtype)


def integers(high, *shape, low=0, dtype=torch.int32):
    """Integers from low to high - 1."""
    return torch.randint(low, high, shape, device="cuda").to(dtype)


def warps(*counts, **more):
    """Configurations that differ in warps alone."""
    return tuple({"num_warps": count} | more for count in counts)


F32 = torch.float32


def rows_of_numbers():
    """Softmax, norms, losses: a row or a few a program."""
    x, out = random(8192, 8192), empty(8192, 8192)
    yield Case(
        "softmax, persistent, 8192 x 8192", "tutorials.softmax_kernel", (264,),
        [out, x, 8192, 8192, 8192, 8192], (0,), {"BLOCK": 8192, "STAGES": 2}, warps(8, 16),
    )  # fmt: skip
    w, b = random(8192), random(8192)
    mean, rstd = random(8192, dtype=F32), random(8192, dtype=F32).abs()
    yield Case(
        "layer norm, 8192 x 8192", "tutorials.layer_norm_forward", (8192,),
        [x, out, w, b, mean, rstd, 8192, 8192, 1e-5], (1, 4, 5), {"BLOCK": 8192}, warps(8, 16),
    )  # fmt: skip
    sums = [empty(96, 8192), empty(96, 8192)]
    yield Case(
        "gradient of layer norm with locks, 8192 x 8192", "tutorials.layer_norm_backward", (8192,),
        [out, x, *sums, x, w, mean, rstd, empty(192, dtype=torch.int32), 8192, 8192], (0,),
        {"GROUP": 96, "BLOCK": 8192}, warps(8, 16), zeroed=(8,),
    )  # fmt: skip
    logits, labels = random(4096, 32000), integers(32000, 4096, dtype=torch.int64)
    loss, lse = empty(4096, dtype=F32), empty(4096, dtype=F32)
    yield Case(
        "cross-entropy, 4096 x 32000", "tutorials.cross_entropy_kernel", (4096,),
        [loss, lse, logits, labels, 32000, 32000, -100], (0, 1), {}, warps(8, 16),
    )  # fmt: skip
    yield Case(
        "cross-entropy by blocks, 4096 x 32000", "generated.smoothed_loss_kernel", (4096,),
        [logits, labels, loss, 32000, -100, 4096, 0.1], (2,), {}, warps(4, 8),
    )  # fmt: skip
    yield Case(
        "gated RMS norm, 8192 x 8192", "layers.gated_norm_kernel", (8192, 1),
        [x, out, w, None, random(8192, 8192), None, rstd.clone(), 8192, 8192, 8192, 8192, 8192, 1e-5], (1,),
        {"BLOCK_N": 8192, "NORM_BEFORE_GATE": True, "IS_RMS_NORM": True}, warps(8, 16),
    )  # fmt: skip
    image = random(16, 512, 64 * 64)
    yield Case(
        "group norm, 16 x 512 x 64 x 64", "layers.group_norm_kernel", (32, 16),
        [image, empty(*image.shape), random(512), random(512), 512, 16, 4096, 1e-5], (1,),
        {"ACTIVATION": "silu", "BLOCK_C": 16, "BLOCK_S": 256}, warps(4, 8),
    )  # fmt: skip
    yield Case(
        "quantise rows, 8192 x 8192", "sparse.quantize_rows_kernel", (8192,),
        [x, empty(8192, 8192, dtype=torch.int8), empty(8192, dtype=F32), 8192, 1e-10], (2,),
        {"QMAX": 127.0, "BLOCK": 8192, "IS_INT": True}, warps(8, 16),
    )  # fmt: skip
    yield Case(
        "generated reduction, 8192 x 8192", "generated.reduction_kernel", lambda o: (8192 // o["XBLOCK"],),
        [x, integers(10, 8192, dtype=torch.int64), empty(8192, dtype=F32), empty(8192, dtype=F32), 8192, 8192], (2, 3), {},
        ({"XBLOCK": 1, "RBLOCK": 2048, "num_warps": 8}, {"XBLOCK": 1, "RBLOCK": 4096, "num_warps": 16}),
    )  # fmt: skip


def elements():
    """A block of elements a program."""
    n = 1 << 26
    x, out = random(n), empty(n)
    yield Case(
        "dropout, 64 Mi",
        "tutorials.dropout_kernel",
        (n // 1024,),
        [x, out, n, 0.5, 123],
        (1,),
        {"BLOCK": 1024},
    )
    state = [random(n, dtype=F32), random(n, dtype=F32), random(n, dtype=F32), random(n, dtype=F32).abs()]
    yield Case(
        "Adam, 64 Mi", "layers.adam_kernel", (n // 1024,),
        [*state, 1e-3, 0.9, 0.99, 1e-8, 0.1, 3, n], (0, 2, 3), {"ADAMW": True, "BLOCK": 1024},
    )  # fmt: skip
    q = random(8192, 32, 128)
    angle = random(8192, 64, dtype=F32)
    for interleaved in (False, True):
        yield Case(
            f"rope, 8192 x 32 x 128{', neighbours' if interleaved else ''}", "attention.rope_kernel", (8192 // 8, 32),
            [q, angle.cos(), angle.sin(), None, 8192, 32, 128, 4096, 128], (0,),
            {"BLOCK_T": 8, "INTERLEAVED": interleaved, "CONJUGATE": False},
        )  # fmt: skip
    offsets = torch.arange(0, 32 * 4096 + 1, 32, device="cuda", dtype=torch.int32)
    yield Case(
        "embedding bags, 4096 of 32, 1024 wide", "sparse.embedding_bag_kernel", (4096, 1),
        [random(100000, 1024), integers(100000, 32 * 4096), offsets, None, empty(4096, 1024, dtype=F32), 1024], (4,),
        {"MODE": "sum", "HAS_WEIGHTS": False, "BLOCK": 1024},
    )  # fmt: skip
    segments = integers(1 << 16, 1 << 23).sort().values
    yield Case(
        "sums of segments, 8 Mi", "sparse.segment_sum_kernel", ((1 << 23) // 1024,),
        [random(1 << 23, dtype=F32), segments, empty(1 << 16, dtype=F32), 1 << 23], (2,), {"BLOCK": 1024}, zeroed=(2,),
    )  # fmt: skip
    yield Case(
        "sampling, 256 x 32000", "sparse.sample_kernel", (256,),
        [random(256, 32000, dtype=F32), torch.rand(256, device="cuda"), empty(256, dtype=torch.int32), 0.7, 0.9, 32000],
        (2,), {"TOP_K": 64, "BLOCK": 32768}, warps(8, 16),
    )  # fmt: skip
    yield Case(
        "sort by hand, 8192 x 2048", "layers.sort_rows_kernel", (8192,),
        [random(8192, 2048, dtype=F32), empty(8192, 2048, dtype=F32)], (1,), {"DESCENDING": 0, "LOG2": 11}, warps(4, 8),
    )  # fmt: skip
    yield Case(
        "sort, top-k, sums, histogram, 8192 x 1024", "tutorials.ordering_kernel", (8192,),
        [integers(256, 8192, 1024), *(empty(8192, side, dtype=torch.int32) for side in (1024, 16, 1024, 256))],
        (1, 2, 3, 4), {"K": 16, "BINS": 256, "BLOCK": 1024}, warps(4, 8),
    )  # fmt: skip


def states():
    """Recurrences."""
    batch, length, dim, state = 4, 1024, 4096, 16
    u, dt = random(batch, length, dim), random(batch, length, dim)
    a, d, bias = -random(dim, state, dtype=F32).abs(), random(dim, dtype=F32), random(dim, dtype=F32)
    b, c = random(batch, length, state), random(batch, length, state)
    yield Case(
        "selective scan, 4 x 1024 x 4096", "layers.selective_scan_kernel", lambda o: (dim // o["BLOCK_D"], batch),
        [u, dt, a, b, c, d, bias, empty(batch, length, dim), empty(batch, dim, state, dtype=F32), length, dim], (7, 8),
        {"DSTATE": state, "HAS_BIAS": True, "SOFTPLUS": True},
        ({"BLOCK_D": 32, "num_warps": 4}, {"BLOCK_D": 16, "num_warps": 1}),
    )  # fmt: skip
    decay, x = torch.rand(8192, 4096, device="cuda"), random(8192, 4096, dtype=F32)
    yield Case(
        "scan of chunks, 8192 x 4096", "layers.scan_chunks_kernel", lambda o: (4096 // o["BLOCK_D"],),
        [decay, x, empty(8192, 4096, dtype=F32), 8192, 4096], (2,), {"BLOCK_T": 64}, ({"BLOCK_D": 32}, {"BLOCK_D": 64}),
    )  # fmt: skip
    chunks = 2048
    da = -torch.rand(chunks, 256, device="cuda").cumsum(1) * 0.1
    yield Case(
        "states of chunks (Mamba 2), 2048 x 256 x 64 x 128", "layers.chunk_state_kernel",
        lambda o: (64 // o["BLOCK_M"] * (128 // o["BLOCK_N"]), chunks),
        [random(chunks, 256, 64), random(chunks, 256, 128), torch.rand(chunks, 256, device="cuda"), da,
         empty(chunks, 64, 128, dtype=F32), 256, 64, 128], (4,), {},
        ({"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 64, "num_warps": 4, "num_stages": 3},
         {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32, "num_warps": 4, "num_stages": 3}),
    )  # fmt: skip
    heads, T, K, V = 64, 4096, 128, 128
    yield Case(
        "linear attention, 64 x 4096 x 128", "attention.linear_attention_kernel", lambda o: (V // o["BV"], heads),
        [random(heads, T, K, scale=0.2), random(heads, T, K, scale=0.2), random(heads, T, V), empty(heads, T, V),
         -torch.rand(heads, device="cuda") * 0.1, empty(heads, K, V, dtype=F32), T], (3, 5),
        {"K": K, "V": V, "BT": 64, "STORE_STATE": True},
        ({"BV": 64, "num_warps": 4, "num_stages": 2}, {"BV": 64, "num_warps": 4, "num_stages": 1}, {"BV": 32, "num_warps": 4, "num_stages": 2}),
    )  # fmt: skip


def attention():
    """Forward, backward, decoding."""
    z, h, n = 2, 16, 4096
    for head in (64, 128):
        q, k, v = (random(z * h * n, head, scale=0.5) for _ in range(3))
        m, o = empty(z * h, n, dtype=F32), empty(z * h * n, head)
        forward = tuple(
            {"BM": bm, "BN": bn, "num_warps": count, "num_stages": stages}
            for bm, bn, count, stages in itertools.product((64, 128), (64, 128), (4, 8), (2, 3))
            if bn <= head and not (bm == 64 and count == 8)
        )
        for stage, name in ((1, "full"), (3, "causal")):
            blocks = [
                Block(x, lambda c, side=side: (c[side], head))
                for x, side in ((q, "BM"), (k, "BN"), (v, "BN"), (o, "BM"))
            ]
            yield Case(
                f"attention, {name}, {z} x {h} x {n} x {head}", "tutorials.attention_kernel",
                lambda o: (n // o["BM"], z * h), [0.5, m, z, h, *blocks, n], (1, 7),
                {"HEAD": head, "STAGE": stage}, forward,
            )  # fmt: skip
        four = [x.view(z, h, n, head) for x in (q, k, v)]
        do, delta = random(z, h, n, head), random(z, h, n, dtype=F32)
        m = random(z, h, n, dtype=F32).abs() + 40
        grads = [empty(z, h, n, head) for _ in range(3)]
        yield Case(
            f"gradients of attention, causal, {z} x {h} x {n} x {head}", "gradients.attention_backward", (n // 128, 1, z * h),
            [*four, 0.5, do, *grads, m, delta, *q.view(z, h, n, head).stride(), h, n], (5, 6, 7),
            {"BM1": 32, "BN1": 128, "BM2": 128, "BN2": 32, "SLICES": 2, "HEAD": head},
            warps(4, num_stages=3) + warps(4, num_stages=5) + warps(8, num_stages=3),
        )  # fmt: skip
        yield Case(
            f"sums for gradients of attention, {z} x {h} x {n} x {head}", "gradients.attention_preprocess", (n // 128, z * h),
            [o, do, delta.clone(), n], (2,), {"BM": 128, "HEAD": head},
        )  # fmt: skip
    seqs, heads, pages = 64, 8, 64 * 128
    tables = torch.randperm(pages, device="cuda").to(torch.int32).view(seqs, 128)
    cache = [random(pages, 16, heads, 128) for _ in range(2)]
    yield Case(
        "paged decoding, 64 x 2048 keys, 32 of 8 heads", "attention.paged_decode_kernel", (seqs, heads),
        [empty(seqs, 32, 128), random(seqs, 32, 128), *cache, tables, torch.full((seqs,), 2048, device="cuda", dtype=torch.int32),
         0.09, 4096, 128, 16 * heads * 128, heads * 128, 128, 128], (0,),
        {"HEAD": 128, "PAGE": 16, "GROUP": 4, "GROUP_PADDED": 16}, warps(1, 2, 4),
    )  # fmt: skip
    keys = [random(32, 16384, 128) for _ in range(2)]
    yield Case(
        "split decoding, 32 x 16384 keys", "attention.split_kv_kernel", (32, 16),
        [random(32, 128), *keys, empty(32, 16, 128, dtype=F32), empty(32, 16, dtype=F32), 16384, 0.09, 128, 16 * 128, 128],
        (3, 4), {"HEAD": 128, "SPLITS": 16}, tuple({"BLOCK_N": b, "num_warps": w} for b in (32, 64) for w in (4, 8)),
    )  # fmt: skip


def experts(tokens, block):
    """Tokens sorted by their two of eight experts, as the kernel that aligns them leaves them."""
    ids = integers(8, tokens * 2)
    order, blocks = [], []
    for expert in range(8):
        mine = (ids == expert).nonzero().flatten()
        fill = -len(mine) % block
        order.append(torch.nn.functional.pad(mine, (0, fill), value=tokens * 2))
        blocks += [expert] * ((len(mine) + fill) // block)
    order = torch.cat(order).to(torch.int32)
    return order, torch.tensor(blocks, device="cuda", dtype=torch.int32)


def products():
    """Products of matrices that are more than that."""
    for tokens, block in ((4096, 128), (64, 16)):
        N, K = 7168, 2048
        order, blocks = experts(tokens, block)
        total = torch.tensor([len(order)], device="cuda", dtype=torch.int32)
        weights = torch.rand(tokens * 2, device="cuda")
        configs = (
            {"BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 8, "num_warps": 8, "num_stages": 3},
            {"BLOCK_N": 256, "BLOCK_K": 64, "GROUP_M": 8, "num_warps": 8, "num_stages": 3},
            {"BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 8, "num_warps": 4, "num_stages": 4},
        ) if block == 128 else (
            {"BLOCK_N": 64, "BLOCK_K": 128, "GROUP_M": 1, "num_warps": 4, "num_stages": 4},
            {"BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 1, "num_warps": 4, "num_stages": 4},
        )  # fmt: skip
        types = {"tilewright": tw.language.float16}
        yield Case(
            f"experts, {tokens} tokens, 8 x {N} x {K}", "sparse.fused_moe_kernel",
            lambda o, count=len(blocks): (count * (N // o["BLOCK_N"]),),
            [random(tokens, K), random(8, N, K), empty(tokens * 2, N), weights, order, blocks, total, N, K, tokens * 2,
             K, 1, N * K, 1, K, N, 1], (2,),
            {"MUL_WEIGHT": True, "TOP_K": 2, "compute_type": types, "BLOCK_M": block}, configs,
        )  # fmt: skip
    for m in (16, 4096):
        N = K = 4096
        packed = integers(2**31 - 1, K // 8, N)
        zeros, scales = integers(2**31 - 1, K // 128, N // 8), random(K // 128, N, scale=0.01)
        yield Case(
            f"weights of 4 bits, {m} x {N} x {K}", "sparse.int4_matmul_kernel", lambda meta, m=m: (math.ceil(m / meta["BLOCK_M"]) * (N // meta["BLOCK_N"]), 1),
            [random(m, K), packed, empty(m, N, dtype=F32), scales, zeros, m, N, K, K, N, N, N, N // 8], (2,),
            {"group_size": 128, "SPLIT_K": 1},
            tuple({"BLOCK_M": bm, "BLOCK_N": bn, "BLOCK_K": bk, "num_warps": w, "num_stages": 3}
                  for bm, bn, bk, w in (((16, 64, 64, 4), (16, 128, 128, 4), (16, 32, 128, 4)) if m == 16 else ((64, 128, 64, 4), (128, 128, 64, 8)))),
        )  # fmt: skip
    sides = [(1024 * (i + 1), 2048, 4096) for i in range(4)]
    a = [random(m, k) for m, _, k in sides]
    b = [random(k, n) for _, n, k in sides]
    c = [empty(m, n) for m, n, _ in sides]
    addresses = [torch.tensor([x.data_ptr() for x in group], device="cuda") for group in (a, b, c)]
    case = Case(
        "grouped, 4 x (1024 to 4096 x 2048 x 4096)", "tutorials.grouped_matmul_kernel", (132,),
        [*addresses, torch.tensor(sides, device="cuda", dtype=torch.int32),
         torch.tensor([(k, n, n) for _, n, k in sides], device="cuda", dtype=torch.int32), 4], (),
        {"NUM_SM": 132}, tuple({"BM": 128, "BN": bn, "BK": 64, "num_warps": w, "num_stages": s}
                               for bn, w, s in ((128, 4, 4), (128, 8, 4), (256, 8, 3))),
    )  # fmt: skip
    case.kept = (a, b, c)  # the kernel knows addresses alone
    yield case
    yield Case(
        "convolution 3 x 3, 32 x 128 x 56 x 56", "layers.conv2d_kernel", lambda o: (32 * 56 * 56 // o["BLOCK_M"], 128 // o["BLOCK_N"]),
        [random(32, 128, 56, 56), random(128, 128, 3, 3, scale=0.05), None, empty(32, 128, 56, 56), 32, 128, 56, 56, 128, 56, 56, 1, 1], (3,),
        {"KH": 3, "KW": 3, "BLOCK_K": 32}, ({"BLOCK_M": 128, "BLOCK_N": 128, "num_warps": 8, "num_stages": 3}, {"BLOCK_M": 128, "BLOCK_N": 64, "num_warps": 4, "num_stages": 3}),
    )  # fmt: skip
    M, V, D = 4096, 32000, 2048
    yield Case(
        "cross-entropy of a product, 4096 x 32000 x 2048", "layers.linear_cross_entropy_kernel", lambda o: (M // o["BLOCK_M"],),
        [random(M, D, scale=0.05), random(V, D), integers(V, M, dtype=torch.int64), empty(M, dtype=F32), empty(M, dtype=F32), V, D, -100, 0.0], (3, 4),
        {"HAS_SOFTCAP": False, "M": M},
        tuple({"BLOCK_M": bm, "BLOCK_V": bv, "BLOCK_D": 64, "num_warps": w, "num_stages": 3} for bm, bv, w in ((32, 128, 4), (64, 128, 4), (128, 128, 8))),
    )  # fmt: skip


FAMILIES = (rows_of_numbers, elements, states, attention, products)


def cases(only):
    """The cases whose names hold `only`, one at a time."""
    for family in FAMILIES:
        yield from (case for case in family() if only in case.name)


def with_types(case, compiler):
    """The constants of a case; types are those of the compiler's language."""
    constants = {}
    for name, value in case.constants.items():
        if isinstance(value, dict):
            value = next(iter(compiler.kernels.values())).tl.float16
        constants[name] = value
    return constants


def fill_caches(job):
    """In a process of its own: compiles what one compiler needs for some cases, by launching it."""
    number, only, share, shares = job
    compiler = compilers()[number]
    for place, case in enumerate(cases(only)):
        if place % shares == share:
            case.constants = with_types(case, compiler)
            for config in case.configs:
                try:
                    case.call(compiler, config)()
                    torch.cuda.synchronize()
                except Exception:  # What fails is told where it is measured.
                    pass


def best(compiler, case):
    """The fastest configuration's call and the configuration, and why others failed."""
    calls, failed = [], []
    case.constants = with_types(case, compiler)
    for config in case.configs:
        try:
            call = case.call(compiler, config)
            call()
            torch.cuda.synchronize()
            calls.append((call, config))
        except Exception as error:  # A configuration that does not fit is a result, too.
            failed.append(f"{config}: {type(error).__name__}: {error}".splitlines()[0][:200])
    if not calls:
        return None, None, failed
    if len(calls) == 1:
        return *calls[0], failed
    seconds = in_turns([call for call, _ in calls], rounds=7, budget=0.2)
    return *min(zip(seconds, calls), key=lambda pair: pair[0])[1], failed


def distance(x, y):
    """Norm of the difference over the norm."""
    return ((x.double() - y.double()).norm() / y.double().norm().clamp(min=1e-30)).item()


def measure(case):
    """One row of results."""
    row, calls, results = {"name": case.name}, {}, {}
    constants = case.constants
    for compiler in compilers():
        case.constants = constants
        call, config, failed = best(compiler, case)
        if failed:
            row[f"{compiler.name} failed"] = failed
        if call:
            calls[compiler.name] = call
            row[f"{compiler.name} config"] = " ".join(f"{key} {value}" for key, value in config.items())
            results[compiler.name] = case.results(compiler, config)
    if len(results) == 2:
        pairs = zip(*results.values())
        row["difference"] = max((distance(x, y) for x, y in pairs), default=0.0)
    seconds = in_turns(list(calls.values()), rounds=12, budget=0.2)
    row |= {name: time * 1e6 for name, time in zip(calls, seconds)}
    if len(calls) == 2:
        row["ratio"] = row["triton"] / row["tilewright"]
    return row


def show(rows):
    """The table, and the geometric mean and the least of the ratios."""
    table = Table(title="microseconds: kernels in Triton's style, best configuration of each compiler")
    for column in ("kernel", "tilewright", "triton", "ratio", "difference", "tilewright's", "triton's"):
        table.add_column(column, justify="right" if column in ("tilewright", "triton", "ratio") else "left")
    for row in rows:
        numbers = [f"{row[key]:.{digits}f}" if key in row else "-" for key, digits in
                   (("tilewright", 1), ("triton", 1), ("ratio", 3))]  # fmt: skip
        configs = [
            re.sub(r"num_|BLOCK_", "", row.get(f"{name} config", "-")) for name in ("tilewright", "triton")
        ]
        table.add_row(row["name"], *numbers, f"{row.get('difference', 0):.0e}", *configs)
    Console(width=170).print(table)
    for row in rows:
        for name in ("tilewright", "triton"):
            for why in row.get(f"{name} failed", ())[:1]:
                print("failed:", name, row["name"], why)
    ratios = [row["ratio"] for row in rows if "ratio" in row]
    if ratios:
        mean = statistics.geometric_mean(ratios)
        print(f"geometric mean of {len(ratios)} ratios: {mean:.3f}, the least: {min(ratios):.3f}")


def main():
    """Fills the caches, measures, prints the table, keeps the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="kernels whose name holds this")
    parser.add_argument("--workers", type=int, default=8, help="processes that fill the caches")
    parser.add_argument("--out", type=pathlib.Path, help=report.OUT)
    options = parser.parse_args()
    torch.manual_seed(0)
    shares = max(options.workers // 2, 1)
    jobs = [
        (number, options.only, share, shares) for number in range(len(compilers())) for share in range(shares)
    ]
    with multiprocessing.get_context("spawn").Pool(options.workers) as pool:
        pool.map(fill_caches, jobs, chunksize=1)
    facts, rows = report.facts(torch.cuda.get_device_name(), "torch", "triton"), []
    for case in cases(options.only):
        rows.append(measure(case))
        if options.out:
            report.save(options.out, {"facts": facts, "unit": "us", "rows": rows})
    show(rows)
    if options.out:
        report.show(options.out)


if __name__ == "__main__":
    main()
