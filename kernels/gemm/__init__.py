"""Matrix multiplication with a fused epilogue."""

from .config import Config
from .dense import matmul
from .gated import gated_matmul
from .grouped import grouped_matmul
from .scaled import scaled_matmul

__all__ = ["Config", "gated_matmul", "grouped_matmul", "matmul", "scaled_matmul"]
