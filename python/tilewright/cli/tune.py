"""`tilewright tune`: listing, exporting and importing the results of autotuning."""

import json
import sys
from pathlib import Path

_DESCRIPTION = "List, export, import or forget the configurations that autotuned kernels have chosen."


def add_parser(commands):
    """Add the command to the parsers `commands`."""
    parser = commands.add_parser(
        "tune", help="look after the results of autotuning", description=_DESCRIPTION
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    show = actions.add_parser("list", help="show kernels, devices, keys and the configurations chosen")
    show.set_defaults(act=_list)
    export = actions.add_parser("export", help="write all results to a JSON file")
    export.add_argument("file", metavar="FILE")
    export.set_defaults(act=_export)
    take = actions.add_parser("import", help="add the results of a JSON file")
    take.add_argument("file", metavar="FILE")
    take.set_defaults(act=_import)
    actions.add_parser("clear", help="forget all results").set_defaults(act=_clear)
    parser.set_defaults(execute=execute)


def _list(cache, arguments):
    from ..tuning.results import entries

    results = [result for _, result in entries(cache)]
    for result in results:
        best = min(result["times"].values(), default=None)
        time = f"  {best:.4f} ms of {len(result['times'])} measured" if best is not None else ""
        # The name of a processor is followed by a list of its features.
        device = " ".join(result["device"].split(";")[:2])
        print(f"{result['kernel']}  {device}  {result['key']}\n    {result['config']}{time}")
    print(f"{len(results)} results")
    return 0


def _export(cache, arguments):
    from ..tuning.results import entries

    found = dict(entries(cache))
    Path(arguments.file).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(f"wrote {len(found)} results to {arguments.file}")
    return 0


def _import(cache, arguments):
    from ..tuning.results import check, store

    try:
        found = json.loads(Path(arguments.file).read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise ValueError("it is not a table of results, as `tilewright tune export` writes it")
        for entry, result in found.items():
            check(entry, result)
    except json.JSONDecodeError as error:
        print(
            f"tilewright tune: {arguments.file} cannot be imported: it is no JSON: {error}", file=sys.stderr
        )
        return 1
    except (OSError, ValueError) as error:
        print(f"tilewright tune: {arguments.file} cannot be imported: {error}", file=sys.stderr)
        return 1
    for entry, result in found.items():
        store(entry, result, cache)
    print(f"added {len(found)} results")
    return 0


def _clear(cache, arguments):
    from ..tuning.results import entries

    found = [entry for entry, _ in entries(cache)]
    for entry in found:
        cache.remove(entry)
    print(f"removed {len(found)} results")
    return 0


def execute(arguments):
    """Do it; gives the exit status."""
    from .. import _tilewright

    try:
        return arguments.act(_tilewright.Cache(), arguments)
    except BrokenPipeError:
        raise
    except (RuntimeError, OSError, ValueError) as error:
        print(f"tilewright tune: {error}", file=sys.stderr)
        return 1
