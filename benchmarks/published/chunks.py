"""Cases of published/kernels_chunks.py: linear attention and state spaces."""

from needs import torch
from published.cases import F32, Case, empty, random

BF16 = torch.bfloat16
B, T, H, K, V, BT = 2, 4096, 16, 128, 128, 64


def chunks():
    """A gated delta rule forward and backward, and outputs of Mamba 2."""
    nt = T // BT
    q, k, w = (random(B, T, H, K, dtype=BF16, scale=0.1) for _ in range(3))
    v, do = random(B, T, H, V, dtype=BF16), random(B, T, H, V, dtype=BF16)
    g = -torch.rand(B, nt, BT, H, device="cuda").cumsum(2).view(B, T, H) * 0.05
    beta = torch.rand(B, T, H, device="cuda")
    h, dh = (random(B, nt, H, K, V, dtype=BF16, scale=0.1) for _ in range(2))
    size = {"H": H, "K": K, "V": V, "BT": BT}
    yield Case(
        "delta rule, states, 2 x 4096 x 16 x 128",
        "chunks.delta_states_kernel",
        lambda o: (V // o["BV"], B * H),
        [
            k,
            v,
            w,
            g,
            empty(*v.shape, dtype=BF16),
            empty(*h.shape, dtype=BF16),
            empty(B, H, K, V, dtype=F32),
            T,
        ],
        (4, 5, 6),
        size,
        tuple(
            {"BV": bv, "num_warps": w, "num_stages": s}
            for bv, w, s in ((32, 4, 2), (32, 2, 3), (64, 4, 2), (32, 4, 3))
        ),
    )
    yield Case(
        "delta rule, outputs, 2 x 4096 x 16 x 128",
        "chunks.chunk_output_kernel",
        lambda o: (V // o["BV"], nt, B * H),
        [q, k, v, h, g, empty(*v.shape, dtype=BF16), 0.09, T],
        (5,),
        size,
        tuple(
            {"BK": bk, "BV": bv, "num_warps": w, "num_stages": s}
            for bk, bv, w, s in ((128, 128, 8, 2), (64, 64, 4, 3), (128, 64, 4, 2), (64, 128, 4, 3))
        ),
    )
    yield Case(
        "delta rule, keys of chunks, 2 x 4096 x 16 x 128",
        "chunks.keys_of_chunk_kernel",
        (nt, B * H),
        [k, g, beta, empty(B, T, H, BT, dtype=F32), T],
        (3,),
        {"H": H, "K": K, "BT": BT},
        tuple(
            {"BK": bk, "num_warps": w, "num_stages": s} for bk, w, s in ((64, 4, 2), (128, 4, 2), (64, 2, 3))
        ),
    )
    yield Case(
        "delta rule, inverses, 2 x 4096 x 16",
        "chunks.inverse_kernel",
        (T // 16, B * H),
        [random(B, T, H, BT, dtype=F32, scale=0.1), empty(B, T, H, 16, dtype=F32), T],
        (1,),
        {"H": H, "BT": BT},
        tuple({"num_warps": w} for w in (1, 2, 4)),
    )
    A = random(B, T, H, BT, dtype=BF16, scale=0.1)
    yield Case(
        "delta rule, w and u, 2 x 4096 x 16 x 128",
        "chunks.recompute_kernel",
        (nt, B * H),
        [k, v, beta, empty(*w.shape, dtype=BF16), empty(*v.shape, dtype=BF16), A, g, T],
        (3, 4),
        size,
        tuple({"BK": 64, "BV": 64, "num_warps": w, "num_stages": s} for w, s in ((4, 2), (4, 3), (2, 3))),
    )
    yield Case(
        "delta rule, gradients, 2 x 4096 x 16 x 128",
        "chunks.chunk_gradients_kernel",
        lambda o: (K // o["BK"], nt, B * H),
        [q, k, v, h, do, dh, empty(*q.shape, dtype=BF16), empty(*q.shape, dtype=BF16), g, 0.09, T],
        (6, 7),
        size,
        tuple(
            {"BK": bk, "BV": bv, "num_warps": w, "num_stages": s}
            for bk, bv, w, s in ((64, 64, 4, 3), (128, 64, 8, 2), (128, 64, 4, 2))
        ),
    )
    tokens = 256
    at = (B, tokens, 64)
    yield Case(
        "delta rule, step by step, 2 x 256 x 64 x 128",
        "chunks.recurrent_delta_kernel",
        lambda o: (V // o["BV"], B * 64),
        [
            random(*at, K, dtype=BF16),
            random(*at, K, dtype=BF16),
            random(*at, V, dtype=BF16),
            -torch.rand(*at, device="cuda"),
            torch.rand(*at, device="cuda"),
            empty(*at, V, dtype=BF16),
            random(B, 64, K, V, dtype=F32),
            empty(B, 64, K, V, dtype=F32),
            0.09,
            tokens,
        ],
        (5, 7),
        {"H": 64, "K": K, "V": V, "BK": 128},
        tuple({"BV": bv, "num_warps": w, "num_stages": 3} for bv, w in ((8, 1), (32, 1), (32, 4))),
    )
    L, heads, head, state, chunks = 256, 64, 64, 128, 32
    yield Case(
        "outputs of chunks (Mamba 2), 32 x 256 x 64 x 64",
        "chunks.chunk_scan_kernel",
        lambda o: ((L // o["BLOCK_M"]) * (head // o["BLOCK_N"]), chunks, heads),
        [
            random(chunks, 8, L, L, dtype=BF16, scale=0.1),
            random(chunks, L, heads, head, dtype=BF16),
            torch.rand(chunks, heads, L, device="cuda"),
            -torch.rand(chunks, heads, L, device="cuda").cumsum(2) * 0.05,
            random(chunks, L, 8, state, dtype=BF16, scale=0.1),
            random(chunks, heads, head, state, dtype=BF16, scale=0.1),
            random(heads, dtype=F32),
            empty(chunks, L, heads, head, dtype=BF16),
            L,
            heads,
            head,
            state,
            8,
        ],
        (7,),
        {"STATE": state},
        tuple(
            {"BLOCK_M": bm, "BLOCK_N": bn, "BLOCK_K": bk, "num_warps": w, "num_stages": s}
            for bm, bn, bk, w, s in (
                (128, 64, 64, 4, 3),
                (64, 64, 32, 4, 4),
                (128, 64, 32, 4, 3),
                (64, 32, 32, 4, 5),
            )
        ),
    )
