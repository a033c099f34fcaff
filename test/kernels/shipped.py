"""All configurations of the kernels of `tilewright.kernels` on a Hopper GPU.

A `Shipped` is one compilation. Those with `covers` are a subset that has each kernel with each of its tiles.
"""

import itertools
from dataclasses import dataclass

import tilewright as tw
from assembling import matmul_constants
from tilewright.kernels._rows import row_warps
from tilewright.kernels.activation.backward import activation_backward_kernel
from tilewright.kernels.activation.functions import gelu_erf, silu_fn
from tilewright.kernels.activation.kernel import BLOCK as ACTIVATION_BLOCK
from tilewright.kernels.activation.kernel import activation_kernel
from tilewright.kernels.attention.kernel import _config as attention_config
from tilewright.kernels.attention.kernel import attention_kernel
from tilewright.kernels.elementwise.kernel import BLOCK as ADD_BLOCK
from tilewright.kernels.elementwise.kernel import add_kernel
from tilewright.kernels.gemm.config import Problem, candidates, choose_hopper, default
from tilewright.kernels.gemm.gated import gated_kernel
from tilewright.kernels.gemm.grouped import grouped_kernel, schedule_kernel
from tilewright.kernels.gemm.kernel import matmul_kernel, reduce_kernel
from tilewright.kernels.gemm.rows import BLOCK as COPY_BLOCK
from tilewright.kernels.gemm.rows import copy_kernel
from tilewright.kernels.gemm.scaled import SCALE_BLOCK, block_scaled_kernel
from tilewright.kernels.norm import backward as norm_backward
from tilewright.kernels.norm import kernel as norm
from tilewright.kernels.norm.backward import PART_COLUMNS, PART_ROWS
from tilewright.kernels.norm.backward_kernel import (
    add_parts_kernel,
    norm_backward_kernel,
    norm_backward_long_kernel,
    norm_parts_kernel,
)
from tilewright.kernels.softmax import kernel as softmax
from tilewright.kernels.softmax.backward import softmax_backward_kernel, softmax_backward_long_kernel

FLOATS = ("fp16", "bf16", "fp32")
# One type of each size: the model depends on the size only.
OPERANDS = ("fp8e4nv", "bf16", "fp32")
SIZES = {"fp8e4nv": 1, "bf16": 2, "fp32": 4, "i8": 1}
BIASED = ("out_ptr", "gate_bias_ptr", "up_bias_ptr")
PROCESSORS = Problem(1, 1, 1, 1, 2).processors
EXTENTS = (1, 16, 64, 100, 512, 1024, 4096), (64, 512, 1024, 4096, 8192), (64, 512, 4096, 65536)


@dataclass
class Shipped:
    """Arguments of `assembling.assemble`.

    `covers`: whether it is part of the subset; `engine`: whether it must use tensor maps and wgmma.
    """

    name: str
    kernel: object
    dtype: str
    constants: dict
    options: dict
    types: dict
    covers: bool = True
    engine: bool = False


def split(launch):
    """Splits a launch into constants and options."""
    options = ("num_warps", "num_stages", "num_ctas", "ping_pong", "single_wave", "maxnreg")
    return {k: v for k, v in launch.items() if k not in options}, {
        k: v for k, v in launch.items() if k in options
    }


def choices(itemsize, **how):
    """Yields the choices of the cost model for small to large matmuls.

    Each comes with two flags: whether each program has a multiprocessor to itself, and whether the tile is new.
    """
    found, tiles = {}, set()
    for M, N, K in itertools.product(*EXTENTS):
        config = choose_hopper(Problem(M, N, K, 1, itemsize, **how))
        rows, columns = (N, M) if config.swap else (M, N)
        programs = tw.cdiv(rows, config.block_m) * tw.cdiv(columns, config.block_n) * config.split_k
        alone = programs <= PROCESSORS and not config.ping_pong
        key = (config.block_m, config.block_n, config.block_k, config.num_warps, config.num_stages)
        found.setdefault((*key, config.split_k > 1, config.swap, config.ping_pong, alone), (config, alone))
    for config, alone in found.values():
        tile = (config.block_m, config.block_n, config.ping_pong)
        yield config, alone, tile not in tiles
        tiles.add(tile)


def describe(kernel, dtype, config, *more, alone=False):
    """Returns a name for a test."""
    tile = f"{config.block_m}x{config.block_n}x{config.block_k}"
    parts = ["split"] * (config.split_k > 1) + ["swap"] * config.swap + ["ping-pong"] * config.ping_pong
    parts += ["alone"] * alone
    stages = f"{config.num_warps}w{config.num_stages}s"
    return " ".join([kernel, dtype, tile, stages, *parts, *more])


