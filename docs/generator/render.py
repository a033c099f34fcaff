"""The pages of the reference as Markdown."""

import enum
import inspect
import json
import pathlib
import textwrap

import tilewright.language as tl

from . import examples
from .catalogue import PAGES

ROOT = pathlib.Path(__file__).resolve().parents[2]
_RESULTS = {"CPU": "accuracy-cpu.json", "H100": "accuracy-h100.json"}
_NOTE = "<!-- Made by `make reference` from the docstrings; change those. -->\n"
_DTYPES = ("float16", "bfloat16", "float32", "float64")


def accuracy():
    """The results of `benchmarks/accuracy.py` by device; unmeasured devices are left out."""
    files = {device: ROOT / "benchmarks" / "results" / name for device, name in _RESULTS.items()}
    return {device: json.loads(file.read_text()) for device, file in files.items() if file.exists()}


def signature(name, found):
    """The signature of a function or class; only the name for errors and enumerations."""
    if isinstance(found, type) and issubclass(found, (BaseException, enum.Enum)):
        return name
    try:
        return f"{name}{inspect.signature(found)}".replace("'", '"')
    except (TypeError, ValueError):
        return name


def wrapped(name, found):
    """The signature, a line for each parameter where it is long."""
    text = signature(name, found)
    if len(text) <= 110:
        return text
    parameters = inspect.signature(found).parameters.values()
    return f"{name}(\n" + "".join(f"    {parameter},\n".replace("'", '"') for parameter in parameters) + ")"


def _members(found):
    """The documented methods and properties of a class, each with the first paragraph of its text."""
    lines = []
    for name, member in inspect.getmembers(found):
        text = inspect.getdoc(member)
        if name.startswith("_") or not text or (not callable(member) and not isinstance(member, property)):
            continue
        if isinstance(member, type) or getattr(member, "__objclass__", found) is not found:
            continue
        summary = " ".join(text.split("\n\n")[0].split())
        lines.append(f"- `.{signature(name, member) if callable(member) else name}`: {summary}")
    return "\n".join(lines) + "\n" if lines else ""


def _example(steps):
    if not steps:
        return ""
    lines = []
    for step in steps:
        first, *rest = step.source.rstrip("\n").split("\n")
        lines += [f">>> {first}", *(f"... {line}".rstrip() for line in rest)]
        lines += step.want.rstrip("\n").split("\n") if step.want else []
    return "```pycon\n" + "\n".join(lines) + "\n```\n"


def _error_line(name, measured):
    """The largest measured errors of one function."""
    parts = []
    for device, results in measured.items():
        found = results["functions"].get(name)
        if found:
            errors = ", ".join(f"{dtype} {entry['ulp']:.3g}" for dtype, entry in found.items())
            parts.append(f"{device} {errors}")
    return f"Largest error in ULP: {'; '.join(parts)}.\n" if parts else ""


def entry(prefix, name, found, measured):
    """The text of one name."""
    text, steps = examples.split(inspect.getdoc(found) or "")
    text = text.replace("\n    ", "\n\n    ", 1) if "Args:\n" in text and "\n\nArgs" not in text else text
    parts = [
        f"### {prefix}.{name}\n",
        f"```python\n{wrapped(f'{prefix}.{name}', found)}\n```\n",
        paragraphs(text),
    ]
    is_method_page = isinstance(found, type) and not issubclass(found, BaseException)
    parts += [_members(found) if is_method_page else ""]
    parts += [_error_line(name, measured) if prefix in ("tl", "libdevice") else "", _example(steps)]
    return "\n".join(part for part in parts if part)


def paragraphs(text):
    """A docstring as Markdown; argument lists become Markdown lists."""
    lines, result, in_arguments = text.split("\n"), [], False
    for line in lines:
        if line.strip() == "Args:":
            in_arguments = True
            result.append("Arguments:\n")
        elif in_arguments and line.startswith("    ") and not line.startswith("     "):
            name, _, rest = line.strip().partition(":")
            result.append(f"- `{name}`:{rest}")
        elif in_arguments and line.startswith("     "):
            result.append(f"  {line.strip()}")
        else:
            in_arguments = in_arguments and not line.strip()
            result.append(line)
    return "\n".join(result).rstrip() + "\n"


