"""`Explanation`, the facts of a compiled kernel."""

from dataclasses import asdict, dataclass

from ..frontend.source import source_of
from ..runtime.compiler import compile_kernel
from ..runtime.naming import symbol_of
from .occupancy import occupancy
from .sources import sources_of
from .times import by_stage


@dataclass(frozen=True)
class Explanation:
    """A kernel, compiled for certain arguments and one target, and the work of the compiler on it.

    `divisors` has the powers of two that arguments are known to be divisible by.
    `sources` are the functions that it is made of, itself first. `remarks` are dicts of `kind` ("passed",
    "missed", "analysis"), `pass`, `message`, `values` (numbers by name), `file` and `line` (None where the
    source is not known). `resources` are the facts from the assembler or the compiler: `registers`, `spills`,
    `shared`, `threads`, `ptx_bytes`, `cubin_bytes`, `assembler`, None where not known, and `advice`.
    `shared_memory` lists the pieces of shared memory: `op`, `offset`, `size`, `first` and `last` (the ops, by
    number, between which it is needed), `slots`, `slot_bytes` (of rings, else None), `file` and `line`. `roles` are
    dicts of `name`, `warps` and `registers` (None if not budgeted); there is one at least.
    """

    compiled: object
    divisors: dict
    options: object
    sources: list
    remarks: list
    resources: dict
    occupancy: object
    roles: list
    shared_memory: list

    @property
    def arguments(self):
        """The arguments and their types as signatures spell them: "*fp16:16"."""
        return {
            name: f"{type}:{self.divisors[name]}" if self.divisors.get(name, 1) > 1 else type
            for name, type in self.compiled.arg_types.items()
        }

    @property
    def times(self):
        """The duration of each step, see `CompiledKernel.report`."""
        return self.compiled.report["times"]

    def to_dict(self):
        """Everything as plain data, for JSON."""
        kernel = self.compiled
        return {
            "name": kernel.name,
            "target": kernel.target,
            "arguments": self.arguments,
            "constants": {name: _plain(value) for name, value in kernel.constexprs.items()},
            "options": dict(self.options.items()),
            "sources": [asdict(source) for source in self.sources],
            "remarks": self.remarks,
            "resources": self.resources,
            "occupancy": self.occupancy and asdict(self.occupancy),
            "roles": self.roles,
            "shared_memory": self.shared_memory,
            "times": by_stage(self.times),
        }


def explain(kernel, types, constants, divisors, target, options, trees=None):
    """Compile a kernel, a `JITFunction` or its function, and give its `Explanation`.

    `types`, `constants`, `divisors` and `trees` are dicts by argument, as `aot.parse_signature` gives them; `target` is
    "cpu" or an architecture ("sm_90a"); `options` an `Options`. Raises
    `CompilationError`.
    """
    fn = getattr(kernel, "fn", kernel)
    symbol = symbol_of(getattr(kernel, "_name", None), fn, constants, types, trees)
    compiled = compile_kernel(
        fn, types, constants, divisors, target, options, report=True, trees=trees, symbol=symbol
    )
    source = source_of(fn)
    remarks = _collect_remarks(compiled.report["remarks"])
    file = source.frame(source.tree).file
    locations = [(file, source.frame(source.tree).line)]
    for lines in compiled.report["lines"].values():
        locations += sorted({(file, line) for _, frames in lines for file, line, _ in frames})
    return Explanation(
        compiled,
        divisors,
        options,
        sources_of(locations),
        remarks,
        _resources(compiled),
        _occupancy(compiled),
        _roles(compiled, remarks),
        _shared_memory(remarks),
    )


def _plain(value):
    """A constant as JSON can hold it."""
    value = getattr(value, "value", value)
    return value if isinstance(value, str | int | float | bool | None) else repr(value)


def _number(text):
    return int(text) if text.lstrip("-").isdigit() else text


def _collect_remarks(reported):
    """Each remark once, with the location of the innermost call, in the order of the source."""
    remarks = {}
    for remark in reported:
        file, line, _ = remark["frames"][0] if remark["frames"] else (None, None, None)
        values = {name: _number(text) for name, text in remark["values"].items()}
        entry = {key: remark[key] for key in ("kind", "pass", "name", "message")}
        entry |= {"values": values, "file": file, "line": line}
        remarks.setdefault((entry["kind"], entry["message"], str(values), file, line), entry)
    return sorted(remarks.values(), key=lambda remark: (remark["file"] or "", remark["line"] or 0))


def _resources(compiled):
    metadata = compiled.metadata
    ptx, cubin = compiled.asm.get("ptx"), compiled.asm.get("cubin")
    return {
        "registers": metadata.get("registers"),
        "spills": metadata.get("spills"),
        "shared": metadata.get("shared"),
        "threads": metadata.get("num_threads"),
        "ptx_bytes": len(ptx) if ptx is not None else None,
        "cubin_bytes": len(cubin) if cubin is not None else None,
        "assembler": metadata.get("assembler"),
        "advice": metadata.get("advice", []),
    }


def _occupancy(compiled):
    digits = "".join(letter for letter in compiled.target if letter.isdigit())
    threads = compiled.metadata.get("num_threads")
    if not digits or not threads:
        return None
    return occupancy(int(digits), threads // 32, compiled.num_regs, compiled.shared)


def _roles(compiled, remarks):
    for remark in remarks:
        if remark["name"] == "Roles":
            values = remark["values"]
            return [
                {
                    "name": name,
                    "warps": values[f"{name.title()}Warps"],
                    "registers": values.get(f"{name.title()}Registers"),
                }
                for name in ("consumer", "producer")
            ]
    return [{"name": "all", "warps": compiled.num_warps, "registers": None}]


def _shared_memory(remarks):
    pieces = []
    for remark in remarks:
        if remark["name"] == "SharedMemory":
            values = remark["values"]
            piece = {key.lower(): values[key] for key in ("Op", "Offset", "Size", "First", "Last")}
            piece |= {"slots": values.get("Slots"), "slot_bytes": values.get("SlotBytes")}
            pieces.append(piece | {"file": remark["file"], "line": remark["line"]})
    return sorted(pieces, key=lambda piece: (piece["offset"], piece["first"]))
