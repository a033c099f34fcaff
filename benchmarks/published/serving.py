"""Cases of published/kernels_serving.py: attention of servers."""

from needs import torch
from published.cases import F32, Case, empty, integers, random

BF16 = torch.bfloat16


def tensor(values, dtype=torch.int32):
    return torch.tensor(values, device="cuda", dtype=dtype)


def unified(name, seqs, q_len, length, configs, cache=BF16, window=0):
    """Yields a case with sequences of one length; 32 query and 8 key heads of 128 elements, pages of 16."""
    pages = seqs * length // 16
    keys = [random(pages, 16, 8, 128).to(cache) for _ in range(2)]
    q = random(seqs * q_len, 32, 128, dtype=BF16)
    yield Case(
        name,
        "serving.unified_kernel",
        lambda o: (seqs * q_len // (o["BLOCK_M"] // 4) + seqs, 8),
        [
            empty(*q.shape, dtype=BF16),
            q,
            *keys,
            torch.randperm(pages, device="cuda").to(torch.int32).view(seqs, length // 16),
            tensor([length] * seqs),
            tensor([q_len * i for i in range(seqs + 1)]),
            seqs,
            0.088,
            tensor([0.5], F32),
            tensor([0.5], F32),
            32 * 128,
            128,
            16 * 8 * 128,
            8 * 128,
            128,
            length // 16,
        ],
        (0,),
        {"PER_KV": 4, "PAGE": 16, "HEAD": 128, "WINDOW": window, "SOFTCAP": 0},
        tuple({"BLOCK_Q": c["BLOCK_M"] // 4} | c for c in configs),
    )


def paged():
    """Paged keys, tokens found through indices."""
    prefill = tuple(
        {"BLOCK_M": bm, "TILE": t, "num_warps": w}
        for bm, t, w in ((64, 32, 4), (128, 32, 4), (128, 64, 8), (64, 64, 4))
    )
    decode = tuple({"BLOCK_M": 16, "TILE": t, "num_warps": w} for t, w in ((16, 2), (32, 4), (64, 4)))
    yield from unified("unified attention, 4 x 2048 new", 4, 2048, 2048, prefill)
    yield from unified("unified attention, window of 512, 4 x 4096 new", 4, 4096, 4096, prefill, window=512)
    yield from unified("unified attention, 128 x 1 new of 2048", 128, 1, 2048, decode)
    yield from unified(
        "unified attention, fp8 keys, 128 x 1 new of 2048", 128, 1, 2048, decode, torch.float8_e4m3fn
    )
    for name, heads, kv_heads, d, r, seqs, tile in (
        ("grouped decoding, 32 of 8 heads, 64 x 2048", 32, 8, 128, 0, 64, 64),
        ("latent decoding, 128 heads, 32 x 4096", 128, 1, 512, 64, 32, 32),
    ):
        length, splits = (2048, 8) if r == 0 else (4096, 8)
        cache = random(seqs * length, kv_heads, d + r, dtype=BF16)
        values = cache if r else random(seqs * length, kv_heads, d, dtype=BF16)
        group = heads // kv_heads
        yield Case(
            name,
            "serving.grouped_decode_kernel",
            (seqs, -(-heads // min(16, group)), splits),
            [
                random(seqs, heads, d + r, dtype=BF16, scale=0.3),
                cache,
                values,
                empty(seqs, heads, splits, d, dtype=F32),
                empty(seqs, heads, splits, dtype=F32),
                tensor([length * i for i in range(seqs + 1)]),
                torch.randperm(seqs * length, device="cuda").to(torch.int32),
                0.07,
                heads * (d + r),
                kv_heads * (d + r),
                kv_heads * (d + r),
                heads * splits * d,
                splits * d,
            ],
            (3, 4),
            {
                "SPLITS": splits,
                "GROUP": group,
                "BLOCK_D": d,
                "BLOCK_R": r,
                "BLOCK_V": d,
                "BLOCK_H": 16,
                "HEADS": heads,
            },
            tuple(
                {"BLOCK_N": n, "num_warps": w, "num_stages": 2}
                for n, w in ((tile, 4), (tile // 2, 4), (tile, 8))
            ),
        )
    seqs, length, page = 64, 4096, 64
    pages = seqs * length // page
    keys = [integers(127, pages, page, 8, 128, low=-127, dtype=torch.int8) for _ in range(2)]
    scales = [torch.rand(pages, page, 8, device="cuda") * 0.02 for _ in range(2)]
    yield Case(
        "decoding of 8-bit keys, 64 x 4096",
        "serving.int8_decode_kernel",
        lambda o: (seqs, 8, length // page // o["PAGES"]),
        [
            random(seqs, 32, 128),
            *keys,
            *scales,
            torch.randperm(pages, device="cuda").to(torch.int32).view(seqs, length // page),
            tensor([length] * seqs),
            empty(seqs, 32, 8, 128, dtype=F32),
            empty(seqs, 32, 8, dtype=F32),
            0.13,
            length // page,
        ],
        (7, 8),
        {"KV_HEADS": 8, "PAGE": page, "HEAD": 128, "GROUP": 4, "BLOCK_H": 16, "PAGES": 8},
        tuple({"num_warps": w, "num_stages": s} for w, s in ((4, 2), (4, 3), (2, 3))),
    )


def masked():
    """Block masks; biases; adapters."""
    bh, n, head = 32, 4096, 64
    q, k, v = (random(bh, n, head) for _ in range(3))
    rows = n // 128
    full = [list(range(i)) + [0] * (rows - i) for i in range(rows)]
    yield Case(
        "flex attention, causal, slopes, 2 x 16 x 4096 x 64",
        "serving.flex_kernel",
        lambda o: (n // o["BLOCK_M"], bh),
        [
            q,
            k,
            v,
            empty(bh, n, head),
            empty(bh, n, dtype=F32),
            tensor([1] * rows),
            tensor([[i] + [0] * (rows - 1) for i in range(rows)]),
            tensor(list(range(rows))),
            tensor(full),
            16,
            n,
            0.125,
        ],
        (3, 4),
        {"SPARSE": 128, "HEAD": head},
        tuple(
            {"BLOCK_M": bm, "BLOCK_N": bn, "num_warps": w, "num_stages": s}
            for bm, bn, w, s in ((128, 64, 4, 3), (128, 64, 8, 3), (64, 64, 4, 3), (128, 128, 8, 2))
        ),
    )
    bh, n = 32, 2048
    q, k, v = (random(bh, n, head) for _ in range(3))
    yield Case(
        "attention with biases, 32 x 2048 x 64",
        "serving.biased_attention_kernel",
        lambda o: (n // o["BLOCK_M"], bh),
        [q, k, v, random(bh, n, n), empty(bh, n, head), n, 0.18],
        (4,),
        {"HEAD": head},
        tuple(
            {"BLOCK_M": bm, "BLOCK_N": bn, "num_warps": w, "num_stages": s}
            for bm, bn, w, s in ((128, 64, 4, 3), (128, 64, 8, 3), (64, 64, 4, 3))
        ),
    )
    tokens, adapters, rank, width = 4096, 8, 16, 4096
    counts = [tokens // adapters] * adapters
    yield Case(
        "adapters, 4096 x 4096 x 16",
        "serving.shrink_kernel",
        lambda o: (o["SPLIT"] * (tokens // adapters // o["BLOCK_M"]), adapters),
        [
            random(tokens, width),
            random(adapters, rank, width),
            empty(tokens, rank, dtype=F32),
            torch.randperm(tokens, device="cuda").to(torch.int32),
            tensor(counts),
            tensor([sum(counts[:i]) for i in range(adapters)]),
            tensor(list(range(adapters))),
            tokens,
            rank,
            width,
            width,
            rank * width,
            width,
        ],
        (2,),
        {},
        tuple(
            {"BLOCK_M": bm, "BLOCK_N": 16, "BLOCK_K": bk, "SPLIT": s, "num_warps": w}
            for bm, bk, s, w in ((32, 256, 8, 4), (64, 128, 4, 4), (32, 128, 8, 4))
        ),
        zeroed=(2,),
    )
