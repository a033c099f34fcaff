"""Occupancy: the number of resident blocks per multiprocessor."""

from dataclasses import dataclass

#: The limiting resources, by their names in the compiler.
_RESOURCES = {"warps": "warps", "ctas": "blocks", "shared": "shared memory", "registers": "registers"}


@dataclass(frozen=True)
class Occupancy:
    """Blocks and warps that run on a multiprocessor at once, of `max_warps`; `limited_by` names the limiting
    resources ("registers", "shared memory", "warps", "blocks")."""

    blocks: int
    warps: int
    max_warps: int
    limited_by: tuple


def occupancy(capability, warps, registers, shared):
    """The `Occupancy` of a kernel on a GPU of `capability` (90 for 9.0); None for an unknown GPU.

    Blocks have `warps` warps, `registers` registers per thread (None if not known) and `shared` bytes of shared
    memory."""
    from .. import _tilewright

    found = _tilewright.occupancy(capability, warps, registers or 0, shared)
    if found is None:
        return None
    blocks, max_warps, limits = found
    limited_by = tuple(_RESOURCES[name] for name, limit in limits.items() if limit == blocks)
    return Occupancy(blocks, blocks * warps, max_warps, limited_by)
