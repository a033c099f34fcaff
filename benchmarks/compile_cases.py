"""Cases of the benchmark of compilation: one source for Tilewright and for Triton."""

import importlib
from dataclasses import dataclass, field

from peers import triton_kernels


def vector_add(tw, tl):
    """Adds two arrays."""

    @tw.jit
    def kernel(a, b, out, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + at, tl.load(a + at, mask=at < n) + tl.load(b + at, mask=at < n), mask=at < n)

    return kernel


def gemm(tw, tl):
    """A matmul with pointers; tiles are grouped by rows."""

    @tw.jit
    def kernel(
        a,
        b,
        c,
        m,
        n,
        k,
        am,
        bk,
        cm,
        BM: tl.constexpr,
        BN: tl.constexpr,
        BK: tl.constexpr,
        GROUP: tl.constexpr,
    ):
        tile, columns = tl.program_id(0), tl.cdiv(n, BN)
        first = tile // (GROUP * columns) * GROUP
        height = min(tl.cdiv(m, BM) - first, GROUP)
        x = (first + tile % (GROUP * columns) % height) * BM
        y = tile % (GROUP * columns) // height * BN
        rows, cols, depth = x + tl.arange(0, BM), y + tl.arange(0, BN), tl.arange(0, BK)
        left = a + (rows % m)[:, None] * am + depth[None, :]
        right = b + depth[:, None] * bk + (cols % n)[None, :]
        acc = tl.zeros((BM, BN), tl.float32)
        for i in range(0, tl.cdiv(k, BK)):
            x_block = tl.load(left, mask=depth[None, :] < k - i * BK, other=0.0)
            y_block = tl.load(right, mask=depth[:, None] < k - i * BK, other=0.0)
            acc = tl.dot(x_block, y_block, acc)
            left += BK
            right += BK * bk
        at = c + rows[:, None] * cm + cols[None, :]
        tl.store(at, acc.to(tl.float16), mask=(rows[:, None] < m) & (cols[None, :] < n))

    return kernel


def attention_backward(tw, tl):
    """The gradients of causal attention, for a block of keys and values, then for a block of queries."""

    @tw.jit
    def kernel(
        q,
        k,
        v,
        out,
        dq,
        dk,
        dv,
        logs,
        sums,
        n,
        scale,
        BM: tl.constexpr,
        BN: tl.constexpr,
        D: tl.constexpr,
    ):
        head = tl.program_id(1).to(tl.int64) * n
        cols = tl.arange(0, D)
        keys = tl.program_id(0) * BN + tl.arange(0, BN)
        offsets = head * D + keys[:, None] * D + cols[None, :]
        k_block, v_block = tl.load(k + offsets), tl.load(v + offsets)
        dk_acc, dv_acc = tl.zeros((BN, D), tl.float32), tl.zeros((BN, D), tl.float32)
        for start in range(tl.program_id(0) * BN, n, BM):
            rows = start + tl.arange(0, BM)
            at = head * D + rows[:, None] * D + cols[None, :]
            q_block, out_block = tl.load(q + at), tl.load(out + at)
            p = tl.exp2(tl.dot(q_block, tl.trans(k_block)) * scale - tl.load(logs + head + rows)[:, None])
            p = tl.where(rows[:, None] >= keys[None, :], p, 0.0)
            dv_acc = tl.dot(tl.trans(p.to(tl.float16)), out_block, dv_acc)
            dp = tl.dot(out_block, tl.trans(v_block)) - tl.load(sums + head + rows)[:, None]
            dk_acc = tl.dot(tl.trans((p * dp).to(tl.float16)), q_block, dk_acc)
        tl.store(dv + offsets, dv_acc.to(tl.float16))
        tl.store(dk + offsets, (dk_acc * scale).to(tl.float16))
        own = tl.program_id(0) * BN + tl.arange(0, BN)
        q_own, out_own = tl.load(q + offsets), tl.load(out + offsets)
        log, sum = tl.load(logs + head + own), tl.load(sums + head + own)
        dq_acc = tl.zeros((BN, D), tl.float32)
        for start in range(0, tl.program_id(0) * BN + BN, BM):
            others = start + tl.arange(0, BM)
            at = head * D + others[:, None] * D + cols[None, :]
            k_other, v_other = tl.load(k + at), tl.load(v + at)
            p = tl.exp2(tl.dot(q_own, tl.trans(k_other)) * scale - log[:, None])
            p = tl.where(own[:, None] >= others[None, :], p, 0.0)
            dp = tl.dot(out_own, tl.trans(v_other)) - sum[:, None]
            dq_acc = tl.dot((p * dp).to(tl.float16), k_other, dq_acc)
        tl.store(dq + offsets, (dq_acc * scale).to(tl.float16))

    return kernel