def _type_table():
    rows = ["| type | bits | |", "|---|---|---|"]
    for name in tl.__all__:
        found = getattr(tl, name)
        if isinstance(found, tl.dtype) and not found.is_ptr() and name != "void":
            kind = "in memory only: loaded, stored, moved and cast" if found.is_stored_float() else ""
            kind = kind or ("bool, a byte in memory" if found.is_bool() else "")
            rows.append(f"| `tl.{name}` | {found.primitive_bitwidth} | {kind} |")
    text = "`tl.pi32_t` is `tl.pointer_type(tl.int32)`, `tl.void` the type of nothing, and\n"
    text += "`tl.TRITON_MAX_TENSOR_NUMEL` the maximum number of block elements in Triton, which is no bound here.\n"
    return "### Element types\n\n" + "\n".join(rows) + "\n\n" + text


def error_table(names, measured):
    """The errors of functions as a table: a row per function, a column per device and dtype."""
    names = [name for name in names if any(name in results["functions"] for results in measured.values())]
    if not names:
        return ""
    columns = [(device, dtype) for device in measured for dtype in _DTYPES]
    lines = [
        "| function | " + " | ".join(f"{device} {dtype}" for device, dtype in columns) + " | float32 from |"
    ]
    lines.append("|---|" + "---|" * (len(columns) + 1))
    for name in names:
        found = {device: results["functions"].get(name, {}) for device, results in measured.items()}
        cells = [found[device].get(dtype) for device, dtype in columns]
        domain = next((entry["float32"]["domain"] for entry in found.values() if "float32" in entry), "")
        text = " | ".join(f"{cell['ulp']:.3g}" if cell else "" for cell in cells)
        lines.append(f"| `{name}` | {text} | {domain} |")
    return "\n".join(lines) + "\n"


def _errors_section(names, measured):
    table = error_table(names, measured)
    if not table:
        return ""
    devices = "; ".join(
        f"{device}: {results['facts']['device']}, `{results['facts']['command']}`"
        for device, results in measured.items()
    )
    text = f"""The largest errors in units in the last place (ULP, the distance of neighbouring numbers at the exact
result). They cover all arguments of float16 and bfloat16, and up to a million random and special ones of float32 and
float64, in the domain of the last column. Correctly rounded is 0.5. {devices}.
"""
    return "## Errors\n\n" + text + "\n" + table


def page(found, measured):
    """The text of one page."""
    parts = [_NOTE, f"# {found.title}\n", textwrap.fill(found.text, 120, break_on_hyphens=False) + "\n"]
    shown = []
    for title, prefix, module, names in found.sections:
        parts.append(f"## {title}\n")
        parts += [entry(prefix, name, getattr(module, name), measured) for name in names]
        shown += names if prefix in ("tl", "libdevice") else ()
        if title == "Types":
            parts.append(_type_table())
    if found.file == "math.md":
        shown += ["exp of Triton", "exp2 of Triton"]
    if found.file in ("math.md", "libdevice.md"):
        parts.append(_errors_section(shown, measured))
    return "\n".join(part for part in parts if part)


def index():
    """The first page: how to read the examples, and a list of all names."""
    parts = [_NOTE, "# Reference\n", (pathlib.Path(__file__).parent / "introduction.md").read_text()]
    for found in PAGES:
        names = " ".join(f"`{name}`" for _, _, _, names in found.sections for name in names)
        parts.append(f"**[{found.title}]({found.file})**: {names}\n")
    return "\n".join(parts)


def pages():
    """All pages of docs/reference by the names of their files."""
    measured = accuracy()
    return {"README.md": index()} | {found.file: page(found, measured) for found in PAGES}
