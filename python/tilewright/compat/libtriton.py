"""The part of `triton._C.libtriton` that programs use: cuBLAS, for comparison."""

import types


class CublasLt:
    """Matrix multiplication by cuBLAS through PyTorch, which has its own workspace."""

    def __init__(self, workspace=None):
        del workspace

    def matmul(self, a, b, c):
        """c = a @ b.T of torch matrices of shapes (M, K), (N, K) and (M, N); 8-bit floats with fast sums."""
        import torch

        if a.element_size() == 1:
            one = torch.ones((), device=a.device)
            torch._scaled_mm(a, b.T, scale_a=one, scale_b=one, out_dtype=c.dtype, use_fast_accum=True, out=c)
        else:
            torch.mm(a, b.T, out=c)


nvidia = types.SimpleNamespace(cublas=types.SimpleNamespace(CublasLt=CublasLt))


def get_cache_invalidating_env_vars():
    """The variables that compiled kernels depend on, by name: none that is not part of their keys."""
    return {}


__all__ = ["get_cache_invalidating_env_vars", "nvidia"]
