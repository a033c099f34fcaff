"""Shows results of the benchmarks: a plot (PNG) and a self-contained page (HTML) for each file.

    python benchmarks/report.py benchmarks/results/*.json

The benchmarks do the same for the results that they write with `--out`. Without matplotlib the page has only tables.
"""

import argparse
import importlib
import importlib.metadata
import importlib.util
import io
import json
import pathlib
import platform
import sys
from dataclasses import dataclass, field
from html import escape

#: Help text of the option `--out` of each benchmark.
OUT = "JSON file for the results; a plot (PNG) and a page (HTML) are written next to it"

#: Columns of the plot, in the order of the bars. All other columns are only in the table.
SERIES = ("tilewright", "ours", "torch", "triton", "numpy", "cpu s", "interpreter s", "share")
#: Columns that name a row.
LABELS = ("name", "kernel", "shape", "layout", "dtype", "size")
COLOURS = dict.fromkeys(("tilewright", "ours", "cpu s", "share"), "tab:blue") | dict(
    zip(("torch", "triton", "numpy", "interpreter s"), ("tab:orange", "tab:green", "tab:gray", "tab:gray"))
)


@dataclass
class Chart:
    """A bar chart with a group of bars for each of `labels`.

    `bars` has for each bar of the group its values in the order of `labels`, None where there is none. `is_stacked`:
    the bars of a group are stacked. `is_log`: the axis is logarithmic.
    """

    labels: list
    bars: dict
    unit: str
    is_stacked: bool = False
    is_log: bool = False
    colours: dict = field(default_factory=dict)


def facts(device, *libraries, **more):
    """Returns hardware, versions and command of this run; libraries that are not installed are left out."""
    known = {"command": " ".join(sys.argv), "device": device, "python": platform.python_version()}
    for name in ("tilewright", "numpy", *libraries):
        if importlib.util.find_spec(name):
            known[name] = importlib.import_module(name).__version__
    return known | more


def save(path, content):
    """Writes results without plot and page, such as those of an unfinished run."""
    path.write_text(json.dumps(content, indent=1) + "\n")


def gather(path, about, rows):
    """Returns a list of `rows`, and writes them to the file at `path`, if given, after each row.

    The file has the entries of `about`, too. A run that breaks off loses no rows.
    """
    gathered = []
    for row in rows:
        gathered.append(row)
        if path:
            save(path, {**about, "rows": gathered})
    return gathered


def keep(path, content):
    """Writes results, their plot and their page."""
    save(path, content)
    show(path)


def show(path):
    """Writes the plot and the page of a file of results, next to it.

    Raises `ValueError` for a file without results.
    """
    content = json.loads(path.read_text())
    charts, tables = _understand(path, content)
    picture = None
    if importlib.util.find_spec("matplotlib"):
        figure = _draw(charts)
        figure.savefig(path.with_suffix(".png"), dpi=100, metadata={"Software": None})
        picture = _svg(figure)
    path.with_suffix(".html").write_text(
        _page(path.stem, content["facts"], tables, picture), encoding="utf-8"
    )


# Parsing of files: charts, and tables as pairs of header and rows.


def _understand(path, content):
    readers = {
        "rows": _of_rows,
        "microseconds": _of_launches,
        "seconds": _of_compiling,
        "functions": _of_functions,
    }
    if isinstance(content, dict) and isinstance(content.get("facts"), dict):
        for name, read in readers.items():
            if content.get(name):
                return read(content)
    raise ValueError(f"{path} has no results of a benchmark")


def _of_rows(content):
    """One chart for each unit."""
    rows, units = content["rows"], {}
    for row in rows:
        units.setdefault(row.get("unit", content.get("unit", "")), []).append(row)
    charts = []
    for unit, some in units.items():
        names = [name for name in SERIES if any(isinstance(row.get(name), int | float) for row in some)]
        labels = [" ".join(_cell(row[key]) for key in LABELS if key in row) for row in some]
        bars = {name: [row.get(name) for row in some] for name in names}
        charts.append(Chart(labels, bars, unit, is_log=any(name.endswith(" s") for name in names)))
    header = list(dict.fromkeys(key for row in rows for key in row))
    return charts, [(header, [[row.get(key) for key in header] for row in rows])]


def _of_launches(content):
    times = {name: time for name, time in content["microseconds"].items() if time is not None}
    least = next(iter(times.values()))
    # An import is not a launch, and takes far longer.
    launches = {name: time for name, time in times.items() if not name.startswith("import ")}
    colours = {name: "tab:blue" if name.startswith("tilewright") else "tab:gray" for name in launches}
    chart = Chart([*launches], {"": [*launches.values()]}, "microseconds a launch", colours=colours)
    rows = [[name, time, time / least] for name, time in times.items()]
    return [chart], [(["launch", "microseconds", "of the first row"], rows)]


