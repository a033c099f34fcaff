"""The warp level of the language: `import tilewright.language.warp as warp`.

A kernel that uses it assigns the work of its warps: which warps copy and which multiply, the rings of shared memory that
pass blocks between them, and where a wgmma is waited for. All of `tl` is available in the same kernel. The target is a
Hopper GPU (sm_90a) or the interpreter. docs/warp-language.md explains the model.
"""

from .barriers import barrier, cluster_barrier, named_barrier, role_barrier
from .mma import wgmma, wgmma_wait
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
