"""Memory-bound published kernels: rows, elements, recurrences."""

from needs import torch
from published.cases import F32, Case, empty, integers, random, warps


def rows_of_numbers():
    """Softmax, norms, losses: one or a few rows per program."""
    x, out = random(8192, 8192), empty(8192, 8192)
    yield Case(
        "softmax, persistent, 8192 x 8192",
        "tutorials.softmax_kernel",
        (264,),
        [out, x, 8192, 8192, 8192, 8192],
        (0,),
        {"BLOCK": 8192, "STAGES": 2},
        warps(8, 16),
    )
    w, b = random(8192), random(8192)
    mean, rstd = random(8192, dtype=F32), random(8192, dtype=F32).abs()
    yield Case(
        "layer norm, 8192 x 8192",
        "tutorials.layer_norm_forward",
        (8192,),
        [x, out, w, b, mean, rstd, 8192, 8192, 1e-5],
        (1, 4, 5),
        {"BLOCK": 8192},
        warps(8, 16),
    )
    sums = [empty(96, 8192), empty(96, 8192)]
    yield Case(
        "gradient of layer norm with locks, 8192 x 8192",
        "tutorials.layer_norm_backward",
        (8192,),
        [out, x, *sums, x, w, mean, rstd, empty(192, dtype=torch.int32), 8192, 8192],
        (0,),
        {"GROUP": 96, "BLOCK": 8192},
        warps(8, 16),
        zeroed=(8,),
    )
    logits, labels = random(4096, 32000), integers(32000, 4096, dtype=torch.int64)
    loss, lse = empty(4096, dtype=F32), empty(4096, dtype=F32)
    yield Case(
        "cross-entropy, 4096 x 32000",
        "tutorials.cross_entropy_kernel",
        (4096,),
        [loss, lse, logits, labels, 32000, 32000, -100],
        (0, 1),
        {},
        warps(8, 16),
    )
    yield Case(
        "cross-entropy by blocks, 4096 x 32000",
        "generated.smoothed_loss_kernel",
        (4096,),
        [logits, labels, loss, 32000, -100, 4096, 0.1],
        (2,),
        {},
        warps(4, 8),
    )
    yield Case(
        "gated RMS norm, 8192 x 8192",
        "layers.gated_norm_kernel",
        (8192, 1),
        [x, out, w, None, random(8192, 8192), None, rstd.clone(), 8192, 8192, 8192, 8192, 8192, 1e-5],
        (1,),
        {"BLOCK_N": 8192, "NORM_BEFORE_GATE": True, "IS_RMS_NORM": True},
        warps(8, 16),
    )
    image = random(16, 512, 64 * 64)
    yield Case(
        "group norm, 16 x 512 x 64 x 64",
        "layers.group_norm_kernel",
        (32, 16),
        [image, empty(*image.shape), random(512), random(512), 512, 16, 4096, 1e-5],
        (1,),
        {"ACTIVATION": "silu", "BLOCK_C": 16, "BLOCK_S": 256},
        warps(4, 8),
    )
    yield Case(
        "quantise rows, 8192 x 8192",
        "sparse.quantize_rows_kernel",
        (8192,),
        [x, empty(8192, 8192, dtype=torch.int8), empty(8192, dtype=F32), 8192, 1e-10],
        (2,),
        {"QMAX": 127.0, "BLOCK": 8192, "IS_INT": True},
        warps(8, 16),
    )
    yield Case(
        "generated reduction, 8192 x 8192",
        "generated.reduction_kernel",
        lambda o: (8192 // o["XBLOCK"],),
        [
            x,
            integers(10, 8192, dtype=torch.int64),
            empty(8192, dtype=F32),
            empty(8192, dtype=F32),
            8192,
            8192,
        ],
        (2, 3),
        {},
        ({"XBLOCK": 1, "RBLOCK": 2048, "num_warps": 8}, {"XBLOCK": 1, "RBLOCK": 4096, "num_warps": 16}),
    )


def elements():
    """Kernels with a block of elements per program."""
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
        "Adam, 64 Mi",
        "layers.adam_kernel",
        (n // 1024,),
        [*state, 1e-3, 0.9, 0.99, 1e-8, 0.1, 3, n],
        (0, 2, 3),
        {"ADAMW": True, "BLOCK": 1024},
    )
    q = random(8192, 32, 128)
    angle = random(8192, 64, dtype=F32)
    for interleaved in (False, True):
        yield Case(
            f"rope, 8192 x 32 x 128{', neighbours' if interleaved else ''}",
            "attention.rope_kernel",
            (8192 // 8, 32),
            [q, angle.cos(), angle.sin(), None, 8192, 32, 128, 4096, 128],
            (0,),
            {"BLOCK_T": 8, "INTERLEAVED": interleaved, "CONJUGATE": False},
        )
    offsets = torch.arange(0, 32 * 4096 + 1, 32, device="cuda", dtype=torch.int32)
    yield Case(
        "embedding bags, 4096 of 32, 1024 wide",
        "sparse.embedding_bag_kernel",
        (4096, 1),
        [
            random(100000, 1024),
            integers(100000, 32 * 4096),
            offsets,
            None,
            empty(4096, 1024, dtype=F32),
            1024,
        ],
        (4,),
        {"MODE": "sum", "HAS_WEIGHTS": False, "BLOCK": 1024},
    )
    segments = integers(1 << 16, 1 << 23).sort().values
    yield Case(
        "sums of segments, 8 Mi",
        "sparse.segment_sum_kernel",
        ((1 << 23) // 1024,),
        [random(1 << 23, dtype=F32), segments, empty(1 << 16, dtype=F32), 1 << 23],
        (2,),
        {"BLOCK": 1024},
        zeroed=(2,),
    )
    yield Case(
        "sampling, 256 x 32000",
        "sparse.sample_kernel",
        (256,),
        [
            random(256, 32000, dtype=F32),
            torch.rand(256, device="cuda"),
            empty(256, dtype=torch.int32),
            0.7,
            0.9,
            32000,
        ],
        (2,),
        {"TOP_K": 64, "BLOCK": 32768},
        warps(16),
    )
    yield Case(
        "sort by hand, 8192 x 2048",
        "layers.sort_rows_kernel",
        (8192,),
        [random(8192, 2048, dtype=F32), empty(8192, 2048, dtype=F32)],
        (1,),
        {"DESCENDING": 0, "LOG2": 11},
        warps(4, 8),
    )
    yield Case(
        "sort, top-k, sums, histogram, 8192 x 1024",
        "tutorials.ordering_kernel",
        (8192,),
        [
            integers(256, 8192, 1024),
            *(empty(8192, width, dtype=torch.int32) for width in (1024, 16, 1024, 256)),
        ],
        (1, 2, 3, 4),
        {"K": 16, "BINS": 256, "BLOCK": 1024},
        warps(4, 8),
    )


def states():
    """Recurrences."""
    batch, length, dim, state = 4, 1024, 4096, 16
    u, dt = random(batch, length, dim), random(batch, length, dim)
    a, d, bias = -random(dim, state, dtype=F32).abs(), random(dim, dtype=F32), random(dim, dtype=F32)
    b, c = random(batch, length, state), random(batch, length, state)
    yield Case(
        "selective scan, 4 x 1024 x 4096",
        "layers.selective_scan_kernel",
        lambda o: (dim // o["BLOCK_D"], batch),
        [
            u,
            dt,
            a,
            b,
            c,
            d,
            bias,
            empty(batch, length, dim),
            empty(batch, dim, state, dtype=F32),
            length,
            dim,
        ],
        (7, 8),
        {"DSTATE": state, "HAS_BIAS": True, "SOFTPLUS": True},
        ({"BLOCK_D": 32, "num_warps": 4}, {"BLOCK_D": 16, "num_warps": 1}),
    )
    decay, x = torch.rand(8192, 4096, device="cuda"), random(8192, 4096, dtype=F32)
    yield Case(
        "scan of chunks, 8192 x 4096",
        "layers.scan_chunks_kernel",
        lambda o: (4096 // o["BLOCK_D"],),
        [decay, x, empty(8192, 4096, dtype=F32), 8192, 4096],
        (2,),
        {"BLOCK_T": 64},
        ({"BLOCK_D": 32}, {"BLOCK_D": 64}),
    )
    chunks = 2048
    da = -torch.rand(chunks, 256, device="cuda").cumsum(1) * 0.1
    yield Case(
        "states of chunks (Mamba 2), 2048 x 256 x 64 x 128",
        "layers.chunk_state_kernel",
        lambda o: (64 // o["BLOCK_M"] * (128 // o["BLOCK_N"]), chunks),
        [
            random(chunks, 256, 64),
            random(chunks, 256, 128),
            torch.rand(chunks, 256, device="cuda"),
            da,
            empty(chunks, 64, 128, dtype=F32),
            256,
            64,
            128,
        ],
        (4,),
        {},
        (
            {"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 64, "num_warps": 4, "num_stages": 3},
            {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32, "num_warps": 4, "num_stages": 3},
        ),
    )
    heads, T, K, V = 64, 4096, 128, 128
    yield Case(
        "linear attention, 64 x 4096 x 128",
        "attention.linear_attention_kernel",
        lambda o: (V // o["BV"], heads),
        [
            random(heads, T, K, scale=0.2),
            random(heads, T, K, scale=0.2),
            random(heads, T, V),
            empty(heads, T, V),
            -torch.rand(heads, device="cuda") * 0.1,
            empty(heads, K, V, dtype=F32),
            T,
        ],
        (3, 5),
        {"K": K, "V": V, "BT": 64, "STORE_STATE": True},
        (
            {"BV": 64, "num_warps": 4, "num_stages": 2},
            {"BV": 64, "num_warps": 4, "num_stages": 1},
            {"BV": 32, "num_warps": 4, "num_stages": 2},
        ),
    )
