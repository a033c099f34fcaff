"""An explanation as text."""

from .sources import shown_path
from .times import format_times

_MARKS = {"passed": "+", "missed": "-", "analysis": "="}


def format_text(explanation):
    """The `Explanation` as text: resources, the source with remarks below their lines (+ done, - not done, = a fact), and
    the time of the compilation."""
    parts = [_heading(explanation), _resources(explanation), *_roles(explanation), *_memory(explanation)]
    parts += [_source(source, explanation.remarks) for source in _worth_showing(explanation)]
    nowhere = [remark for remark in explanation.remarks if remark["line"] is None]
    if nowhere:
        parts.append("\n".join(["elsewhere", *(f"  {_mark(remark)}" for remark in nowhere)]))
    parts.append(format_times(explanation.times))
    return "\n\n".join(parts)


def _heading(explanation):
    kernel, options = explanation.compiled, explanation.options
    lines = [f"{kernel.name} for {kernel.target}"]
    if not kernel.target.startswith("cpu"):
        lines[0] += f", {options.num_warps} warps, {options.num_stages} stages"
        if cluster := kernel.metadata.get("cluster"):
            lines[0] += f", clusters of {cluster}"
    if kernel.arg_types:
        arguments = ", ".join(f"{name} {type}" for name, type in explanation.arguments.items())
        lines.append(f"  arguments  {arguments}")
    if kernel.constexprs:
        constants = ", ".join(f"{name} = {_value(value)}" for name, value in kernel.constexprs.items())
        lines.append(f"  constants  {constants}")
    return "\n".join(lines)


def _value(value):
    return repr(getattr(value, "value", value))


def _resources(explanation):
    known, lines = explanation.resources, ["resources"]
    if known["threads"]:
        lines.append(f"  threads        {known['threads']} a block")
    if known["registers"] is not None:
        spills = f"{known['spills']} bytes spilled" if known["spills"] else "no spills"
        lines.append(f"  registers      {known['registers']} a thread, {spills}")
    elif known["ptx_bytes"] is not None:
        lines.append("  registers      not known: nothing here assembles PTX")
    if known["shared"] is not None:
        lines.append(f"  shared memory  {known['shared']} bytes")
    if found := explanation.occupancy:
        lines.append(
            f"  occupancy      {found.blocks} block{'s' * (found.blocks != 1)}, {found.warps} of "
            f"{found.max_warps} warps on a multiprocessor; limited by {' and '.join(found.limited_by)}"
        )
    sizes = [
        f"{known[key]} bytes of {name}"
        for key, name in (("ptx_bytes", "PTX"), ("cubin_bytes", "cubin"))
        if known[key] is not None
    ]
    if sizes:
        assembler = f", {known['assembler']}" if known["assembler"] else ""
        lines.append(f"  code           {', '.join(sizes)}{assembler}")
    lines += [f"  advice         {advice}" for advice in known["advice"]]
    return "\n".join(lines) if len(lines) > 1 else f"{lines[0]}\n  none of a GPU"


def _roles(explanation):
    if len(explanation.roles) < 2:
        return
    lines = ["roles"]
    for role in explanation.roles:
        budget = f", {role['registers']} registers a thread" if role["registers"] else ""
        lines.append(f"  {role['name']:<13}  {role['warps']} warps{budget}")
    yield "\n".join(lines)


def _memory(explanation):
    if not explanation.shared_memory:
        return
    lines = ["shared memory"]
    for piece in explanation.shared_memory:
        what = f"ring of {piece['slots']} slots" if piece["slots"] else piece["op"].partition(".")[2]
        line = f", {_location(piece, explanation.sources)}" if piece["line"] else ""
        lines.append(f"  {piece['offset']:>8}  {piece['size']:>8} bytes  {what}{line}")
    yield "\n".join(lines)


def _location(piece, sources):
    """A line of the source, with its file where that is not the kernel's."""
    here = sources and piece["file"] == sources[0].file
    return f"line {piece['line']}" if here else f"{shown_path(piece['file'])}:{piece['line']}"


def _worth_showing(explanation):
    """The kernel, and those functions that remarks are about."""
    for index, source in enumerate(explanation.sources):
        said = any((remark["file"], remark["line"] or 0) in source for remark in explanation.remarks)
        if index == 0 or said:
            yield source


def _mark(remark):
    return f"{_MARKS[remark['kind']]} {remark['pass']}: {remark['message']}"


def _source(source, remarks):
    lines = [f"{shown_path(source.file)}:{source.first}"]
    for number, text in enumerate(source.lines, source.first):
        lines.append(f"{number:>5}  {text}".rstrip())
        here = (remark for remark in remarks if (remark["file"], remark["line"]) == (source.file, number))
        lines += [f"       {_mark(remark)}" for remark in here]
    return "\n".join(lines)