def matmuls():
    """Plain matmuls of each operand type, and 8-bit ones with exact accumulation."""
    orders = {"NT": {"stride_bk": 1}, "NN": {"stride_bn": 1}}
    scales = {"a_scale_ptr": "*fp32", "b_scale_ptr": "*fp32"}
    for dtype, exact in [(dtype, False) for dtype in OPERANDS] + [("fp8e4nv", True)]:
        for config, alone, is_new in choices(SIZES[dtype], exact=exact):
            for order, strides in orders.items():
                # 8-bit and 32-bit operands are copied to be contiguous along k.
                if SIZES[dtype] != 2 and order == "NN":
                    continue
                constants, options = split(config.launch(alone))
                parts = {"BATCH_O": 3} if config.split_k > 1 else {"BIAS": "m" if config.swap else "n"}
                precision = {"PRECISION": "tf32" if dtype == "fp32" else "ieee"}
                # The kernel that adds the parts applies the scales.
                how = {"EXACT": True, "SCALED": 0 if config.split_k > 1 else 3} if exact else {}
                how |= {"stride_sa": 1, "stride_sb": 1, "stride_bias": 1}
                result = "fp32" if config.split_k > 1 else "bf16"
                types = dict.fromkeys(("out_ptr", "c_ptr", "bias_ptr"), f"*{result}") | scales
                yield Shipped(
                    describe("matmul", dtype, config, order, *["exact"] * exact, alone=alone),
                    matmul_kernel,
                    dtype,
                    matmul_constants(**constants, **parts, **precision, **how, **strides),
                    options,
                    types,
                    is_new and order == "NT",
                    engine=True,
                )


# Matmuls in tiles of other widths: operand type, layout and epilogue.
WIDTHS = [
    *itertools.product(
        (("bf16", "NT"), ("bf16", "NN"), ("fp8e4nv", "NT"), ("i8", "NT")),
        ("plain", "gelu", "added", "added gelu", "added scaled gelu"),
    ),
    *itertools.product((("bf16", "NT"), ("bf16", "NN")), ("scaled silu to fp32",)),
    *itertools.product((("fp8e4nv", "NT"),), ("exact", "exact gelu")),
]
FOLLOWS = {
    "gelu": {"BIAS": "n", "stride_bias": 1, "ACTIVATION": gelu_erf},
    "added": {"ADD": "after", "stride_cn": 1},
    "added gelu": {"BIAS": "n", "stride_bias": 1, "ADD": "after", "stride_cn": 1, "ACTIVATION": gelu_erf},
}
FOLLOWS["added scaled gelu"] = FOLLOWS["added gelu"] | {
    "SCALED": 3,
    "stride_sa": 1,
    "stride_sb": 1,
    "HAS_ALPHA": True,
}
FOLLOWS["scaled silu to fp32"] = {
    "BIAS": "n",
    "stride_bias": 1,
    "SCALED": 3,
    "stride_sa": 1,
    "stride_sb": 1,
    "ACTIVATION": silu_fn,
}


def matmuls_of_other_widths():
    """Matmuls with ping-pong, or in tiles whose rows or columns are not a power of two."""
    for (dtype, order), kind in WIDTHS:
        known = {"plain": kind == "plain", "exact": kind.startswith("exact"), "b_along_k": order == "NT"}
        chosen = candidates(Problem(1536, 1536, 8192, 1, SIZES[dtype], **known))
        for config, alone in itertools.product(chosen, (False, True)):
            powers = config.block_m.bit_count() == config.block_n.bit_count() == 1
            if (powers and not config.ping_pong) or config.split_k > 1 or (alone and config.ping_pong):
                continue
            constants, options = split(config.launch(alone))
            how = {"EXACT": known["exact"], "stride_bk" if order == "NT" else "stride_bn": 1}
            how |= FOLLOWS.get(kind.removeprefix("exact "), {})
            # Scaled matmuls have no added matrix.
            if SIZES[dtype] == 1 and not kind.startswith(("plain", "added")):
                how |= {"SCALED": 3, "stride_sa": 1, "stride_sb": 1}
            result = (
                "*i32" if dtype == "i8" and kind == "plain" else "*fp32" if kind.endswith("fp32") else "*bf16"
            )
            scales = {"a_scale_ptr": "*fp32", "b_scale_ptr": "*fp32"}
            yield Shipped(
                describe("matmul", dtype, config, order, kind, alone=alone),
                matmul_kernel,
                dtype,
                matmul_constants(**constants, **how),
                options,
                dict.fromkeys(("out_ptr", "c_ptr", "bias_ptr"), result) | scales,
                (
                    (dtype, order) == ("bf16", "NT")
                    and (not kind.startswith(("added", "scaled")) or config.ping_pong)
                    and not alone
                )
                or (known["exact"] and not alone),
                engine=True,
            )


