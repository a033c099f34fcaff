"""`tilewright cache`: looking into the disk cache, and tidying it."""

import argparse
import json
import sys
from datetime import datetime

_DESCRIPTION = "List, bound, check or empty the disk cache of compiled kernels (see TILEWRIGHT_CACHE_DIR)."
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30}


def _size(text):
    """Bytes from "100M"."""
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].isalpha() else (text, "")
    if not number.isdigit() or unit not in _UNITS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number, optionally followed by K, M or G")
    return int(number) << _UNITS[unit]


def add_parser(commands):
    """Add the command to the parsers `commands`."""
    parser = commands.add_parser("cache", help="look after the disk cache", description=_DESCRIPTION)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    show = actions.add_parser("list", help="show the entries, the least recently used first")
    show.add_argument("--json", action="store_true", help="print JSON")
    show.set_defaults(act=_list)
    prune = actions.add_parser("prune", help="remove the least recently used entries")
    prune.add_argument(
        "--max-size",
        type=_size,
        metavar="SIZE",
        help="keep this much, e.g. 100M (default: the cache's bound)",
    )
    prune.set_defaults(act=_prune)
    actions.add_parser("verify", help="check every entry and remove the damaged ones").set_defaults(
        act=_verify
    )
    actions.add_parser("clear", help="remove every entry").set_defaults(act=_clear)
    parser.set_defaults(execute=execute)


def describe(key, blobs):
    """Describes an entry by its blobs (None: damaged): a dict of kind, name and target."""
    if blobs is None:
        return {"kind": "damaged", "name": "", "target": ""}
    try:
        metadata = json.loads(blobs["metadata"])
        found = {name: metadata.get(name, "") for name in ("kind", "name", "target")}
    except (KeyError, ValueError, AttributeError):  # written by another version
        found = {}
    if not found or not all(isinstance(text, str) for text in found.values()):
        return {"kind": "other", "name": "", "target": ""}
    return found | {"kind": found["kind"] or "kernel"}


def entries(cache):
    """A dict for each entry of a cache: key, bytes, used (seconds since 1970), kind, name, target."""
    return [
        {"key": key, "bytes": size, "used": used, **describe(key, cache.peek(key))}
        for key, size, used in cache.list()
    ]


def _list(cache, arguments):
    rows = entries(cache)
    if arguments.json:
        json.dump(rows, sys.stdout, indent=2)
        print()
        return 0
    for row in rows:
        used = datetime.fromtimestamp(row["used"]).isoformat(" ", "seconds")
        # The name of a processor is followed by a list of its features.
        target = " ".join(row["target"].split(";")[:2])
        what = f"{row['kind']:<8} {row['name']:<32} {target:<8}"
        print(f"{row['key'][:16]:<16}  {row['bytes']:>10}  {used}  {what}".rstrip())
    total = sum(row["bytes"] for row in rows)
    print(f"{len(rows)} entries, {total / 2**20:.1f} MiB of at most {cache.max_bytes / 2**20:.0f} MiB")
    return 0


def _prune(cache, arguments):
    before = cache.usage
    cache.prune(cache.max_bytes if arguments.max_size is None else arguments.max_size)
    after = cache.usage
    print(f"removed {before[0] - after[0]} entries, {after[0]} are left ({after[1] / 2**20:.1f} MiB)")
    return 0


def _verify(cache, arguments):
    keys = [key for key, _, _ in cache.list()]
    damaged = [key for key in keys if cache.peek(key) is None]
    for key in damaged:
        cache.get(key)  # removes damaged entries
        print(f"damaged, removed: {key}")
    print(f"checked {len(keys)} entries, {len(damaged)} were damaged")
    return 1 if damaged else 0


def _clear(cache, arguments):
    count, _ = cache.usage
    cache.clear()
    print(f"removed {count} entries")
    return 0


def execute(arguments):
    """Do it; gives the exit status: 1 for a cache that cannot be used, and where `verify` found damage."""
    from .. import _tilewright

    try:
        cache = _tilewright.Cache()
        return arguments.act(cache, arguments)
    except BrokenPipeError:
        raise
    except (RuntimeError, OSError, ValueError) as error:
        print(f"tilewright cache: {error}", file=sys.stderr)
        return 1
