"""Benchmark cases of attention."""

from .._benchmark import ITEMSIZE, Case


def _torch_attention(causal):
    def run(q, k, v):
        import torch

        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

    return run


def cases(gpu):
    """Full and causal attention with heads of 64 and 128 elements."""
    on_gpu = [(4, 32, 4096, 64, "float16"), (4, 16, 4096, 128, "float16")]
    for B, H, N, D, dtype in on_gpu if gpu else [(1, 4, 1024, 64, "float32")]:
        for causal in (False, True):
            yield Case(
                "attention causal" if causal else "attention",
                f"{B} x {H} x {N} x {D}",
                dtype,
                make=lambda randn, shape=(B, H, N, D): tuple(randn(*shape) for _ in range(3)),
                run=lambda kernels, q, k, v, causal=causal: kernels.attention(q, k, v, causal),
                torch=_torch_attention(causal),
                bytes=4 * B * H * N * D * ITEMSIZE[dtype],
                flops=4 * B * H * N * N * D // (2 if causal else 1),
            )
