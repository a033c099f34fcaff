"""Cases of published/kernels_matmuls.py and published/kernels_quantized.py: matmuls with prologues and epilogues."""

from needs import torch
from published.cases import F32, Block, Case, empty, integers, random

BF16 = torch.bfloat16
FP8 = torch.float8_e4m3fn


def tiles(*several):
    """Returns configurations from tuples of tile extents, warps and stages."""
    names = ("BLOCK_M", "BLOCK_N", "BLOCK_K", "num_warps", "num_stages")
    return tuple(dict(zip(names, each)) for each in several)


def count(M, N):
    """Returns the grid of an M x N result, a function of the configuration."""
    return lambda o: (-(-M // o["BLOCK_M"]) * -(-N // o["BLOCK_N"]),)


USUAL = tiles((128, 256, 64, 8, 3), (128, 128, 64, 4, 4), (128, 128, 64, 8, 3), (128, 128, 32, 4, 5))


def linear():
    """Pointers, block pointers, descriptors; epilogues."""
    M = N = K = 4096
    a, b, c = random(M, K), random(N, K), empty(M, N)
    bias = random(N)
    for name, act, extra, layout in (
        ("bias, SiLU", "silu", None, "NT"),
        ("GELU, residual", "gelu", random(M, N), "NN"),
        ("gradient of weights", None, None, "TN"),
    ):
        strides = {"NT": (K, 1, 1, K), "NN": (K, 1, N, 1), "TN": (1, M, N, 1)}[layout]
        yield Case(
            f"linear, {name}, 4096 cubed {layout}",
            "matmuls.linear_kernel",
            count(M, N),
            [a, b, bias if act == "silu" else None, extra, c, M, N, K, *strides, N],
            (4,),
            {"ACT": act, "GROUP_M": 8},
            USUAL,
        )
    single = [random(2048, 2048, dtype=F32) for _ in range(2)]
    for layout, strides in (("NN", (2048, 1, 2048, 1)), ("NT", (2048, 1, 1, 2048))):
        yield Case(
            f"linear, TF32, 2048 cubed {layout}",
            "matmuls.linear_kernel",
            count(2048, 2048),
            [*single, None, None, empty(2048, 2048, dtype=F32), 2048, 2048, 2048, *strides, 2048],
            (4,),
            {"ACT": None, "GROUP_M": 8},
            tiles((128, 128, 32, 8, 3), (128, 128, 32, 4, 4), (128, 64, 32, 4, 4), (64, 128, 32, 4, 4)),
        )
    yield Case(
        "linear, block pointers, 4096 cubed",
        "matmuls.block_pointer_kernel",
        count(M, N),
        [a, b, bias.float(), c, M, N, K],
        (3,),
        {"GROUP_M": 8},
        USUAL,
    )
    ragged = [random(1000, 1000), random(1000, 1000), random(1000, dtype=F32), empty(1000, 1000)]
    yield Case(
        "linear, block pointers, 1000 cubed",
        "matmuls.block_pointer_kernel",
        count(1000, 1000),
        [*ragged, 1000, 1000, 1000],
        (3,),
        {"GROUP_M": 8},
        tiles((64, 64, 64, 4, 4), (128, 64, 64, 4, 4), (64, 128, 32, 4, 4)),
    )
    blocks = [
        Block(a * 0.1, lambda o: (o["BLOCK_M"], o["BLOCK_K"])),  # The squares do not overflow.
        Block(b, lambda o: (o["BLOCK_N"], o["BLOCK_K"])),
        Block(c, lambda o: (o["BLOCK_M"], o["BLOCK_N"])),
    ]
    yield Case(
        "linear, descriptors, 4096 cubed",
        "matmuls.descriptor_linear_kernel",
        count(M, N),
        [*blocks, bias, M, N, K],
        (2,),
        {"GROUP_M": 8},
        USUAL[:3],
    )
    bf = [random(M, K, dtype=BF16), random(N, K, dtype=BF16), random(N, dtype=BF16), empty(M, N, dtype=BF16)]
    yield Case(
        "generated product, 4096 cubed",
        "matmuls.generated_mm_kernel",
        count(M, N),
        bf,
        (3,),
        {"EVEN_K": True, "GROUP_M": 8},
        tiles((128, 128, 64, 8, 3), (128, 128, 64, 4, 4), (64, 128, 64, 4, 3), (128, 128, 32, 8, 4)),
    )
    yield Case(
        "gated products, 4096 x 4096 x 4096",
        "matmuls.gated_kernel",
        count(M, N),
        [*bf[:2], random(N, K, dtype=BF16), bf[3], M, N, K],
        (3,),
        {"GROUP_M": 8},
        tiles((128, 128, 64, 8, 3), (128, 64, 64, 4, 3), (64, 128, 64, 4, 3)),
    )
    yield Case(
        "matrix times its transpose, 4096 cubed",
        "matmuls.symmetric_kernel",
        lambda o: ((M // o["BLOCK_M"]) ** 2,),
        [bf[0], bf[3], M, K],
        (1,),
        {"GROUP_M": 8},
        tuple(
            {"BLOCK_M": 128, "BLOCK_K": 64, "num_warps": w, "num_stages": s}
            for w, s in ((4, 4), (8, 3), (4, 3))
        ),
    )


def parts():
    """Split and stream-K; batches."""
    for m in (16, 64):
        yield Case(
            f"parts along k, {m} x 4096 x 16384",
            "matmuls.split_kernel",
            lambda o, m=m: (-(-m // o["BLOCK_M"]) * (4096 // o["BLOCK_N"]), o["SPLIT"]),
            [random(m, 16384), random(4096, 16384), empty(m, 4096, dtype=F32), m, 4096, 16384],
            (2,),
            {},
            tuple(
                {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "SPLIT": s, "num_warps": w, "num_stages": st}
                for n, k, s, w, st in ((64, 128, 4, 4, 4), (32, 256, 4, 4, 3), (128, 64, 8, 4, 4))
            ),
            zeroed=(2,),
        )
    M, N, K = 1536, 2048, 8192
    per_tile = K // 64
    iterations = (M // 128) * (N // 128) * per_tile
    yield Case(
        "stream of parts, 1536 x 2048 x 8192",
        "matmuls.stream_kernel",
        (132,),
        [random(M, K), random(N, K), empty(M, N, dtype=F32), M, N, K, iterations]
        + [iterations // 132, iterations % 132],
        (2,),
        {},
        tiles((128, 128, 64, 4, 4), (128, 128, 64, 8, 4)),
        zeroed=(2,),
    )
    for name, M, N, K in (("64 x 512 x 512 x 256", 512, 512, 256), ("256 x 128 x 128 x 64", 128, 128, 64)):
        n = int(name.split()[0])
        yield Case(
            f"batched products, {name}",
            "matmuls.batched_kernel",
            lambda o, M=M, N=N, n=n: (N // o["BLOCK_N"], M // o["BLOCK_M"], n),
            [
                random(n, M, K),
                random(n, K, N),
                empty(n, M, N),
                M,
                N,
                K,
                M * K,
                K,
                1,
                K * N,
                N,
                1,
                M * N,
                N,
                1,
            ],
            (2,),
            {},
            tiles((64, 64, 32, 4, 3), (128, 64, 32, 4, 4), (128, 128, 64, 8, 3)),
        )


def quantized():
    """Quantized operands."""
    for M, N, K in ((64, 7168, 2048), (4096, 4096, 7168)):
        a, b = random(M, K).to(FP8), random(N, K).to(FP8)
        scales = [torch.rand(M, K // 128, device="cuda"), torch.rand(N // 128, K // 128, device="cuda")]
        yield Case(
            f"scales of blocks, fp8, {M} x {N} x {K}",
            "quantized.block_scaled_kernel",
            count(M, N),
            [a, b, empty(M, N, dtype=BF16), *scales, M, N, K, 128, 128, K, 1, 1, K, N, 1]
            + [K // 128, 1, 1, K // 128],
            (2,),
            {"GROUP_M": 32 if M > 64 else 1},
            tiles((64, 128, 128, 4, 3), (64, 64, 128, 4, 4), (128, 128, 128, 8, 3), (128, 128, 128, 4, 3)),
        )
    M = N = K = 4096
    a, b = (integers(127, M, K, low=-127, dtype=torch.int8) for _ in range(2))
    scales = [torch.rand(M, device="cuda") * 0.01, torch.rand(N, device="cuda") * 0.01]
    yield Case(
        "scales of rows, int8, 4096 cubed",
        "quantized.int8_kernel",
        count(M, N),
        [a, b, *scales, random(N, dtype=BF16), empty(M, N, dtype=BF16), M, N, K, K, 1, 1, K, N, 1],
        (5,),
        {},
        tiles((128, 128, 128, 8, 3), (128, 128, 64, 4, 4), (128, 256, 128, 8, 3)),
    )
    w8 = integers(127, K, N, low=-127, dtype=torch.int8)
    for m in (16, 4096):
        yield Case(
            f"weights of 8 bits, {m} x 4096 x 4096",
            "quantized.weights8_kernel",
            count(m, N),
            [random(m, K, dtype=BF16), w8, random(N, dtype=BF16), empty(m, N, dtype=BF16), m, N, K, K, N, 1],
            (3,),
            {"GROUP_M": 8},
            tiles((16, 64, 128, 4, 4), (16, 128, 64, 4, 4), (16, 32, 256, 4, 3))
            if m == 16
            else tiles((128, 128, 64, 8, 3), (128, 128, 64, 4, 3), (128, 256, 64, 8, 3)),
        )
    for m in (16, 2048):
        packed, zeros = integers(2**31 - 1, K, N // 8), integers(2**31 - 1, K // 128, N // 8)
        yield Case(
            f"AWQ, {m} x 4096 x 4096",
            "quantized.awq_kernel",
            lambda o, m=m: (-(-m // o["BLOCK_M"]) * (N // o["BLOCK_N"]), o["SPLIT"]),
            [random(m, K), packed, empty(8, m, N), zeros, random(K // 128, N, scale=0.01), m, N, K, 128],
            (2,),
            {},
            tuple(
                {"BLOCK_M": bm, "BLOCK_N": bn, "BLOCK_K": bk, "SPLIT": s, "num_warps": w}
                for bm, bn, bk, s, w in (
                    ((16, 64, 32, 8, 4), (16, 32, 64, 8, 4), (16, 128, 32, 8, 4))
                    if m == 16
                    else ((32, 32, 32, 1, 4), (64, 64, 64, 1, 4), (128, 128, 32, 1, 8))
                )
            ),
        )
        yield Case(
            f"packed pairs along k, {m} x 4096 x 4096",
            "quantized.packed_pairs_kernel",
            lambda o, m=m: (-(-m // o["BLOCK_M"]), N // o["BLOCK_N"]),
            [
                random(m, K, dtype=BF16),
                integers(256, N, K // 2, dtype=torch.uint8),
                random(N, K // 128, dtype=BF16),
                empty(m, N, dtype=BF16),
                m,
                N,
                K,
            ],
            (3,),
            {"GROUP": 128},
            tiles((16, 64, 128, 4, 3), (16, 32, 128, 4, 4), (16, 128, 64, 4, 3))
            if m == 16
            else tiles((64, 128, 64, 4, 3), (128, 128, 64, 8, 3), (128, 64, 64, 4, 3)),
        )
        yield Case(
            f"microscaled weights of 4 bits, {m} x 4096 x 4096",
            "quantized.microscaled_kernel",
            lambda o, m=m: (-(-m // o["BLOCK_M"]), N // o["BLOCK_N"]),
            [
                random(m, K, dtype=BF16),
                integers(256, N, K // 2, dtype=torch.uint8),
                integers(129, N, K // 32, low=120, dtype=torch.uint8),
                empty(m, N, dtype=BF16),
                m,
                N,
                K,
            ],
            (3,),
            {},
            tiles((16, 64, 128, 4, 3), (16, 128, 128, 4, 3))
            if m == 16
            else tiles((128, 128, 64, 8, 3), (64, 128, 128, 4, 3), (128, 128, 128, 8, 2)),
        )
