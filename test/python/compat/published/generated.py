"""Code in the style of compilers that generate Triton: flat indices, a name for each value, loops over reductions."""

import triton
import triton.language as tl


@triton.jit
def reduction_kernel(
    in_ptr0, in_ptr1, out_ptr0, out_ptr1, xnumel, rnumel, XBLOCK: tl.constexpr, RBLOCK: tl.constexpr
):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    rbase = tl.arange(0, RBLOCK)[None, :]
    x0 = xindex
    _tmp2 = tl.full([XBLOCK, RBLOCK], 0, tl.float32)
    _tmp5 = tl.full([XBLOCK, RBLOCK], float("-inf"), tl.float32)
    for roffset in range(0, rnumel, RBLOCK):
        rindex = roffset + rbase
        rmask = rindex < rnumel
        r1 = rindex
        tmp0 = tl.load(in_ptr0 + (r1 + rnumel * x0), rmask & xmask, eviction_policy="evict_last", other=0.0)
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK, RBLOCK])
        tmp3 = _tmp2 + tmp1
        _tmp2 = tl.where(rmask & xmask, tmp3, _tmp2)
        tmp6 = tl.maximum(_tmp5, tmp1, tl.PropagateNan.ALL)
        _tmp5 = tl.where(rmask & xmask, tmp6, _tmp5)
    tmp2 = tl.sum(_tmp2, 1)[:, None]
    tmp5 = tl.max(_tmp5, 1)[:, None]
    tmp7 = tl.load(in_ptr1 + (x0), xmask, eviction_policy="evict_last")
    tmp8 = tl.full([XBLOCK, 1], 10, tl.int32)
    tmp9 = tmp7 + tmp8
    tmp10 = tmp7 < 0
    tmp11 = tl.where(tmp10, tmp9, tmp7)
    tl.device_assert(((0 <= tmp11) & (tmp11 < 10)) | ~(xmask), "index out of bounds: 0 <= tmp11 < 10")
    tl.store(out_ptr0 + (x0), tmp2, xmask)
    tl.store(out_ptr1 + (tl.broadcast_to(x0, [XBLOCK, 1])), tmp5 + tmp11.to(tl.float32), xmask)


@triton.jit
def smoothed_loss_kernel(
    logits, labels, loss, V: tl.constexpr, ignore_index, B: tl.constexpr, label_smoothing: tl.constexpr = 0.0
):
    """Cross-entropy with smoothed labels; ignored rows become zeros in place."""
    pid = tl.program_id(0).to(tl.int64)
    logits += pid * V
    y = tl.load(labels + pid)
    if y == ignore_index:
        for i in range(0, V, B):
            offs = i + tl.arange(0, B)
            tl.store(logits + offs, 0.0, mask=offs < V)
        return
    m = float("-inf")
    d = 0.0
    eps = label_smoothing / V
    smooth = 0.0
    for i in range(0, V, B):
        offs = i + tl.arange(0, B)
        x = tl.load(logits + offs, mask=offs < V, other=float("-inf")).cast(tl.float32)
        if label_smoothing > 0:
            smooth += tl.sum(tl.where(offs < V, -eps * x, 0.0))
        m_new = tl.maximum(m, tl.max(x))
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new))
        m = m_new
    lse = m + tl.log(d)
    out = lse - tl.load(logits + y).cast(tl.float32)
    if label_smoothing > 0:
        out = out * (1 - label_smoothing) + (smooth + label_smoothing * lse)
    tl.store(loss + pid, out)


@triton.heuristics({"VARLEN": lambda args: args["cu_seqlens"] is not None})
@triton.jit(do_not_specialize=["T"])
def chunk_sum_kernel(
    x, y, cu_seqlens, chunks, T, H: tl.constexpr, D: tl.constexpr, BT: tl.constexpr, BD: tl.constexpr,
    VARLEN: tl.constexpr,
):  # fmt: skip
    """Sums within chunks of sequences that share one length or are packed one after the other."""
    i_d, i_t, i_bh = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    i_b, i_h = i_bh // H, i_bh % H
    if VARLEN:
        i_n, i_t = tl.load(chunks + i_t * 2).to(tl.int32), tl.load(chunks + i_t * 2 + 1).to(tl.int32)
        bos, eos = tl.load(cu_seqlens + i_n).to(tl.int32), tl.load(cu_seqlens + i_n + 1).to(tl.int32)
        T = eos - bos
    else:
        bos, eos = i_b * T, i_b * T + T
    p_x = tl.make_block_ptr(
        x + (bos * H + i_h) * D, (T, D), (H * D, 1), (i_t * BT, i_d * BD), (BT, BD), (1, 0)
    )
    p_g = tl.make_block_ptr(x + (bos * H + i_h) * D, (T,), (H * D,), (i_t * BT,), (BT,), (0,))
    p_y = tl.make_block_ptr(
        y + (bos * H + i_h) * D, (T, D), (H * D, 1), (i_t * BT, i_d * BD), (BT, BD), (1, 0)
    )
    b_x = tl.load(p_x, boundary_check=(0, 1)).to(tl.float32)
    b_g = tl.load(p_g, boundary_check=(0,)).to(tl.float32)
    m_s = tl.where(tl.arange(0, BT)[:, None] >= tl.arange(0, BT)[None, :], 1.0, 0.0)
    b_y = tl.dot(m_s, b_x, allow_tf32=False) + b_g[:, None]
    tl.store(p_y, b_y.to(p_y.dtype.element_ty), boundary_check=(0, 1))
