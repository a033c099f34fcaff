"""Matrix products with a fused epilogue."""

from .kernel import matmul

__all__ = ["matmul"]
