"""Published kernels with matmuls: attention, experts, packed weights, convolution."""

import itertools
import math

from needs import torch
from published.cases import F32, Block, Case, empty, integers, random, warps


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
                Block(x, lambda c, extent=extent, head=head: (c[extent], head))
                for x, extent in ((q, "BM"), (k, "BN"), (v, "BN"), (o, "BM"))
            ]
            yield Case(
                f"attention, {name}, {z} x {h} x {n} x {head}",
                "tutorials.attention_kernel",
                lambda o: (n // o["BM"], z * h),
                [0.5, m, z, h, *blocks, n],
                (1, 7),
                {"HEAD": head, "STAGE": stage},
                forward,
            )
        four = [x.view(z, h, n, head) for x in (q, k, v)]
        do, delta = random(z, h, n, head), random(z, h, n, dtype=F32)
        m = random(z, h, n, dtype=F32).abs() + 40
        grads = [empty(z, h, n, head) for _ in range(3)]
        yield Case(
            f"gradients of attention, causal, {z} x {h} x {n} x {head}",
            "gradients.attention_backward",
            (n // 128, 1, z * h),
            [*four, 0.5, do, *grads, m, delta, *q.view(z, h, n, head).stride(), h, n],
            (5, 6, 7),
            {"BM1": 32, "BN1": 128, "BM2": 128, "BN2": 32, "SLICES": 2, "HEAD": head},
            warps(4, num_stages=3) + warps(4, num_stages=5) + warps(8, num_stages=3),
        )
        yield Case(
            f"sums for gradients of attention, {z} x {h} x {n} x {head}",
            "gradients.attention_preprocess",
            (n // 128, z * h),
            [o, do, delta.clone(), n],
            (2,),
            {"BM": 128, "HEAD": head},
        )
    seqs, heads, pages = 64, 8, 64 * 128
    tables = torch.randperm(pages, device="cuda").to(torch.int32).view(seqs, 128)
    cache = [random(pages, 16, heads, 128) for _ in range(2)]
    yield Case(
        "paged decoding, 64 x 2048 keys, 32 of 8 heads",
        "attention.paged_decode_kernel",
        (seqs, heads),
        [
            empty(seqs, 32, 128),
            random(seqs, 32, 128),
            *cache,
            tables,
            torch.full((seqs,), 2048, device="cuda", dtype=torch.int32),
            0.09,
            4096,
            128,
            16 * heads * 128,
            heads * 128,
            128,
            128,
        ],
        (0,),
        {"HEAD": 128, "PAGE": 16, "GROUP": 4, "GROUP_PADDED": 16},
        warps(1, 2, 4),
    )
    keys = [random(32, 16384, 128) for _ in range(2)]
    yield Case(
        "split decoding, 32 x 16384 keys",
        "attention.split_kv_kernel",
        (32, 16),
        [
            random(32, 128),
            *keys,
            empty(32, 16, 128, dtype=F32),
            empty(32, 16, dtype=F32),
            16384,
            0.09,
            128,
            16 * 128,
            128,
        ],
        (3, 4),
        {"HEAD": 128, "SPLITS": 16},
        tuple({"BLOCK_N": b, "num_warps": w} for b in (32, 64) for w in (4, 8)),
    )


def experts(tokens, block):
    """Returns tokens sorted by their two of eight experts, padded to blocks, and the expert of each block."""
    ids = integers(8, tokens * 2)
    order, blocks = [], []
    for expert in range(8):
        mine = (ids == expert).nonzero().flatten()
        fill = -len(mine) % block
        order.append(torch.nn.functional.pad(mine, (0, fill), value=tokens * 2))
        blocks += [expert] * ((len(mine) + fill) // block)
    order = torch.cat(order).to(torch.int32)
    return order, torch.tensor(blocks, device="cuda", dtype=torch.int32)


def matmuls():
    """Matmuls with gathers, packed weights, groups, or fused operations."""
    for tokens, block in ((4096, 128), (64, 16)):
        N, K = 7168, 2048
        order, blocks = experts(tokens, block)
        total = torch.tensor([len(order)], device="cuda", dtype=torch.int32)
        weights = torch.rand(tokens * 2, device="cuda")
        configs = (
            (
                {"BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 8, "num_warps": 8, "num_stages": 3},
                {"BLOCK_N": 256, "BLOCK_K": 64, "GROUP_M": 8, "num_warps": 8, "num_stages": 3},
                {"BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 8, "num_warps": 4, "num_stages": 4},
            )
            if block == 128
            else (
                {"BLOCK_N": 64, "BLOCK_K": 128, "GROUP_M": 1, "num_warps": 4, "num_stages": 4},
                {"BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 1, "num_warps": 4, "num_stages": 4},
            )
        )
        yield Case(
            f"experts, {tokens} tokens, 8 x {N} x {K}",
            "sparse.fused_moe_kernel",
            lambda o, blocks=blocks, N=N: (len(blocks) * (N // o["BLOCK_N"]),),
            [
                random(tokens, K),
                random(8, N, K),
                empty(tokens * 2, N),
                weights,
                order,
                blocks,
                total,
                N,
                K,
                tokens * 2,
                K,
                1,
                N * K,
                1,
                K,
                N,
                1,
            ],
            (2,),
            {"MUL_WEIGHT": True, "TOP_K": 2, "compute_type": lambda tl: tl.float16, "BLOCK_M": block},
            configs,
        )
    for m in (16, 4096):
        N = K = 4096
        packed = integers(2**31 - 1, K // 8, N)
        zeros, scales = integers(2**31 - 1, K // 128, N // 8), random(K // 128, N, scale=0.01)
        yield Case(
            f"weights of 4 bits, {m} x {N} x {K}",
            "sparse.int4_matmul_kernel",
            lambda meta, m=m, N=N: (math.ceil(m / meta["BLOCK_M"]) * (N // meta["BLOCK_N"]), 1),
            [random(m, K), packed, empty(m, N, dtype=F32), scales, zeros, m, N, K, K, N, N, N, N // 8],
            (2,),
            {"group_size": 128, "SPLIT_K": 1},
            tuple(
                {"BLOCK_M": bm, "BLOCK_N": bn, "BLOCK_K": bk, "num_warps": w, "num_stages": 3}
                for bm, bn, bk, w in (
                    ((16, 64, 64, 4), (16, 128, 128, 4), (16, 32, 128, 4))
                    if m == 16
                    else ((64, 128, 64, 4), (128, 128, 64, 8))
                )
            ),
        )
    shapes = [(1024 * (i + 1), 2048, 4096) for i in range(4)]
    a = [random(m, k) for m, _, k in shapes]
    b = [random(k, n) for _, n, k in shapes]
    c = [empty(m, n) for m, n, _ in shapes]
    addresses = [torch.tensor([x.data_ptr() for x in group], device="cuda") for group in (a, b, c)]
    case = Case(
        "grouped, 4 x (1024 to 4096 x 2048 x 4096)",
        "tutorials.grouped_matmul_kernel",
        (132,),
        [
            *addresses,
            torch.tensor(shapes, device="cuda", dtype=torch.int32),
            torch.tensor([(k, n, n) for _, n, k in shapes], device="cuda", dtype=torch.int32),
            4,
        ],
        (),
        {"NUM_SM": 132},
        tuple(
            {"BM": 128, "BN": bn, "BK": 64, "num_warps": w, "num_stages": s}
            for bn, w, s in ((128, 4, 4), (128, 8, 4), (256, 8, 3))
        ),
    )
    case.kept = (a, b, c)  # The kernel gets only addresses, so the case keeps the arrays alive.
    yield case
    yield Case(
        "convolution 3 x 3, 32 x 128 x 56 x 56",
        "layers.conv2d_kernel",
        lambda o: (32 * 56 * 56 // o["BLOCK_M"], 128 // o["BLOCK_N"]),
        [
            random(32, 128, 56, 56),
            random(128, 128, 3, 3, scale=0.05),
            None,
            empty(32, 128, 56, 56),
            32,
            128,
            56,
            56,
            128,
            56,
            56,
            1,
            1,
        ],
        (3,),
        {"KH": 3, "KW": 3, "BLOCK_K": 32},
        (
            {"BLOCK_M": 128, "BLOCK_N": 128, "num_warps": 8, "num_stages": 3},
            {"BLOCK_M": 128, "BLOCK_N": 64, "num_warps": 4, "num_stages": 3},
        ),
    )
    M, V, D = 4096, 32000, 2048
    yield Case(
        "cross-entropy of a product, 4096 x 32000 x 2048",
        "layers.linear_cross_entropy_kernel",
        lambda o: (M // o["BLOCK_M"],),
        [
            random(M, D, scale=0.05),
            random(V, D),
            integers(V, M, dtype=torch.int64),
            empty(M, dtype=F32),
            empty(M, dtype=F32),
            V,
            D,
            -100,
            0.0,
        ],
        (3, 4),
        {"HAS_SOFTCAP": False, "M": M},
        tuple(
            {"BLOCK_M": bm, "BLOCK_V": bv, "BLOCK_D": 64, "num_warps": w, "num_stages": 3}
            for bm, bv, w in ((32, 128, 4), (64, 128, 4), (128, 128, 8))
        ),
    )
