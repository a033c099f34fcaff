"""Each kind of matmul uses tensor maps and wgmma on sm_90a, without spills or advice of the assembler."""

import re

import pytest
from assembling import assemble, matmul_constants, needs_assembler, tensor_maps
from tilewright.kernels.activation.functions import gelu_erf, gelu_tanh, silu_fn
from tilewright.kernels.gemm.gated import gated_kernel
from tilewright.kernels.gemm.grouped import grouped_kernel, schedule_kernel
from tilewright.kernels.gemm.kernel import matmul_kernel, reduce_kernel
from tilewright.kernels.gemm.scaled import block_scaled_kernel

pytestmark = pytest.mark.compiled

WIDE = {"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64}
SQUARE = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64}
SMALL = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 128}
SKINNY = {"BLOCK_M": 64, "BLOCK_N": 16, "BLOCK_K": 128}
K_MAJOR = {"stride_bk": 1}
ROWS = {"stride_bn": 1}
BATCH = {"BATCH_O": 2, "BATCH_A": 2, "BATCH_B": 2}
EPILOGUE = {"HAS_ALPHA": True, "BIAS": "n", "ADD": "before", "stride_cn": 1}

# Operands, result, warps, stages and constants.
KINDS = {
    "wide NT": ("fp16", "fp16", 8, 4, WIDE | K_MAJOR),
    "wide NN": ("bf16", "bf16", 8, 4, WIDE | ROWS),
    "square": ("fp16", "fp16", 8, 4, SQUARE | K_MAJOR),
    "few tiles": ("bf16", "bf16", 4, 6, SMALL | ROWS),
    "64 x 128": ("fp16", "fp16", 4, 8, {"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 64} | K_MAJOR),
    "split along k": ("fp16", "fp32", 4, 6, SMALL | K_MAJOR | {"SPLIT_K": 4, "BATCH_O": 3}),
    "swapped": ("fp16", "fp16", 4, 8, SKINNY | K_MAJOR | {"BIAS": "m", "stride_om": 1, "stride_on": 8192}),
    "batch": ("fp16", "fp16", 8, 4, SQUARE | K_MAJOR | BATCH),
    "batch of batches": ("fp16", "fp16", 8, 4, WIDE | ROWS | {"BATCH_O": 3, "BATCH_A": 3, "BATCH_B": 1}),
    "bias, gelu": ("fp16", "fp16", 8, 4, WIDE | K_MAJOR | {"BIAS": "n", "ACTIVATION": gelu_erf}),
    "bias, gelu tanh": ("bf16", "bf16", 8, 4, WIDE | ROWS | {"BIAS": "n", "ACTIVATION": gelu_tanh}),
    "all but residual": ("fp16", "fp16", 8, 4, WIDE | K_MAJOR | EPILOGUE | {"ACTIVATION": silu_fn}),
    "residual": ("bf16", "fp32", 8, 4, WIDE | ROWS | {"ADD": "after", "stride_cn": 1}),
    "tf32": ("fp32", "fp32", 8, 4, SQUARE | K_MAJOR | {"BLOCK_K": 32, "PRECISION": "tf32"}),
    "tf32x3": ("fp32", "fp32", 8, 3, SQUARE | K_MAJOR | {"BLOCK_K": 32, "PRECISION": "tf32x3"}),
    "e4m3": ("fp8e4nv", "bf16", 8, 4, WIDE | K_MAJOR | {"BLOCK_K": 128}),
    "e4m3 exact": ("fp8e4nv", "bf16", 8, 4, SQUARE | K_MAJOR | {"BLOCK_K": 128, "SCALED": 3, "EXACT": True}),
    "e4m3 exact wide": (
        "fp8e4nv",
        "bf16",
        8,
        4,
        WIDE | K_MAJOR | {"BLOCK_K": 128, "SCALED": 3, "BIAS": "n", "EXACT": True},
    ),
    "e4m3 exact, one scale": (
        "fp8e4nv",
        "bf16",
        8,
        4,
        WIDE | K_MAJOR | {"BLOCK_K": 128, "SCALED": 12, "EXACT": True},
    ),
    "e4m3, one scale": ("fp8e4nv", "bf16", 8, 4, WIDE | K_MAJOR | {"BLOCK_K": 128, "SCALED": 12}),
    "e5m2 scaled": ("fp8e5", "fp16", 8, 4, WIDE | K_MAJOR | {"BLOCK_K": 128, "SCALED": 3}),
    "int8": ("i8", "i32", 8, 4, WIDE | K_MAJOR | {"BLOCK_K": 128}),
}

# Kinds that store without TMA: their rows are not known to be contiguous.
BY_THREADS = {"swapped"}


@needs_assembler
@pytest.mark.parametrize("name", KINDS)
def test_wgmma_by_tensor_maps(name):
    dtype, result, num_warps, num_stages, constants = KINDS[name]
    types = {"out_ptr": f"*{result}", "c_ptr": f"*{result}", "bias_ptr": f"*{result}"}
    scales = {"a_scale_ptr": "*fp32", "b_scale_ptr": "*fp32"}
    constants = matmul_constants(**constants)
    compiled = assemble(
        matmul_kernel, dtype, constants, "sm_90a", num_warps, num_stages, types=types | scales
    )
    assert "wgmma.mma_async" in compiled.asm["ptx"]
    assert compiled.metadata["advice"] == []
    maps, persistent = tensor_maps(compiled)
    assert maps == (2 if name in BY_THREADS else 3)
    assert persistent


@needs_assembler
@pytest.mark.parametrize("columns", [128, 160, 192])
@pytest.mark.parametrize("order", [K_MAJOR, ROWS], ids=["NT", "NN"])
def test_tiles_of_192_rows(columns, order):
    """Each of two warpgroups computes 64 of 128 rows, then half of the columns of 64 rows."""
    constants = matmul_constants(BLOCK_M=192, BLOCK_N=columns, BLOCK_K=64, **order)
    compiled = assemble(matmul_kernel, "fp16", constants, "sm_90a", 8, 4)
    assert "wgmma.mma_async" in compiled.asm["ptx"]
    assert tensor_maps(compiled)[1]
    assert (compiled.metadata["advice"], compiled.metadata["spills"]) == ([], 0)


@needs_assembler
@pytest.mark.parametrize("rows", (64, 128))
@pytest.mark.parametrize("columns", (80, 112, 208, 240))
def test_widths_of_many_powers_of_two(rows, columns):
    """One instruction computes all columns; each power of two of them has its own tensor map."""
    constants = matmul_constants(BLOCK_M=rows, BLOCK_N=columns, BLOCK_K=64, **K_MAJOR)
    compiled = assemble(matmul_kernel, "fp16", constants, "sm_90a", rows // 16, 4)
    assert f"wgmma.mma_async.sync.aligned.m64n{columns}k16" in compiled.asm["ptx"]
    maps, persistent = tensor_maps(compiled)
    assert maps > columns.bit_count() and persistent
    assert (compiled.metadata["advice"], compiled.metadata["spills"]) == ([], 0)


@needs_assembler
@pytest.mark.parametrize("scaled", [0, 3, 12])
def test_exact_accumulation_of_192_columns(scaled):
    """One instruction computes both parts of a tile, whose accumulators are read together."""
    tile = {"BLOCK_M": 128, "BLOCK_N": 192, "BLOCK_K": 128, "EXACT": True, "SCALED": scaled, "BIAS": "n"}
    types = {"out_ptr": "*bf16", "bias_ptr": "*bf16", "a_scale_ptr": "*fp32", "b_scale_ptr": "*fp32"}
    compiled = assemble(
        matmul_kernel, "fp8e4nv", matmul_constants(**tile, **K_MAJOR), "sm_90a", 8, 5, types=types
    )
    assert set(re.findall(r"wgmma\.mma_async\.sync\.aligned\.(\w+)", compiled.asm["ptx"])) == {"m64n192k32"}
    assert (compiled.metadata["advice"], compiled.metadata["spills"]) == ([], 0)


@needs_assembler
@pytest.mark.parametrize(
    "m, n, epilogue",
    [
        *[(*tile, {}) for tile in ((128, 128), (64, 256), (64, 192), (128, 64), (128, 160), (128, 192))],
        *[
            (*tile, {"BIAS": "n", "stride_bias": 1, "ACTIVATION": gelu_erf})
            for tile in ((128, 128), (64, 256), (128, 64), (128, 160), (128, 192))
        ],
    ],
)
def test_ping_pong(m, n, epilogue):
    """Each of two warpgroups has a tile, with as many registers as warpgroups that share one."""
    constants = matmul_constants(BLOCK_M=m, BLOCK_N=n, BLOCK_K=64, **K_MAJOR, **epilogue)
    compiled = assemble(matmul_kernel, "fp16", constants, "sm_90a", 4, 4, ping_pong=True)
    assert "ping_pong_groups 2" in compiled.asm["warp"]
    assert compiled.metadata["advice"] == []
    assert compiled.metadata["spills"] == 0


@needs_assembler
def test_sum_of_parts_spills_nothing():
    constants = matmul_constants(ACTIVATION=gelu_erf, BIAS="n", PARTS=8, BLOCK_M=4, BLOCK_N=128)
    constants = {name: value for name, value in constants.items() if name in reduce_kernel.arg_names}
    types = {"parts_ptr": "*fp32", "a_scale_ptr": "*fp32", "b_scale_ptr": "*fp32"}
    compiled = assemble(reduce_kernel, "fp16", constants, "sm_90a", 4, types=types)
    assert compiled.metadata["advice"] == []
    assert "ld.global.v4" in compiled.asm["ptx"]


@needs_assembler
@pytest.mark.parametrize(("a_extent", "b_extent", "columns"), [(1, 128, 128), (128, 128, 128), (1, 1, 64)])
def test_scales_of_blocks(a_extent, b_extent, columns):
    tile = {"BLOCK_M": 128, "BLOCK_N": columns, "BLOCK_K": 128, "GROUP_M": 8}
    extents = {"A_ROWS": a_extent, "B_COLUMNS": b_extent, "BIAS": "none", "ACTIVATION": None}
    constants = tile | extents | K_MAJOR | {"stride_on": 1, "stride_ak": 1}
    types = {"out_ptr": "*bf16", "a_scale_ptr": "*fp32", "b_scale_ptr": "*fp32"}
    compiled = assemble(block_scaled_kernel, "fp8e4nv", constants, "sm_90a", 8, 4, types=types)
    assert compiled.metadata["advice"] == []
    assert tensor_maps(compiled) == (3, True)


@needs_assembler
@pytest.mark.parametrize(("activation", "tile"), [(silu_fn, SQUARE), (gelu_erf, SQUARE), (silu_fn, SMALL)])
def test_gated(activation, tile):
    how = {"BIAS": 3, "ACTIVATION": activation, "PRECISION": "ieee", "GROUP_M": 8}
    constants = tile | how | {"stride_on": 1, "stride_ak": 1, "stride_gk": 1, "stride_uk": 1}
    num_warps = 8 if tile is SQUARE else 4
    compiled = assemble(gated_kernel, "bf16", constants, "sm_90a", num_warps, 4)
    assert compiled.metadata["advice"] == []
    assert tensor_maps(compiled) == (4, True)


@needs_assembler
@pytest.mark.parametrize(("order", "tile"), [(K_MAJOR, WIDE), (ROWS, WIDE), (K_MAJOR, SMALL)])
def test_grouped(order, tile):
    how = {"BIAS": "n", "ACTIVATION": silu_fn, "PRECISION": "ieee", "GROUP_M": 8}
    constants = tile | how | order | {"stride_on": 1, "stride_ak": 1, "stride_bias": 1}
    num_warps = 8 if tile is WIDE else 4
    types = {"table_ptr": "*i32"}
    compiled = assemble(grouped_kernel, "bf16", constants, "sm_90a", num_warps, 4, types=types)
    assert compiled.metadata["advice"] == []
    assert tensor_maps(compiled) == (3, True)


@needs_assembler
@pytest.mark.parametrize(
    "name", ["wide NT", "wide NN", "swapped", "batch of batches", "bias, gelu", "e4m3 exact", "tf32x3"]
)
def test_clusters(name):
    dtype, result, num_warps, num_stages, constants = KINDS[name]
    types = {"out_ptr": f"*{result}", "c_ptr": f"*{result}", "bias_ptr": f"*{result}"}
    scales = {"a_scale_ptr": "*fp32", "b_scale_ptr": "*fp32"}
    constants = matmul_constants(**constants)
    compiled = assemble(
        matmul_kernel, dtype, constants, "sm_90a", num_warps, num_stages, types=types | scales, num_ctas=2
    )
    assert compiled.metadata["cluster"] == 2
    assert "multicast::cluster" in compiled.asm["ptx"]
    assert compiled.metadata["advice"] == []
    assert compiled.metadata["spills"] == 0


@needs_assembler
def test_schedule_spills_nothing():
    constants = {"BLOCK_M": 128, "GROUPS": 64, "TILES": 64}
    assert assemble(schedule_kernel, "i32", constants, "sm_90a", 4).metadata["spills"] == 0
