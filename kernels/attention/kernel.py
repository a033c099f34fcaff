"""Forward attention with an online softmax, one block of queries per program."""

import math

import tilewright as tw
import tilewright.language as tl

from .._arrays import on_gpu, strides
from .._calls import launch
from .._declaration import Array, Cost, Result, Sample, Scalar, declare
from . import reference

LOG2_E = 1.4426950408889634
#: Replaces a scale of zero, with which masked scores (minus infinity) would become NaN.
SMALLEST_SCALE = 1e-30


@tw.jit
def attend(
    acc,
    highest,
    total,
    q,
    k_ptrs,
    v_ptrs,
    stride_kn,
    stride_vn,
    rows,
    d_mask,
    start,
    end,
    n_keys,
    shift,
    scale,
    MASKED: tl.constexpr,
    CAUSAL: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """Updates the running output, maximum and sum of a block of rows with the keys from start to end."""
    for first in range(start, end, BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        inside = (keys < n_keys)[:, None] & d_mask[None, :]
        k = tl.load(k_ptrs + tl.cast(first, tl.int64) * stride_kn, mask=inside, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee")
        if MASKED:
            visible = (keys < n_keys)[None, :]
            if CAUSAL:
                visible = visible & (keys[None, :] <= rows[:, None] + shift)
            s = tl.where(visible, s, -float("inf"))
        # The scale is positive, so the maximum can be taken before scaling. One FMA per score then scales it and
        # subtracts the maximum.
        new_highest = tl.maximum(highest, tl.max(s, axis=1) * scale)
        # For a row without visible keys so far, any finite reference keeps its sum at zero.
        reference = tl.where(new_highest == -float("inf"), 0.0, new_highest)
        p = tl.exp2(s * scale - reference[:, None])
        decay = tl.exp2(highest - reference)
        total = total * decay + tl.sum(p, axis=1)
        v = tl.load(v_ptrs + tl.cast(first, tl.int64) * stride_vn, mask=inside, other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc * decay[:, None], input_precision="ieee")
        highest = new_highest
    return acc, highest, total


# Probabilities below the normal range may be flushed to zero.
@tw.jit(numerics="triton")
def attention_kernel(
    out_ptr,
    q_ptr,
    k_ptr,
    v_ptr,
    n_heads,
    n_rows,
    n_keys,
    head_size,
    scale,
    stride_ob,
    stride_oh,
    stride_on,
    stride_qb,
    stride_qh,
    stride_qn,
    stride_kb,
    stride_kh,
    stride_kn,
    stride_vb,
    stride_vh,
    stride_vn,
    CAUSAL: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    """Each program computes BLOCK_M queries of one head."""
    # The longest rows of a causal mask first: otherwise their programs would end the last wave late.
    block = tl.num_programs(0) - 1 - tl.program_id(0)
    batch = (tl.program_id(1) // n_heads).to(tl.int64)
    head = (tl.program_id(1) % n_heads).to(tl.int64)
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, BLOCK_D)
    d_mask = d < head_size
    row_mask = (rows < n_rows)[:, None] & d_mask[None, :]
    q = tl.load(
        q_ptr + batch * stride_qb + head * stride_qh + rows.to(tl.int64)[:, None] * stride_qn + d[None, :],
        mask=row_mask,
        other=0.0,
    )
    keys = tl.arange(0, BLOCK_N).to(tl.int64)
    k_ptrs = k_ptr + batch * stride_kb + head * stride_kh + keys[:, None] * stride_kn + d[None, :]
    v_ptrs = v_ptr + batch * stride_vb + head * stride_vh + keys[:, None] * stride_vn + d[None, :]

    acc = tl.zeros((BLOCK_M, BLOCK_D), dtype=tl.float32)
    highest = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    # Row i sees the keys up to i + shift, the last row all keys.
    shift = n_keys - n_rows
    if CAUSAL:
        seen = tl.maximum(tl.minimum((block + 1) * BLOCK_M + shift, n_keys), 0)
        full = tl.maximum(tl.minimum(block * BLOCK_M + shift + 1, n_keys), 0) // BLOCK_N * BLOCK_N
    else:
        seen = n_keys
        full = n_keys // BLOCK_N * BLOCK_N
    # Only blocks that the mask cuts evaluate it.
    acc, highest, total = attend(
        acc,
        highest,
        total,
        q,
        k_ptrs,
        v_ptrs,
        stride_kn,
        stride_vn,
        rows,
        d_mask,
        0,
        full,
        n_keys,
        shift,
        scale,
        False,
        CAUSAL,
        BLOCK_N,
    )
    acc, highest, total = attend(
        acc,
        highest,
        total,
        q,
        k_ptrs,
        v_ptrs,
        stride_kn,
        stride_vn,
        rows,
        d_mask,
        full,
        seen,
        n_keys,
        shift,
        scale,
        True,
        CAUSAL,
        BLOCK_N,
    )
    # A row without visible keys gives zeros.
    out = acc * tl.fdiv(1.0, tl.where(total == 0.0, 1.0, total))[:, None]
    tl.store(
        out_ptr + batch * stride_ob + head * stride_oh + rows.to(tl.int64)[:, None] * stride_on + d[None, :],
        out.to(out_ptr.dtype.element_ty),
        mask=row_mask,
    )


def _config(gpu, itemsize, head_size):
    """Returns blocks, warps and stages. `benchmarks/run.py` decides, see benchmarks/notes/kernel-library.md."""
    if not gpu:
        return {"BLOCK_M": 64, "BLOCK_N": 32, "num_warps": 4}
    if itemsize > 2:
        # CUDA cores compute these dots; these blocks fit in registers without spills.
        return {"BLOCK_M": 64, "BLOCK_N": 32 if head_size <= 64 else 16, "num_warps": 8}
    if head_size <= 64:
        # 128 registers per thread allow three CTAs per SM; one more allows only two.
        return {"BLOCK_M": 64, "BLOCK_N": 64, "num_warps": 4, "num_stages": 3, "maxnreg": 128}
    return {"BLOCK_M": 128, "BLOCK_N": 128, "num_warps": 8, "num_stages": 2}


def _sample(batch, heads, queries, length, D, **values):
    sizes = {"batch": batch, "heads": heads, "queries": queries, "length": length, "D": D}
    return Sample(sizes, values=values)


def _work(given, made, traffic):
    flops = 4 * math.prod(made["out"].shape) * given["k"].shape[2]
    return Cost(traffic, flops // 2 if given["causal"] else flops)


KEYS = Array("batch heads length D", like="q", layout="last")


@declare(
    arguments={
        "q": Array("batch heads queries D", layout="last"),
        "k": KEYS,
        "v": KEYS,
        "causal": Scalar(bool),
        "scale": Scalar(float),
    },
    results={"out": Result("batch heads queries D", dtype="q", layout="last", apart=("k", "v"))},
    reference=reference.attention,
    samples=[
        _sample(1, 2, 128, 128, 64),
        _sample(2, 1, 77, 77, 32, causal=True),
        _sample(1, 1, 1, 9, 128),
        _sample(1, 2, 70, 33, 80, causal=True, scale=-0.5),
        _sample(1, 1, 5, 0, 16),
        *(_sample(*sizes, 16) for sizes in ((0, 2, 4, 4), (1, 0, 4, 4), (1, 1, 0, 4))),
    ],
    workloads={
        "cpu": (_sample(1, 4, 1024, 1024, 64), "float32"),
        "gpu": (_sample(4, 16, 4096, 4096, 128), "float16"),
    },
    # Scores and probabilities are rounded, too.
    tolerance={"float32": 4e-6, "float16": 1.5e-3, "bfloat16": 1e-2},
    work=_work,
    limits={"D": (1, 128)},
)
def attention(q, k, v, causal=False, scale=None, out=None):
    """Computes softmax(scale * q @ k^T) @ v for every batch and head, accumulated in float32.

    Args:
        q: array of shape (batch, heads, queries, D), D up to 128; float16, bfloat16 or float32.
        k, v: arrays of shape (batch, heads, keys, D). The last dimension of all arrays must be
            contiguous.
        causal: query i sees key j where j <= i + keys - queries.
        scale: factor of the scores; 1 / sqrt(D) by default.
        out: array of ``q``'s shape for the result, which may be ``q``; allocated by default.

    A query without visible keys gives zeros. Source: FlashAttention-2, arXiv 2307.08691.
    """
    B, H, M, D = q.shape
    N = k.shape[2]
    scale = (1 / math.sqrt(D) if scale is None else scale) * LOG2_E
    if scale < 0:
        q, scale = -q, -scale
    scale = max(scale, SMALLEST_SCALE)
    config = _config(on_gpu(q), q.dtype.itemsize, D)
    launch(
        attention_kernel,
        (tw.cdiv(M, config["BLOCK_M"]), B * H),
        out,
        q,
        k,
        v,
        H,
        M,
        N,
        D,
        scale,
        *strides(out)[:3],
        *strides(q)[:3],
        *strides(k)[:3],
        *strides(v)[:3],
        CAUSAL=causal,
        BLOCK_D=max(tw.next_power_of_2(D), 16),
        **config,
    )
