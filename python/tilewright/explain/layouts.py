"""The layouts that the text of a kernel of the `warp` dialect names."""

import re

_ALIAS = re.compile(r"^#(\w+) = #warp\.linear<\{(.*)\}>$", re.MULTILINE)
_AXIS = re.compile(r"(\w+) = \[((?:\[[^\]]*\](?:, )?)*)\]")
_SHARED = re.compile(r"!warp\.shared<[\dx]*x([a-z]+\d+)\w*, #(\w+)>")
_BITS = re.compile(r"\d+")


def layouts_of(warp):
    """Dicts of `name`, `rank`, `axes` (bases by axis: "register", "lane", "warp", "block", or "offset" of shared
    memory) and `bytes` (of an element, for layouts of shared memory), for each layout with a name."""
    widths = {alias: max(int(_BITS.search(type)[0]) // 8, 1) for type, alias in _SHARED.findall(warp)}
    layouts = []
    for name, body in _ALIAS.findall(warp):
        axes = {
            axis: [[int(value) for value in basis.split(",")] for basis in re.findall(r"\[([^\]]+)\]", bases)]
            for axis, bases in _AXIS.findall(body)
        }
        rank = next((len(bases[0]) for bases in axes.values() if bases), 1)
        layouts.append({"name": f"#{name}", "rank": rank, "axes": axes, "bytes": widths.get(name)})
    return layouts
