"""Choosing how a kernel is compiled: by measuring (`autotune`) or by rules (`heuristics`).

@tw.autotune(
    configs=[tw.Config({"BLOCK": block}, num_warps=warps) for block in (256, 1024) for warps in (4, 8)],
    key=["n"],
)
@tw.jit
def kernel(x, n, BLOCK: tl.constexpr): ...

kernel[lambda meta: (tw.cdiv(n, meta["BLOCK"]),)](x, n)
"""

from .autotuner import Autotuner, autotune
from .config import AutotunerError, Config
from .heuristics import Heuristics, heuristics
from .space import Space

__all__ = ["Autotuner", "AutotunerError", "Config", "Heuristics", "Space", "autotune", "heuristics"]
