"""Matrix products with a fused epilogue."""

from .config import Config
from .matmul import matmul

__all__ = ["Config", "matmul"]
