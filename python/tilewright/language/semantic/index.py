"""`x[:, None]`: indexing of blocks."""

from ..errors import LanguageError
from .convert import describe
from .promote import expand_dims

_HINT = (
    "blocks take ':', None and '...' as indices, as in x[:, None]; elements come from memory or a reduction"
)


def getitem(value, index):
    """Insert a side of 1 at each None; every ':' keeps a side."""
    entries = list(index) if isinstance(index, tuple) else [index]
    rank = len(value.shape)
    kept = sum(entry is not None and entry is not Ellipsis for entry in entries)
    ellipses = [position for position, entry in enumerate(entries) if entry is Ellipsis]
    if len(ellipses) == 1:
        position = ellipses[0]
        entries[position : position + 1] = [slice(None)] * (rank - kept)
        kept = rank
    for entry in entries:
        if entry is not None and not (isinstance(entry, slice) and entry == slice(None)):
            raise LanguageError(f"cannot index a block with {_spell(entry)}", hint=_HINT)
    if kept > rank:
        raise LanguageError(f"{kept} indices for a block of rank {rank}", hint=_HINT)
    for axis, entry in enumerate(entries):
        if entry is None:
            value = expand_dims(value, axis)
    return value


def _spell(entry):
    if isinstance(entry, slice):
        return "a slice with bounds"
    return describe(entry)