def _of_compiling(content):
    rows = []
    for compiler, measured in content["seconds"].items():
        for kernel in content["kernels"]:
            row = measured[kernel]
            rows.append([kernel, compiler, row["seconds"], *row["phases"].values(), row["disk"], row["ptx"]])
    rows.sort(key=lambda row: list(content["kernels"]).index(row[0]))
    phases = [*measured[kernel]["phases"]]
    bars = {name: [1e3 * row[3 + index] for row in rows] for index, name in enumerate(phases)}
    unit = f"milliseconds to compile for {content['facts'].get('target', 'a GPU')}, nothing cached"
    chart = Chart([f"{row[0]}, {row[1]}" for row in rows], bars, unit, is_stacked=True)
    starts = [[compiler, m["first"]["seconds"], m["import"]] for compiler, m in content["seconds"].items()]
    return [chart], [
        (
            ["kernel", "compiler", "cold s", *(f"{name} s" for name in phases), "from disk s", "PTX bytes"],
            rows,
        ),
        (["compiler", "first kernel of a process s", "import s"], starts),
        (["kernel", "what it is"], [*content["kernels"].items()]),
    ]


def _of_functions(content):
    found = content["functions"]
    dtypes = list(dict.fromkeys(dtype for rows in found.values() for dtype in rows))
    bars = {dtype: [rows.get(dtype, {}).get("ulp") for rows in found.values()] for dtype in dtypes}
    facts = list(dict.fromkeys(key for rows in found.values() for row in rows.values() for key in row))
    rows = [
        [name, dtype, *map(row.get, facts)] for name, rows in found.items() for dtype, row in rows.items()
    ]
    return [Chart([*found], bars, "units in the last place, at most")], [
        (["function", "dtype", *facts], rows)
    ]


# Rendering.


def _draw(charts):
    from matplotlib.figure import Figure

    heights = [
        0.9 + len(chart.labels) * (0.3 if chart.is_stacked else 0.12 + 0.16 * len(chart.bars))
        for chart in charts
    ]
    figure = Figure(figsize=(10, sum(heights)), layout="constrained")
    parts = figure.subplots(len(charts), squeeze=False, height_ratios=heights)[:, 0]
    for axes, chart in zip(parts, charts):
        _draw_bars(axes, chart)
    return figure


def _draw_bars(axes, chart):
    width = 0.8 if chart.is_stacked else 0.8 / len(chart.bars)
    starts = [0.0] * len(chart.labels)
    for number, (name, values) in enumerate(chart.bars.items()):
        lengths = [value or 0 for value in values]
        if chart.is_stacked:
            axes.barh(range(len(lengths)), lengths, width, left=starts, label=name)
            starts = [start + length for start, length in zip(starts, lengths)]
            continue
        colours = [chart.colours.get(label, COLOURS.get(name)) for label in chart.labels]
        positions = [index - 0.4 + width * (number + 0.5) for index in range(len(lengths))]
        bars = axes.barh(positions, lengths, width, color=colours if any(colours) else None, label=name)
        texts = ["" if value is None else _cell(value) for value in values]
        axes.bar_label(bars, labels=texts, padding=2, fontsize=7)
    axes.set_yticks(range(len(chart.labels)), chart.labels)
    axes.set_ylim(len(chart.labels) - 0.4, -0.6)
    axes.set_xlabel(chart.unit)
    axes.set_xscale("log" if chart.is_log else "linear")
    if len(chart.bars) > 1:
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=6, frameon=False)


def _svg(figure):
    """Returns the figure as an element of a page; the same bytes for the same results."""
    import matplotlib

    text = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "tilewright"}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()[text.getvalue().index("<svg") :]


_STYLE = """
body { font: 14px system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; color: #222; }
dl { display: grid; grid-template-columns: max-content auto; gap: .2em 1em; } dt { color: #666; } dd { margin: 0; }
table { border-collapse: collapse; margin: 2em 0; display: block; overflow-x: auto; }
td, th { padding: .2em .8em; border-bottom: 1px solid #ddd; text-align: left; }
td.number { text-align: right; font-variant-numeric: tabular-nums; } svg { max-width: 100%; height: auto; }
"""


def _page(title, known, tables, picture):
    items = "\n".join(f"<dt>{escape(str(key))}</dt><dd>{escape(str(known[key]))}</dd>" for key in known)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style></head>
<body><h1>{escape(title)}</h1>
<dl>
{items}
</dl>
{picture or ""}
{"".join(_table(header, rows) for header, rows in tables)}</body></html>
"""


def _table(header, rows):
    head = "".join(f"<th>{escape(str(name))}</th>" for name in header)
    lines = []
    for row in rows:
        kinds = [' class="number"' if isinstance(cell, int | float) else "" for cell in row]
        cells = "".join(f"<td{kind}>{escape(_cell(cell))}</td>" for kind, cell in zip(kinds, row))
        lines.append(f"<tr>{cells}</tr>")
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n" + "\n".join(lines) + "\n</tbody></table>\n"


def _cell(value):
    """Formats a value in a few characters; lists element by element."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return " ".join(map(_cell, value))
    return str(value)


def main():
    """Shows the files of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("results", nargs="+", type=pathlib.Path)
    for path in parser.parse_args().results:
        try:
            show(path)
        except (OSError, ValueError) as error:
            raise SystemExit(f"{path}: {error}") from None


if __name__ == "__main__":
    main()
