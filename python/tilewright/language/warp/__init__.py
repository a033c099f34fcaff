"""The warp level of the language: `import tilewright.language.warp as warp`.

A kernel that uses it says itself what its warps do: which of them copy and which multiply, through which rings of
shared memory they hand blocks on, and when a product is waited for. Everything of `tl` works beside it. It needs a
GPU of Hopper's kind (sm_90a) or the interpreter; docs/warp-language.md explains the model.
"""

from .barriers import barrier, cluster_barrier, named_barrier, role_barrier
from .products import wgmma, wgmma_wait
from .rings import cluster_rank, ring, ring_buffer, slot
from .roles import role, specialize
from .shared import shared, shared_tile

__all__ = [
    "barrier",
    "cluster_barrier",
    "cluster_rank",
    "named_barrier",
    "ring",
    "ring_buffer",
    "role",
    "role_barrier",
    "shared",
    "shared_tile",
    "slot",
    "specialize",
    "wgmma",
    "wgmma_wait",
]