@dataclass(frozen=True)
class Case:
    """A kernel and the arguments of its compilation.

    `make` returns the kernel for "tilewright" or "triton". `types` are spelt as in signatures, in the order of the
    parameters. Parameters in `aligned` are divisible by 16. `note` describes the case.
    """

    name: str
    note: str
    make: object
    types: dict
    constants: dict
    aligned: tuple
    options: dict = field(default_factory=dict)


def _ours(make):
    """Returns a `make` from a function of `tw` and `tl`."""

    def load(compiler):
        module = importlib.import_module(compiler)
        return make(module, importlib.import_module(f"{compiler}.language"))

    return load


def _library_kernel(module, name):
    """Returns a `make` for a kernel of `tilewright.kernels`; Triton gets a copy with changed imports."""

    def load(compiler):
        ours = compiler == "tilewright"
        root = importlib.import_module("tilewright.kernels") if ours else triton_kernels()
        return getattr(importlib.import_module(f"{root.__name__}.{module}.kernel"), name)

    return load


def _arguments(pointers, ints="", floats=""):
    """Returns types by name: pointers to float16, int32 and float32."""
    groups = ((pointers, "*fp16"), (ints, "i32"), (floats, "fp32"))
    return {name: type for names, type in groups for name in names.split()}


_ATTENTION = _arguments("out_ptr q_ptr k_ptr v_ptr", "n_heads n_rows n_keys head_size", "scale") | _arguments(
    "", " ".join(f"stride_{array}{dim}" for array in "oqkv" for dim in "bhn")
)

CASES = (
    Case(
        "vector add",
        "float32, blocks of 1024",
        _ours(vector_add),
        {"a": "*fp32", "b": "*fp32", "out": "*fp32", "n": "i32"},
        {"BLOCK": 1024},
        ("a", "b", "out", "n"),
    ),
    Case(
        "GEMM",
        "float16, 128 x 256 x 64, 8 warps, 3 stages",
        _ours(gemm),
        _arguments("a b c", "m n k am bk cm"),
        {"BM": 128, "BN": 256, "BK": 64, "GROUP": 8},
        ("a", "b", "c", "m", "n", "k", "am", "bk", "cm"),
        {"num_warps": 8, "num_stages": 3},
    ),
    Case(
        "attention forward",
        "float16, causal, 128 x 128, heads of 128, 8 warps, 2 stages",
        _library_kernel("attention", "attention_kernel"),
        _ATTENTION,
        {"CAUSAL": True, "BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_D": 128},
        tuple(
            name
            for name in _ATTENTION
            if name.endswith("_ptr") or name.startswith("stride") or name == "head_size"
        ),
        {"num_warps": 8, "num_stages": 2},
    ),
    Case(
        "attention backward",
        "float16, causal, 64 x 128, heads of 64, 8 warps, 2 stages",
        _ours(attention_backward),
        _arguments("q k v out dq dk dv", "n", "scale") | {"logs": "*fp32", "sums": "*fp32"},
        {"BM": 64, "BN": 128, "D": 64},
        ("q", "k", "v", "out", "dq", "dk", "dv", "logs", "sums", "n"),
        {"num_warps": 8, "num_stages": 2},
    ),
    Case(
        "layer norm",
        "float16, rows of 8192, 8 warps",
        _library_kernel("norm", "norm_kernel"),
        _arguments("out_ptr x_ptr w_ptr b_ptr", "out_stride x_stride n_cols", "eps"),
        {"CENTER": True, "HAS_WEIGHT": True, "HAS_BIAS": True, "BLOCK": 8192},
        ("out_ptr", "x_ptr", "w_ptr", "b_ptr", "out_stride", "x_stride", "n_cols"),
        {"num_warps": 8},
    ),
)
