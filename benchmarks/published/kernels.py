"""The gradients of attention of Triton's tutorials; both compilers read this file."""

import triton
import triton.language as tl


@triton.jit
def attention_preprocess(o, do, delta, N_CTX, BM: tl.constexpr, HEAD: tl.constexpr):
    """delta = sum of o * do for each row."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    head = tl.program_id(1)
    cols = tl.arange(0, HEAD)
    at = head * HEAD * N_CTX + rows[:, None] * HEAD + cols[None, :]
    tl.store(delta + head * N_CTX + rows, tl.sum(tl.load(o + at) * tl.load(do + at).to(tl.float32), axis=1))


@triton.jit
def gradients_of_keys(
    dk, dv, Q, k, v, DO, M, D, stride_tok, stride_d, start_n, start_m, num_steps,
    BM: tl.constexpr, BN: tl.constexpr, HEAD: tl.constexpr, MASK: tl.constexpr,
):  # fmt: skip
    """Adds the part of `num_steps` blocks of queries to dk and dv of one block of keys."""
    rows = start_m + tl.arange(0, BM)
    keys = start_n + tl.arange(0, BN)
    cols = tl.arange(0, HEAD)
    qT_ptrs = Q + rows[None, :] * stride_tok + cols[:, None] * stride_d
    do_ptrs = DO + rows[:, None] * stride_tok + cols[None, :] * stride_d
    current = start_m
    for _ in range(num_steps):
        qT = tl.load(qT_ptrs)
        rows = current + tl.arange(0, BM)
        m = tl.load(M + rows)
        qkT = tl.dot(k, qT)
        pT = tl.math.exp2(qkT - m[None, :])
        if MASK:
            pT = tl.where(rows[None, :] >= keys[:, None], pT, 0.0)
        do = tl.load(do_ptrs)
        dv += tl.dot(pT.to(tl.float16), do)
        delta = tl.load(D + rows)
        dpT = tl.dot(v, tl.trans(do)).to(tl.float32)
        dsT = (pT * (dpT - delta[None, :])).to(tl.float16)
        dk += tl.dot(dsT, tl.trans(qT))
        current += BM
        qT_ptrs += BM * stride_tok
        do_ptrs += BM * stride_tok
    return dk, dv


@triton.jit
def gradients_of_queries(
    dq, q, K, V, do, m, D, stride_tok, stride_d, start_m, start_n, num_steps,
    BM: tl.constexpr, BN: tl.constexpr, HEAD: tl.constexpr, MASK: tl.constexpr,
):  # fmt: skip
    """Adds the part of `num_steps` blocks of keys to dq of one block of queries."""
    rows = start_m + tl.arange(0, BM)
    keys = start_n + tl.arange(0, BN)
    cols = tl.arange(0, HEAD)
    kT_ptrs = K + keys[None, :] * stride_tok + cols[:, None] * stride_d
    vT_ptrs = V + keys[None, :] * stride_tok + cols[:, None] * stride_d
    delta = tl.load(D + rows)
    current = start_n
    for _ in range(num_steps):
        kT = tl.load(kT_ptrs)
        vT = tl.load(vT_ptrs)
        p = tl.math.exp2(tl.dot(q, kT) - m)
        if MASK:
            keys = current + tl.arange(0, BN)
            p = tl.where(rows[:, None] >= keys[None, :], p, 0.0)
        dp = tl.dot(do, vT).to(tl.float32)
        ds = (p * (dp - delta[:, None])).to(tl.float16)
        dq += tl.dot(ds, tl.trans(kT))
        current += BN
        kT_ptrs += BN * stride_tok
        vT_ptrs += BN * stride_tok
    return dq


@triton.jit
def attention_backward(
    Q, K, V, sm_scale, DO, DQ, DK, DV, M, D, stride_z, stride_h, stride_tok, stride_d, H, N_CTX,
    BM1: tl.constexpr, BN1: tl.constexpr, BM2: tl.constexpr, BN2: tl.constexpr,
    SLICES: tl.constexpr, HEAD: tl.constexpr,
):  # fmt: skip
    """Causal; K is already multiplied by sm_scale / ln 2."""
    LN2: tl.constexpr = 0.6931471824645996
    bhid = tl.program_id(2)
    off = (bhid * N_CTX).to(tl.int64)
    offset = (stride_h * (bhid % H) + stride_z * (bhid // H)).to(tl.int64)
    pid = tl.program_id(0)
    Q += offset
    K += offset
    V += offset
    DO += offset
    DQ += offset
    DK += offset
    DV += offset
    M += off
    D += off
    cols = tl.arange(0, HEAD)
    start_n = pid * BN1
    start_m = start_n
    MASKED1: tl.constexpr = BM1 // SLICES
    keys = start_n + tl.arange(0, BN1)
    dv = tl.zeros([BN1, HEAD], dtype=tl.float32)
    dk = tl.zeros([BN1, HEAD], dtype=tl.float32)
    k = tl.load(K + keys[:, None] * stride_tok + cols[None, :] * stride_d)
    v = tl.load(V + keys[:, None] * stride_tok + cols[None, :] * stride_d)
    num_steps = BN1 // MASKED1
    dk, dv = gradients_of_keys(
        dk, dv, Q, k, v, DO, M, D, stride_tok, stride_d, start_n, start_m, num_steps,
        MASKED1, BN1, HEAD, MASK=True,
    )  # fmt: skip
    start_m += num_steps * MASKED1
    num_steps = (N_CTX - start_m) // BM1
    dk, dv = gradients_of_keys(
        dk, dv, Q, k, v, DO, M, D, stride_tok, stride_d, start_n, start_m, num_steps,
        BM1, BN1, HEAD, MASK=False,
    )  # fmt: skip
    tl.store(DV + keys[:, None] * stride_tok + cols[None, :] * stride_d, dv)
    dk *= sm_scale
    tl.store(DK + keys[:, None] * stride_tok + cols[None, :] * stride_d, dk)

    start_m = pid * BM2
    end_n = start_m + BM2
    MASKED2: tl.constexpr = BN2 // SLICES
    rows = start_m + tl.arange(0, BM2)
    q = tl.load(Q + rows[:, None] * stride_tok + cols[None, :] * stride_d)
    dq = tl.zeros([BM2, HEAD], dtype=tl.float32)
    do = tl.load(DO + rows[:, None] * stride_tok + cols[None, :] * stride_d)
    m = tl.load(M + rows)[:, None]
    num_steps = BM2 // MASKED2
    dq = gradients_of_queries(
        dq, q, K, V, do, m, D, stride_tok, stride_d, start_m, end_n - num_steps * MASKED2, num_steps,
        BM2, MASKED2, HEAD, MASK=True,
    )  # fmt: skip
    end_n -= num_steps * MASKED2
    num_steps = end_n // BN2
    dq = gradients_of_queries(
        dq, q, K, V, do, m, D, stride_tok, stride_d, start_m, end_n - num_steps * BN2, num_steps,
        BM2, BN2, HEAD, MASK=False,
    )  # fmt: skip
    dq *= LN2
    tl.store(DQ + rows[:, None] * stride_tok + cols[None, :] * stride_d, dq)