def other_matmuls():
    """Configurations that the model does not choose: tf32x3, and matmuls on CUDA cores."""
    for precision, by_threads in (("tf32x3", False), ("ieee", True)):
        config = default(Problem(4096, 4096, 4096, 1, 4), True, precision, by_threads)
        constants, options = split(config.launch())
        constants = matmul_constants(**constants, PRECISION=precision, stride_bk=1)
        types = {"a_scale_ptr": "*fp32", "b_scale_ptr": "*fp32"}
        yield Shipped(describe("matmul", precision, config), matmul_kernel, "fp32", constants, options, types)
    constants = matmul_constants(ACTIVATION=gelu_erf, BIAS="n", PARTS=8, BLOCK_M=4, BLOCK_N=128)
    constants = {name: value for name, value in constants.items() if name in reduce_kernel.arg_names}
    types = {"parts_ptr": "*fp32", "a_scale_ptr": "*fp32", "b_scale_ptr": "*fp32"}
    yield Shipped("sum of parts", reduce_kernel, "fp16", constants, {"num_warps": 4}, types)
    constants = {"BLOCK_M": 128, "GROUPS": 64, "TILES": 64}
    yield Shipped("schedule of groups", schedule_kernel, "i32", constants, {"num_warps": 4}, {})


def copies():
    """Copies of operands that are contiguous along rows or along columns."""
    for step, is_new in (("stride_xn", True), ("stride_xm", False)):
        constants = {"BLOCK": COPY_BLOCK, step: 1}
        yield Shipped(f"copy {step}", copy_kernel, "fp16", constants, {"num_warps": 4}, {}, is_new)


def fused_matmuls():
    """Gated units, groups and matmuls with block scales."""
    for dtype in OPERANDS:
        precision = {"PRECISION": "tf32" if dtype == "fp32" else "ieee"}
        unit = {"stride_on": 1, "stride_ak": 1}
        for config, alone, is_new in choices(SIZES[dtype], accumulators=2, whole=True):
            constants, options = split(config.launch(alone))
            del constants["SPLIT_K"]
            how = {"BIAS": 3, "ACTIVATION": silu_fn, "stride_gk": 1, "stride_uk": 1}
            result = {} if dtype != "fp8e4nv" else dict.fromkeys(BIASED, "*bf16")
            yield Shipped(
                describe("gated", dtype, config, alone=alone),
                gated_kernel,
                dtype,
                constants | how | unit | precision,
                options,
                result,
                is_new and dtype == "bf16",
                engine=True,
            )
        for config, alone, is_new in choices(SIZES[dtype], whole=True):
            constants, options = split(config.launch(alone))
            del constants["SPLIT_K"]
            how = {"BIAS": "n", "ACTIVATION": silu_fn, "stride_bk": 1, "stride_bias": 1}
            types = {"table_ptr": "*i32"}
            types |= {} if dtype != "fp8e4nv" else dict.fromkeys(("out_ptr", "bias_ptr"), "*bf16")
            yield Shipped(
                describe("grouped", dtype, config, alone=alone),
                grouped_kernel,
                dtype,
                constants | how | unit | precision,
                options,
                types,
                is_new and dtype == "bf16",
                engine=True,
            )
    for columns in (1, SCALE_BLOCK):
        known = {
            "exact": True,
            "whole": True,
            "scale_block": SCALE_BLOCK,
            "accumulators": 2 if columns == 1 else 1,
        }
        for config, alone, is_new in choices(1, **known):
            constants, options = split(config.launch(alone))
            del constants["SPLIT_K"]
            how = {"A_ROWS": 1, "B_COLUMNS": columns, "BIAS": "none", "ACTIVATION": None, "stride_bk": 1}
            types = {"out_ptr": "*bf16", "a_scale_ptr": "*fp32", "b_scale_ptr": "*fp32"}
            yield Shipped(
                describe("scaled", "fp8e4nv", config, f"{columns} columns a scale", alone=alone),
                block_scaled_kernel,
                "fp8e4nv",
                constants | how | {"stride_on": 1, "stride_ak": 1},
                options,
                types,
                is_new,
                engine=True,
            )


