"""Memory as kernels see it: addresses that lie in the arrays given to them."""

import bisect
import ctypes

import numpy as np

from ..language.errors import LanguageError


class OutOfBounds(LanguageError, IndexError):
    """A kernel touched an address outside of its arrays."""


class Region:
    """A run of bytes that some arguments occupy."""

    def __init__(self, start, end, writeable, names):
        self.start, self.end, self.writeable, self.names = start, end, writeable, names
        self.bytes = np.frombuffer((ctypes.c_uint8 * (end - start)).from_address(start), dtype=np.uint8)


class Memory:
    """Reads and writes at arrays of addresses; everything outside of the known regions raises
    `OutOfBounds`.

    For a view, its own elements are known; with `owners`, all memory of its base array.
    """

    def __init__(self, owners=False):
        self.regions, self.owners = [], owners
        #: By device address, the memory there and its copy on the host, both as storages of torch.
        self._borrowed = {}

    def borrow(self, storage):
        """Copy memory of a device to the host, once for all arrays that share it. Returns the address offset of the
        copy."""
        there = storage.data_ptr()
        if there not in self._borrowed:
            self._borrowed[there] = storage, storage.cpu()
        return self._borrowed[there][1].data_ptr() - there

    def give_back(self):
        """Copy borrowed memory back to its device."""
        for there, here in self._borrowed.values():
            there.copy_(here)

    def add(self, name, start, size, writeable=True):
        """Make `size` bytes from the address `start` on accessible; overlapping ones become one region."""
        if not size:
            return
        end, names = start + size, [name]
        kept = []
        for region in self.regions:
            if region.start < end and start < region.end:
                start, end = min(start, region.start), max(end, region.end)
                names, writeable = region.names + names, writeable and region.writeable
            else:
                kept.append(region)
        self.regions = sorted([*kept, Region(start, end, writeable, names)], key=lambda region: region.start)

    def _region(self, address, size, what):
        starts = [region.start for region in self.regions]
        index = bisect.bisect_right(starts, address) - 1
        if index >= 0 and address + size <= self.regions[index].end:
            return self.regions[index]
        raise OutOfBounds(
            f"{what} {self._location_of(address)}", hint="mask the lanes that are out of bounds"
        )

    def _location_of(self, address):
        nearest = min(
            self.regions,
            key=lambda region: min(abs(address - region.start), abs(address - region.end)),
            default=None,
        )
        if nearest is None:
            return f"at address {address:#x}: the kernel has no arrays"
        names = " and ".join(repr(name) for name in nearest.names)
        if address < nearest.start:
            return f"{nearest.start - address} bytes before the start of {names}"
        return f"{address - nearest.end} bytes past the end of {names}"

    def _pieces(self, addresses, size, what):
        """Split addresses by region: (region, which of the addresses, byte offsets in it)."""
        rest = np.arange(addresses.size)
        while rest.size:
            region = self._region(int(addresses[rest[0]]), size, what)
            offsets = addresses[rest] - region.start
            inside = (offsets >= 0) & (offsets + size <= region.end - region.start)
            yield region, rest[inside], offsets[inside]
            rest = rest[~inside]

    def load(self, addresses, mask, dtype):
        """The elements at the addresses where `mask` is true, zeros elsewhere."""
        flat, wanted = addresses.reshape(-1), np.flatnonzero(mask)
        result = np.zeros(flat.size, dtype)
        for region, which, offsets in self._pieces(flat[wanted], dtype.itemsize, "load"):
            picked = region.bytes[offsets[:, None] + np.arange(dtype.itemsize)]
            result[wanted[which]] = np.ascontiguousarray(picked).view(dtype).reshape(-1)
        return result.reshape(addresses.shape)

    def store(self, addresses, mask, values):
        """Write the elements where `mask` is true."""
        flat, wanted = addresses.reshape(-1), np.flatnonzero(mask)
        size = values.dtype.itemsize
        source = np.ascontiguousarray(values).reshape(-1)[wanted].view(np.uint8).reshape(-1, size)
        for region, which, offsets in self._pieces(flat[wanted], size, "store"):
            if not region.writeable:
                names = " and ".join(repr(name) for name in region.names)
                raise LanguageError(f"store to {names}, which is read-only")
            region.bytes[offsets[:, None] + np.arange(size)] = source[which]
