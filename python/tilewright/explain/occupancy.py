"""Occupancy: the number of resident blocks per multiprocessor."""

from dataclasses import dataclass

#: By compute capability: maximum warps and blocks per multiprocessor, and its bytes of shared memory.
_LIMITS = {
    80: (64, 32, 164 << 10),
    86: (48, 16, 100 << 10),
    87: (48, 16, 164 << 10),
    89: (48, 24, 100 << 10),
    90: (64, 32, 228 << 10),
    100: (64, 32, 228 << 10),
    103: (64, 32, 228 << 10),
    120: (48, 24, 100 << 10),
}
_REGISTERS = 64 << 10
#: Shared memory that the system reserves for each block.
_RESERVED_SHARED = 1 << 10


@dataclass(frozen=True)
class Occupancy:
    """Blocks and warps that run on a multiprocessor at once, of `max_warps`; `limited_by` names the limiting
    resources ("registers", "shared memory", "warps", "blocks")."""

    blocks: int
    warps: int
    max_warps: int
    limited_by: tuple


def _multiple(value, unit):
    return -(-value // unit) * unit


def occupancy(capability, warps, registers, shared):
    """The `Occupancy` of a kernel on a GPU of `capability` (90 for 9.0); None for an unknown GPU.

    Blocks have `warps` warps, `registers` registers per thread (None if not known) and `shared` bytes of shared
    memory."""
    if capability not in _LIMITS:
        return None
    max_warps, max_blocks, max_shared = _LIMITS[capability]
    limits = {
        "warps": max_warps // warps,
        "blocks": max_blocks,
        "shared memory": max_shared // _multiple(shared + _RESERVED_SHARED, 128),
    }
    if registers:
        # Warps get registers in units of 256, from the quarter of a multiprocessor that they run on.
        per_quarter = _REGISTERS // 4 // _multiple(32 * registers, 256)
        limits["registers"] = 4 * per_quarter // warps
    blocks = min(limits.values())
    limited_by = tuple(name for name, limit in limits.items() if limit == blocks)
    return Occupancy(blocks, blocks * warps, max_warps, limited_by)
