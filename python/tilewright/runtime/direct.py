"""The path from a call to its kernel on disk without the front end.

The cache finds kernels by their IR, which the front end has to make first. So the cache also keeps the front end's result
for each request, with notes on all Python values that it read (`frontend.reads`). If these are unchanged, so is the IR.
"""

import json
import os
import sys
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from .. import knobs
from ..frontend.guards import Guards
from ..frontend.reads import guards_if_same, notes
from ..frontend.signatures import signature_of
from ..frontend.values import wrap
from ..language.constexpr import unwrap
from .plain import plain, plain_tree

#: The parts of this package that decide on the IR, besides the library.
_PARTS = ("frontend", "language", "runtime")


@lru_cache(maxsize=1)
def _package_state():
    """The modification times of the files of this package that decide on the IR."""
    root = Path(__file__).resolve().parents[1]
    state = []
    for part in _PARTS:
        for directory, _, files in sorted(os.walk(root / part)):
            for name in sorted(files):
                if name.endswith(".py"):
                    found = os.stat(os.path.join(directory, name))
                    state.append((directory, name, found.st_size, found.st_mtime_ns, found.st_ctime_ns))
    return repr(state)


def key_of(fn, arg_types, constexprs, attrs, options, trees, extents, decides):
    """The key of a request: like that of a kernel, with the input of the front end instead of its output.

    `decides` is the rest of a kernel's key. None for a request that is not plain data."""
    try:
        request = [
            [fn.__code__.co_filename, fn.__code__.co_firstlineno, fn.__module__, fn.__qualname__],
            [[name, given if isinstance(given, str) else plain(given)] for name, given in arg_types.items()],
            [[name, plain(value)] for name, value in constexprs.items()],
            sorted((attrs or {}).items()),
            options.items(),
            [[name, plain_tree(tree)] for name, tree in (trees or {}).items()],
            bool(extents),
            [knob.text() for knob in (knobs.TRITON_GLOBALS, knobs.TRITON_F32_DEFAULT)],
        ]
    except TypeError:
        return None
    from .. import _tilewright

    parts = ["direct", sys.version, _package_state(), json.dumps(request), *decides]
    return _tilewright.sha256("\0".join(parts).encode())


class Kept(NamedTuple):
    """The result of the front end: the key of the kernel, the names of its arguments and constants, and the guards of the
    Python values that it read."""

    key: str
    arguments: list
    constants: list
    guards: Guards


def find(cache, key, fn):
    """The front end's result for a request of the function `fn`, a `Kept`; None if it is not known."""
    blobs = cache.get(key)
    try:
        kept = json.loads(blobs["notes"]) if blobs else None
        guards = guards_if_same(fn, kept["notes"]) if kept else None
        if guards is None:
            return None
        return Kept(kept["kernel"], kept["arguments"], kept["constants"], guards)
    except (KeyError, TypeError, ValueError):  # written by another version
        return None


def keep(cache, key, kernel, tile, target):
    """Keep the front end's result, the `TileModule` `tile`. `kernel` is its key."""
    noted = notes(tile.reads)
    if noted is None:
        return
    kept = {"notes": noted, "kernel": kernel, "arguments": [*tile.arg_types], "constants": [*tile.constexprs]}
    metadata = {"kind": "notes", "name": tile.name, "target": target}
    cache.put(key, {"metadata": json.dumps(metadata).encode(), "notes": json.dumps(kept).encode()})


def constants_of(fn, names, constexprs):
    """The constants of a kernel by name, as the front end gives them: those of a call, and defaults."""
    defaults = signature_of(fn).parameters
    given = {name: constexprs[name] if name in constexprs else defaults[name].default for name in names}
    return {name: wrap(unwrap(value)) for name, value in given.items()}
