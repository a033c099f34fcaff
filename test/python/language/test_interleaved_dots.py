"""Loops of several dots whose accumulators the threads use between dots: gradients of attention."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.options import Options
from tilewright.runtime.compiler import compile_kernel


@tw.jit
def gradients(
    q_ptr, k_ptr, v_ptr, do_ptr, m_ptr, delta_ptr, dq_ptr, dk_ptr, dv_ptr, N,
    B: tl.constexpr, STEP: tl.constexpr, D: tl.constexpr,
):  # fmt: skip
    """Gradients of a block of keys and of a block of queries.

    The start of the loop for the queries could be negative for all that is known at compile time.
    """
    here = tl.program_id(0) * B + tl.arange(0, B)
    step = tl.arange(0, STEP)
    d = tl.arange(0, D)
    k = tl.load(k_ptr + here[:, None] * D + d[None, :])
    v = tl.load(v_ptr + here[:, None] * D + d[None, :])
    dk = tl.zeros((B, D), tl.float32)
    dv = tl.zeros((B, D), tl.float32)
    for i in range(tl.program_id(0), N // STEP):
        rows = i * STEP + step
        qt = tl.load(q_ptr + rows[None, :] * D + d[:, None])
        ms = tl.load(m_ptr + rows)
        p = tl.exp2(tl.dot(k, qt) - ms[None, :])
        dos = tl.load(do_ptr + rows[:, None] * D + d[None, :])
        dv += tl.dot(p.to(tl.float16), dos)
        deltas = tl.load(delta_ptr + rows)
        ds = p * (tl.dot(v, tl.trans(dos)) - deltas[None, :])
        dk += tl.dot(ds.to(tl.float16), tl.trans(qt))
    tl.store(dk_ptr + here[:, None] * D + d[None, :], dk)
    tl.store(dv_ptr + here[:, None] * D + d[None, :], dv)

    q = tl.load(q_ptr + here[:, None] * D + d[None, :])
    do = tl.load(do_ptr + here[:, None] * D + d[None, :])
    m = tl.load(m_ptr + here)
    delta = tl.load(delta_ptr + here)
    dq = tl.zeros((B, D), tl.float32)
    end = tl.program_id(0) * B + B
    start = end - end // STEP * STEP
    for i in range(end // STEP):
        rows = start + i * STEP + step
        kt = tl.load(k_ptr + rows[None, :] * D + d[:, None])
        vt = tl.load(v_ptr + rows[None, :] * D + d[:, None])
        p = tl.exp2(tl.dot(q, kt) - m[:, None])
        ds = p * (tl.dot(do, vt) - delta[:, None])
        dq += tl.dot(ds.to(tl.float16), tl.trans(kt))
    tl.store(dq_ptr + here[:, None] * D + d[None, :], dq)


def expected_gradients(q, k, v, do, m, delta, block, step):
    """Computes in float64, with the rounding of the dot operands."""
    q, k, v, do = (x.astype(np.float64) for x in (q, k, v, do))
    p = np.exp2(q @ k.T - m[:, None])
    ds = p * (do @ v.T - delta[:, None])
    n = len(q)
    later = np.arange(n)[:, None] // step >= np.arange(n)[None, :] // block
    earlier = np.arange(n)[:, None] // block >= np.arange(n)[None, :] // block
    return [np.where(earlier, ds, 0) @ k, np.where(later, ds, 0).T @ q, np.where(later, p, 0).T @ do]


SIZES = [(64, 32, 64, 4), (128, 32, 64, 4), (128, 32, 128, 8), (64, 64, 64, 4), (128, 64, 64, 8)]


@pytest.mark.parametrize("block, step, d, num_warps", SIZES)
@pytest.mark.parametrize("stages", [2, 3])
def test_gradients(backend, rng, block, step, d, num_warps, stages):
    n = 2 * block
    q, k, v, do = (0.1 * rng.standard_normal((n, d)).astype(np.float32) for _ in range(4))
    q, k, v, do = (x.astype(np.float16) for x in (q, k, v, do))
    m, delta = (rng.random(n).astype(np.float32) for _ in range(2))
    outs = [backend.poisoned((n, d), "float32") for _ in range(3)]
    gradients[(n // block,)](
        *map(backend.array, (q, k, v, do, m, delta)),
        *outs,
        n,
        block,
        step,
        d,
        num_warps=num_warps,
        num_stages=stages,
    )
    for out, expected in zip(outs, expected_gradients(q, k, v, do, m, delta, block, step)):
        got = backend.numpy(out)
        assert np.linalg.norm(got - expected) <= 2e-3 * np.linalg.norm(expected)


@pytest.mark.compiled
@pytest.mark.parametrize("block, step, d, num_warps", SIZES)
@pytest.mark.parametrize("stages", [2, 3])
def test_compiled_for_hopper(block, step, d, num_warps, stages):
    pointers = dict.fromkeys(("q_ptr", "k_ptr", "v_ptr", "do_ptr"), "*fp16")
    pointers |= dict.fromkeys(("m_ptr", "delta_ptr", "dq_ptr", "dk_ptr", "dv_ptr"), "*fp32")
    compiled = compile_kernel(
        gradients.fn, pointers | {"N": "i32"}, {"B": block, "STEP": step, "D": d},
        dict.fromkeys([*pointers, "N"], 16), "sm_90a", Options(num_warps=num_warps, num_stages=stages),
        stop_after="ptx", report=True,
    )  # fmt: skip
    remarks = [remark for remark in compiled.report["remarks"] if remark["kind"] == "passed"]
    assert sum(remark["pass"] == "warp-interleave-dots" for remark in remarks) == 2
    if num_warps == 4:
        # Two CTAs still fit on an SM: each has half of the registers and of the shared memory.
        (roles,) = (remark["values"] for remark in compiled.report["remarks"] if remark["name"] == "Roles")
        registers = (
            int(roles[f"{kind}Warps"]) * int(roles[f"{kind}Registers"]) for kind in ("Consumer", "Producer")
        )
        assert 32 * sum(registers) <= 32 * 1024
        assert compiled.metadata["shared"] <= 113 * 1024
    # TMA also loads tiles whose end is not known to be a multiple of the step.
    assert sum(remark["message"] == "loaded by the tensor memory accelerator" for remark in remarks) == 8
