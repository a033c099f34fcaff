"""Matrix products with a fused epilogue."""

from .config import Config
from .matmul import matmul
from .scaled import scaled_matmul

__all__ = ["Config", "matmul", "scaled_matmul"]
