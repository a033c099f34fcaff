"""Cases of published/kernels_rows.py and published/kernels_elements.py: layers, losses, optimisers, generated code."""

from needs import torch
from published.cases import F32, Case, empty, integers, random, warps

BF16 = torch.bfloat16
FP8 = torch.float8_e4m3fn


def norms_and_losses():
    """Kernels with one row per program."""
    x, residual = random(8192, 5120, dtype=BF16), random(8192, 5120, dtype=BF16)
    w = random(5120, dtype=BF16)
    yield Case(
        "add and RMS norm, 8192 x 5120",
        "rows.add_rms_norm_kernel",
        (8192,),
        [x, residual, w, 5120, 5120, 1e-6],
        (0, 1),
        {"BLOCK": 8192},
        warps(8, 16),
    )
    rstd = random(8192, dtype=F32).abs()
    yield Case(
        "gradient of RMS norm, 8192 x 5120",
        "rows.rms_norm_backward_kernel",
        (132,),
        [
            x,
            empty(8192, 5120, dtype=BF16),
            residual,
            w,
            rstd,
            empty(132, 5120, dtype=F32),
            5120,
            8192,
            5120,
            63,
        ],
        (1, 5),
        {"BLOCK": 8192},
        warps(8, 16),
    )
    y = torch.rand(8192, 4096, device="cuda").to(BF16)
    yield Case(
        "gradient of softmax, 8192 x 4096",
        "rows.softmax_backward_kernel",
        (8192,),
        [random(8192, 4096, dtype=BF16), y, empty(8192, 4096, dtype=BF16), 4096, 4096],
        (2,),
        {"BLOCK": 4096},
        warps(4, 8),
    )
    logits, labels = random(4096, 32000, dtype=BF16), integers(32000, 4096, dtype=torch.int64)
    yield Case(
        "log-softmax, 4096 x 32000",
        "rows.log_softmax_kernel",
        lambda o: (4096 // o["BLOCK_M"],),
        [logits, empty(4096, 32000, dtype=BF16), 4096, 32000],
        (1,),
        {},
        ({"BLOCK_M": 1, "BLOCK_N": 4096, "num_warps": 8}, {"BLOCK_M": 4, "BLOCK_N": 1024, "num_warps": 8}),
    )
    small = random(2048, 32000, dtype=BF16) - 12
    yield Case(
        "Jensen-Shannon divergence, 2048 x 32000",
        "rows.jsd_kernel",
        (2048,),
        [
            small,
            32000,
            small - 1,
            32000,
            empty(2048, 32000, dtype=F32),
            small.clone(),
            32000,
            0.5,
            2048,
            32000,
        ],
        (4, 5),
        {"BLOCK": 32768 // 2},
        warps(16, 32),
    )
    yield Case(
        "cross-entropy and its gradient, 4096 x 32000",
        "rows.entropy_with_gradient_kernel",
        (4096,),
        [logits.clone(), 32000, labels, 1, empty(4096, dtype=F32), 32000, 4096, -100],
        (0, 4),
        {"BLOCK": 32768},
        warps(16, 32),
    )


def activations():
    """Gated activations, quantized rows, and other operations on rows."""
    x = random(8192, 2 * 11008, dtype=BF16)
    yield Case(
        "SiLU and product, 8192 x 11008",
        "rows.silu_and_mul_kernel",
        lambda o: (8192, -(-11008 // o["BLOCK"])),
        [x, empty(8192, 11008, dtype=BF16), 11008],
        (1,),
        {},
        ({"BLOCK": 1024, "num_warps": 4}, {"BLOCK": 2048, "num_warps": 8}),
    )
    a, b, dc = (random(4096, 11008, dtype=BF16) for _ in range(3))
    yield Case(
        "gradient of SwiGLU, 4096 x 11008",
        "rows.swiglu_backward_kernel",
        (4096,),
        [dc, a.clone(), b.clone(), 11008],
        (1, 2),
        {"n_cols": 11008, "BLOCK": 16384},
        warps(8, 16, 32),
    )
    yield Case(
        "GEGLU, 4096 x 11008",
        "rows.geglu_kernel",
        (4096,),
        [a, b, empty(4096, 11008, dtype=BF16), 11008],
        (2,),
        {"n_cols": 11008, "BLOCK": 16384},
        warps(8, 16, 32),
    )
    x = random(4096, 7168, dtype=BF16)
    yield Case(
        "quantise groups of 128, 4096 x 7168",
        "rows.quantize_groups_kernel",
        (4096 * 56,),
        [x, empty(4096, 7168, dtype=FP8), empty(4096, 56, dtype=F32), 56, 7168, 1e-10, 448.0],
        (2,),
        {"GROUP": 128},
        warps(1),
    )
    yield Case(
        "SiLU, product, groups of 128, 4096 x 3584",
        "rows.silu_mul_quantize_kernel",
        lambda o: (3584 // o["BLOCK"], 256),
        [x, empty(4096, 3584, dtype=FP8), empty(4096, 28, dtype=F32), 4096, 3584, 448.0],
        (2,),
        {"GROUP": 128, "STAGES": 4},
        ({"BLOCK": 512, "num_warps": 1}, {"BLOCK": 512, "num_warps": 4}),
    )
    q = random(8192, 32 * 128, dtype=BF16)
    angle = random(8192, 64, dtype=F32)
    yield Case(
        "norms of heads and rope, 8192 x 32 x 128",
        "rows.norm_rope_kernel",
        (8192,),
        [q, random(128, dtype=F32), angle.cos(), angle.sin(), 32, 4096, 1e-6],
        (0,),
        {"HEAD": 128, "HEADS": 32},
        warps(4, 8),
    )
    yield Case(
        "sums along rows, 8192 x 4096",
        "rows.cumsum_rows_kernel",
        lambda o: (8192 // o["BLOCK_M"],),
        [random(8192, 4096, dtype=F32), empty(8192, 4096, dtype=F32), 4096],
        (1,),
        {"BLOCK_N": 4096},
        ({"BLOCK_M": 1, "num_warps": 4}, {"BLOCK_M": 1, "num_warps": 8}),
    )
    yield Case(
        "causal convolution, 4 x 4096 x 4096",
        "rows.causal_conv_kernel",
        lambda o: (4096 // o["BD"], 4096 // o["BT"], 4),
        [
            random(4, 4096, 4096, dtype=BF16),
            random(4096, 4),
            random(4096),
            empty(4, 4096, 4096, dtype=BF16),
            4096,
            4096,
        ],
        (3,),
        {"W": 4},
        ({"BT": 32, "BD": 64, "num_warps": 4}, {"BT": 64, "BD": 32, "num_warps": 4}),
    )
    yield Case(
        "transpose, 8192 x 8192",
        "rows.transpose_kernel",
        lambda o: (8192 // o["BLOCK_M"], 8192 // o["BLOCK_N"]),
        [random(8192, 8192), empty(8192, 8192), 8192, 8192],
        (1,),
        {},
        ({"BLOCK_M": 64, "BLOCK_N": 64, "num_warps": 4}, {"BLOCK_M": 32, "BLOCK_N": 128, "num_warps": 4}),
    )


def chosen():
    """Gathers, vectors, optimisers."""
    ids = integers(32000, 16384)
    rows = random(16384, 1024)
    blocks = (
        {"BLOCK_M": 4, "BLOCK_N": 1024, "num_warps": 4},
        {"BLOCK_M": 16, "BLOCK_N": 128, "num_warps": 4},
    )
    grid = lambda o: (16384 // o["BLOCK_M"], 1024 // o["BLOCK_N"])  # noqa: E731
    yield Case(
        "embedding, 16384 of 32000 x 1024",
        "elements.embedding_kernel",
        grid,
        [random(32000, 1024), ids, empty(16384, 1024), 16384, 1024],
        (2,),
        {},
        blocks,
    )
    yield Case(
        "gradient of embedding, 16384 of 32000 x 1024",
        "elements.embedding_gradient_kernel",
        grid,
        [rows, ids, empty(32000, 1024, dtype=F32), 16384, 1024],
        (2,),
        {},
        blocks,
        zeroed=(2,),
    )
    yield Case(
        "histogram, 64 Mi in 256",
        "elements.histogram_kernel",
        (1056,),
        [integers(256, 1 << 26, dtype=torch.uint8), empty(256, dtype=torch.int32), 1 << 26, 1 << 16],
        (1,),
        {"BINS": 256},
        ({"BLOCK": 1024, "num_warps": 4}, {"BLOCK": 4096, "num_warps": 4}),
        zeroed=(1,),
    )
    yield Case(
        "argmax, 512 x 128256",
        "elements.argmax_kernel",
        (512,),
        [random(512, 128256, dtype=BF16), empty(512, dtype=torch.int32), empty(512, dtype=F32), 128256],
        (2,),
        {},
        ({"BLOCK": 4096, "num_warps": 8}, {"BLOCK": 8192, "num_warps": 8}),
    )
    yield Case(
        "gating, 8 of 256, 16384",
        "elements.gating_kernel",
        lambda o: (16384 // o["BLOCK_M"],),
        [
            random(16384, 256, dtype=F32),
            empty(16384, 8, dtype=F32),
            empty(16384, 8, dtype=torch.int32),
            16384,
        ],
        (0, 1),
        {"E": 256, "K": 8},
        ({"BLOCK_M": 4, "num_warps": 4}, {"BLOCK_M": 16, "num_warps": 4}),
    )
    sizes = [3 << 20, 1 << 22, 5 << 20, 1 << 23] * 2
    groups = [[random(n, dtype=t) for n in sizes] for t in (F32, BF16, F32)] + [
        [random(n, dtype=F32).abs() for n in sizes]
    ]
    chunk = 1 << 15
    chunks = [(which, start) for which, n in enumerate(sizes) for start in range(0, n, chunk)]
    case = Case(
        "Adam of 8 arrays",
        "elements.adam_tables_kernel",
        (len(chunks),),
        [
            *(torch.tensor([x.data_ptr() for x in group], device="cuda") for group in groups),
            torch.tensor(sizes, device="cuda", dtype=torch.int32),
            *(torch.tensor(list(z), device="cuda", dtype=torch.int32) for z in zip(*chunks)),
            1e-3,
            0.9,
            0.99,
            1e-8,
            0.1,
            3,
        ],
        (),
        {"CHUNK": chunk},
        ({"BLOCK": 1024, "num_warps": 4}, {"BLOCK": 2048, "num_warps": 8}),
    )
    case.kept = groups  # The kernel gets only addresses, so the case keeps the arrays alive.
    yield case
    for kind, t in (("fp16", torch.float16), ("bf16", BF16)):
        yield Case(
            f"matrix times vector, 8192 x 8192, {kind}",
            "elements.gemv_kernel",
            lambda o: (8192 // o["BLOCK_M"],),
            [random(8192, 8192, dtype=t), random(8192, dtype=t), empty(8192, dtype=t), 8192, 8192],
            (2,),
            {},
            (
                {"BLOCK_M": 16, "BLOCK_K": 512, "num_warps": 4},
                {"BLOCK_M": 4, "BLOCK_K": 1024, "num_warps": 4},
            ),
        )
    yield Case(
        "vectors times matrices, 32 x 4096 x 1024",
        "elements.gemv_transposed_kernel",
        lambda o: (1024 // o["BLOCK_N"], 32),
        [random(32, 4096), random(32, 4096, 1024), empty(32, 1024), 4096, 1024],
        (2,),
        {},
        ({"BLOCK_K": 64, "BLOCK_N": 64, "num_warps": 4}, {"BLOCK_K": 32, "BLOCK_N": 128, "num_warps": 4}),
    )
    n = 1 << 25
    yield Case(
        "NF4 to bfloat16, 64 Mi",
        "elements.nf4_kernel",
        lambda o: (n // o["BLOCK"],),
        [
            integers(256, n, dtype=torch.uint8),
            random(n // 32, dtype=F32),
            random(16, dtype=F32),
            empty(2 * n, dtype=BF16),
            n,
        ],
        (3,),
        {"GROUP": 64},
        ({"BLOCK": 1024, "num_warps": 4}, {"BLOCK": 2048, "num_warps": 4}),
    )
    batch, heads, dim, state = 128, 64, 64, 128
    yield Case(
        "update of states, 128 x 64 x 64 x 128",
        "elements.state_update_kernel",
        lambda o: (dim // o["BLOCK"], batch, heads),
        [
            random(batch, heads, dim, state, dtype=F32),
            random(batch, heads, dim, dtype=BF16),
            random(batch, heads),
            random(heads),
            -random(heads, dtype=F32).abs(),
            random(batch, 8, state, dtype=BF16),
            random(batch, 8, state, dtype=BF16),
            random(heads),
            random(batch, heads, dim, dtype=BF16),
            empty(batch, heads, dim, dtype=BF16),
            heads,
            8,
        ],
        (0, 9),
        {"DIM": dim, "STATE": state},
        ({"BLOCK": 8, "num_warps": 4}, {"BLOCK": 16, "num_warps": 4}, {"BLOCK": 32, "num_warps": 4}),
    )


def generated():
    """Kernels as compilers generate them."""
    yield Case(
        "generated moments of images, 64 x 512 x 28 x 28",
        "elements.batch_norm_kernel",
        lambda o: (512 // o["XBLOCK"],),
        [random(64, 512, 784), *(empty(512, dtype=F32) for _ in range(3)), 512, 64 * 784],
        (1, 2, 3),
        {},
        ({"XBLOCK": 1, "RBLOCK": 2048, "num_warps": 16}, {"XBLOCK": 1, "RBLOCK": 4096, "num_warps": 16}),
    )
    yield Case(
        "generated layer norm, 65536 x 768",
        "elements.generated_layer_norm_kernel",
        lambda o: (65536 // o["XBLOCK"],),
        [
            random(65536, 768, dtype=BF16),
            random(65536, 768, dtype=BF16),
            random(768, dtype=F32),
            random(768, dtype=F32),
            empty(65536, 768, dtype=BF16),
            empty(65536, 768, dtype=BF16),
            65536,
            768,
        ],
        (4, 5),
        {"RBLOCK": 1024},
        ({"XBLOCK": 1, "num_warps": 4}, {"XBLOCK": 1, "num_warps": 2}, {"XBLOCK": 8, "num_warps": 8}),
    )
    n = 8192 * 4096
    yield Case(
        "generated elements, 8192 x 4096",
        "elements.generated_pointwise_kernel",
        lambda o: (n // o["XBLOCK"],),
        [random(n, dtype=BF16), random(4096, dtype=BF16), random(n, dtype=BF16), empty(n, dtype=BF16), n],
        (3,),
        {},
        ({"XBLOCK": 512, "num_warps": 8}, {"XBLOCK": 1024, "num_warps": 4}),
    )
    yield Case(
        "generated permutation, 64 x 512 x 784",
        "elements.generated_permute_kernel",
        lambda o: (-(-784 // o["XBLOCK"]), 64 * 512 // o["YBLOCK"]),
        [random(64, 512, 784), empty(64, 784, 512), 64 * 512, 784],
        (1,),
        {},
        (
            {"XBLOCK": 32, "YBLOCK": 32, "num_warps": 4},
            {"XBLOCK": 64, "YBLOCK": 64, "num_warps": 8},
            {"XBLOCK": 16, "YBLOCK": 256, "num_warps": 4},
        ),
    )
