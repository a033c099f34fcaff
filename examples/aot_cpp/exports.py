"""The kernels of the C++ program: matmul and attention of tilewright.kernels, for f16."""

import tilewright as tw
from tilewright.kernels.attention.kernel import attention_kernel
from tilewright.kernels.gemm.kernel import matmul_kernel

# Parameters with constants are not arguments of the C function: those that this program does not use.
PLAIN = {
    "c_ptr": None,
    "bias_ptr": None,
    "a_scale_ptr": None,
    "b_scale_ptr": None,
    **dict.fromkeys(("stride_cm", "stride_cn", "stride_bias", "stride_sa", "stride_sb", "stride_part"), 0),
    **dict.fromkeys([f"stride_{array}{i}" for array in "oabc" for i in range(2)], 0),
    **dict.fromkeys(("stride_on", "stride_ak", "stride_bn", "inner"), 1),
    "alpha": 1.0,
    "beta": 0.0,
    "SCALED": False,
    "HAS_ALPHA": False,
    "BIAS": "none",
    "ADD": "none",
    "ACTIVATION": None,
    "INDICES": "",
    "extra": (),
    "PRECISION": "ieee",
    "EXACT": False,
    **dict.fromkeys(("BATCH_O", "BATCH_A", "BATCH_B", "BATCH_C"), 0),
    "SPLIT_K": 1,
    "GROUP_M": 8,
}


def gemm(m, n, k, **how):
    """Returns a variant of matmul with blocks of these extents."""
    return tw.aot.Variant({**PLAIN, "BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k}, **how)


# out (M x N) = a (M x K) @ b (K x N) with row strides; fastest if they are multiples of 16.
tw.aot.export(
    matmul_kernel,
    name="gemm",
    signature="*fp16:16, *fp16:16, *fp16:16, i32, i32, i32, i32:16, i32:16, i32:16",
    variants=[
        gemm(
            128,
            256,
            64,
            num_warps=8,
            num_stages=4,
            targets="sm_90a",
            when="cdiv(M, 128) * cdiv(N, 256) >= 100",
        ),
        gemm(
            128,
            128,
            64,
            num_warps=8,
            num_stages=4,
            targets="sm_90a",
            when="cdiv(M, 128) * cdiv(N, 128) >= 100",
        ),
        gemm(64, 64, 64, num_warps=4, num_stages=4, targets=("sm_80", "sm_90a")),
        gemm(128, 128, 128, targets="cpu"),
    ],
    grid="cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)",
)


def attention(m, n, d, **how):
    """Returns a variant of attention with blocks of m rows and n keys."""
    return tw.aot.Variant({"CAUSAL": True, "BLOCK_M": m, "BLOCK_N": n, "BLOCK_D": d}, **how)


# Causal attention for heads of up to 64 or 128 elements.
tw.aot.export(
    attention_kernel,
    name="attention",
    signature="*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32, i32, i32, i32:16, fp32" + ", i32:16" * 12,
    variants=[
        attention(64, 64, 64, num_warps=4, num_stages=3, targets=("sm_80", "sm_90a"), when="head_size <= 64"),
        attention(128, 128, 128, num_warps=8, num_stages=2, targets="sm_90a", when="head_size <= 128"),
        attention(64, 32, 128, num_warps=4, targets="sm_80", when="head_size <= 128"),
        attention(64, 32, 64, targets="cpu", when="head_size <= 64"),
        attention(64, 32, 128, targets="cpu", when="head_size <= 128"),
    ],
    grid="cdiv(n_rows, BLOCK_M), batch * n_heads",
    sizes=["batch"],  # not an argument of the kernel
)
