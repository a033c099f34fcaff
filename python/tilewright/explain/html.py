"""An explanation as one page of HTML that needs nothing else."""

import json
from importlib.resources import files

from .floors import floors_of
from .layouts import layouts_of
from .sources import shown_path
from .stages import stages_of

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<script type="application/json" id="data">{data}</script>
<script>
{script}</script>
</body>
</html>
"""


def format_html(explanation):
    """The `Explanation` as a page: source, `tile`, `warp`, PTX and machine code in adjacent panes, where lines
    of one source location are highlighted together; layouts as grids; a map of shared memory; rings; resources,
    floors and times. Machine code needs nvdisasm; without it the page says so."""
    kernel, page = explanation.compiled, files(__package__) / "page"
    data = explanation.to_dict() | {
        "cards": _cards(explanation),
        "titles": [f"{shown_path(source.file)}: {source.name}" for source in explanation.sources],
        "stages": [_stage(stage, explanation.sources) for stage in stages_of(kernel)],
        "layouts": layouts_of(kernel.asm.get("warp", "")),
        "floors": floors_of(explanation),
    }
    return _PAGE.format(
        title=f"{kernel.name} for {kernel.target}",
        style=(page / "page.css").read_text(),
        # Nothing in the data may look like the end of the script.
        data=json.dumps(data).replace("<", "\\u003c"),
        script=(page / "page.js").read_text(),
    )


def _cards(explanation):
    """The cards at the top: triples of name, value and whether it is a warning."""
    known, cards = explanation.resources, []
    for key, name in (
        ("threads", "threads of a block"),
        ("registers", "registers of a thread"),
        ("spills", "bytes spilled"),
        ("shared", "bytes of shared memory"),
        ("ptx_bytes", "bytes of PTX"),
        ("cubin_bytes", "bytes of cubin"),
    ):
        if known[key] is not None:
            cards.append((name, f"{known[key]:,}", key == "spills" and known[key] > 0))
    if found := explanation.occupancy:
        limits = " and ".join(found.limited_by)
        cards.append(
            (f"warps on a multiprocessor, limited by {limits}", f"{found.warps} / {found.max_warps}", False)
        )
    total = sum(entry["milliseconds"] for entry in explanation.times)
    cards.append(("compilation", f"{total:.1f} ms", False))
    return cards


def _stage(stage, sources):
    """A stage as data, without locations outside of the sources shown."""

    def shown(locations):
        return [
            f"{file}:{line}" for file, line in locations if any((file, line) in source for source in sources)
        ]

    return {
        "name": stage.name,
        "lines": stage.lines,
        "locations": [shown(locations) for locations in stage.locations],
        "note": stage.note,
    }
