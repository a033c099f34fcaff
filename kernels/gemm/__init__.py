"""Matrix products with a fused epilogue."""

from .config import Config
from .gated import gated_matmul
from .grouped import grouped_matmul
from .product import matmul
from .scaled import scaled_matmul

__all__ = ["Config", "gated_matmul", "grouped_matmul", "matmul", "scaled_matmul"]