def attentions():
    """Each head size and type, causal or not."""
    for dtype, size, causal in itertools.product(FLOATS, (16, 32, 64, 128), (False, True)):
        constants, options = split(attention_config(True, 4 if dtype == "fp32" else 2, size))
        constants |= {"CAUSAL": causal, "BLOCK_D": size}
        name = f"attention {dtype} {size}{' causal' if causal else ''}"
        covers = (dtype == "bf16" and size >= 64) or (dtype == "fp32" and causal and size == 128)
        yield Shipped(name, attention_kernel, dtype, constants, options, {}, covers)


def sums_in_float32(kernel):
    """Returns the types of the pointers to partial sums and statistics, which are float32."""
    names = ("parts_ptr", "w_parts_ptr", "b_parts_ptr", "statistics_ptr")
    return {name: "*fp32" for name in kernel.arg_names if name in names}


def backward_options(block):
    """Returns the options of the gradients of the norms."""
    warps = norm_backward.warps_of(block)
    return {"num_warps": warps, "maxnreg": norm_backward.registers_of(warps)}


def rows():
    """Memory-bound kernels: each row length with its own kernel, and the kernels for any length."""
    for dtype in FLOATS:
        yield Shipped(f"add {dtype}", add_kernel, dtype, {"BLOCK": ADD_BLOCK}, {"num_warps": 8}, {})
        for function in ("gelu_erf", "gelu_tanh", "silu"):
            yield Shipped(
                f"{function} backward {dtype}",
                activation_backward_kernel,
                dtype,
                {"FUNCTION": function, "BLOCK": ACTIVATION_BLOCK},
                {"num_warps": 8},
                {},
                dtype == "bf16",
            )
            constants = {"FUNCTION": function, "BLOCK": ACTIVATION_BLOCK}
            yield Shipped(
                f"{function} {dtype}",
                activation_kernel,
                dtype,
                constants,
                {"num_warps": 8},
                {},
                dtype == "bf16",
            )
        both = {"CENTER": True, "HAS_WEIGHT": True, "HAS_BIAS": True}
        rms = both | {"CENTER": False, "HAS_BIAS": False}
        for exponent in range(15):
            block = 1 << exponent
            warps = {"num_warps": row_warps(block)}
            normalises = warps | {"maxnreg": norm.REGISTERS}
            for name, kernel, constants, options in (
                ("softmax", softmax.softmax_kernel, {}, warps),
                ("softmax backward", softmax_backward_kernel, {}, {"num_warps": 2 * row_warps(block)}),
                ("layer norm backward", norm_backward_kernel, both, backward_options(block)),
                ("rms norm backward", norm_backward_kernel, rms, backward_options(block)),
                ("layer norm", norm.norm_kernel, both, normalises),
                ("rms norm", norm.norm_kernel, rms, normalises),
            ):
                longest = norm_backward.MAX_BLOCK if kernel is norm_backward_kernel else softmax.MAX_BLOCK
                if block > longest:
                    continue
                yield Shipped(
                    f"{name} {dtype} {block}",
                    kernel,
                    dtype,
                    constants | {"BLOCK": block},
                    options,
                    sums_in_float32(kernel),
                    block in (128, longest) and dtype != "fp16",
                )
        warps = {"num_warps": 4}
        long = {"CENTER": False, "HAS_WEIGHT": True, "BLOCK": norm.LONG_BLOCK}
        normalises = warps | {"maxnreg": norm.REGISTERS}
        for name, kernel, constants, options in (
            ("softmax", softmax.softmax_long_kernel, {"BLOCK": softmax.LONG_BLOCK}, warps),
            (
                "softmax backward",
                softmax_backward_long_kernel,
                {"BLOCK": softmax.LONG_BLOCK},
                {"num_warps": 8},
            ),
            ("layer norm backward", norm_backward_long_kernel, long | {"CENTER": True}, {"num_warps": 8}),
            ("rms norm backward", norm_backward_long_kernel, long, {"num_warps": 8}),
            (
                "parts",
                norm_parts_kernel,
                {"HAS_WEIGHT": True, "HAS_BIAS": True, "BLOCK": PART_COLUMNS},
                warps,
            ),
            ("sum of parts of rows", add_parts_kernel, {"ROWS": PART_ROWS, "BLOCK": PART_COLUMNS}, warps),
            ("layer norm", norm.norm_long_kernel, both | {"BLOCK": norm.LONG_BLOCK}, normalises),
            ("rms norm", norm.norm_long_kernel, rms | {"BLOCK": norm.LONG_BLOCK}, normalises),
        ):
            types = sums_in_float32(kernel)
            yield Shipped(f"{name} {dtype} long", kernel, dtype, constants, options, types, dtype == "bf16")


SHIPPED = [
    *matmuls(),
    *matmuls_of_other_widths(),
    *other_matmuls(),
    *copies(),
    *fused_matmuls(),
    *attentions(),
    *rows(),
]
