"""Compiling for a signature, and writing the results."""

import json
from pathlib import Path

from .. import knobs
from ..options import Options
from ..runtime.compiler import compile_kernel, is_cpu
from .signature import parse_signature

#: The stages that can be emitted, and the suffixes of their files.
EMITTED = {
    "tile": ".tile.mlir",
    "warp": ".warp.mlir",
    "llvm": ".ll",
    "ptx": ".ptx",
    "cubin": ".cubin",
    "obj": ".o",
}
_OF_THE_CPU = ("tile", "llvm", "obj")
_OF_A_GPU = ("tile", "warp", "llvm", "ptx", "cubin")
# In the order of the passes: compiling stops after the last one asked for.
_ORDER = ("tile", "warp", "llvm", "ptx")


class NoAssembler(RuntimeError):
    """A cubin is wanted where nothing can assemble PTX."""


def default_stage(target):
    """The last stage of a target."""
    return "obj" if is_cpu(target) else "cubin"


def _check_stages(stages, target):
    possible = _OF_THE_CPU if is_cpu(target) else _OF_A_GPU
    for stage in stages:
        if stage not in possible:
            raise ValueError(f"target {target} has no {stage!r}; it has {', '.join(possible)}")


def why_no_cubin():
    """The reason for a missing cubin, and a remedy."""
    if knobs.ASSEMBLER.text() == "driver":
        return f"a cubin needs an assembler, but {knobs.ASSEMBLER.name} leaves PTX to the driver"
    return (
        "a cubin needs an assembler of PTX, and neither nvJitLink nor ptxas was found: install the CUDA "
        "toolkit or the Python package nvidia-nvjitlink, or emit ptx, which the driver assembles"
    )


def options_of(kernel, given):
    """The `Options` of a compilation: those given by name, and the decorator's for the others."""
    return Options(**dict(kernel._options().items()) | given)


def compile(kernel, signature, target, stages=(), report=False, **options):
    """Compile `kernel`, a `JITFunction`, and give the `CompiledKernel`.

    `signature` is text, see `parse_signature`; `target` is "cpu", "sm_80", "sm_90a", ...; `stages` are the
    wanted ones of "tile", "warp", "llvm", "ptx", "cubin", "obj", all if empty; `options` are those of a launch
    (`num_warps`, ...). `report`: see `compile_kernel`. Needs no GPU; "cubin" needs an
    assembler of PTX.

    Raises `SignatureError`, `ValueError` for a stage that the target does not have, `CompilationError`, and
    `NoAssembler` if a cubin is wanted and there is no assembler.
    """
    stages = tuple(stages) or (default_stage(target),)
    _check_stages(stages, target)
    types, constants, divisors, trees = parse_signature(signature, kernel.params)
    all_the_way = any(stage not in _ORDER for stage in stages)
    last = "" if all_the_way else max(stages, key=_ORDER.index)
    options = options_of(kernel, options)
    compiled = compile_kernel(kernel.fn, types, constants, divisors, target, options, last, report, trees)
    if "cubin" in stages and "cubin" not in compiled.asm:
        raise NoAssembler(why_no_cubin())
    return compiled


def write(compiled, stages, directory):
    """Write the `stages` of a `CompiledKernel` and its metadata to `directory`; gives the paths."""
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    stem = f"{compiled.name}.{compiled.target.replace(':', '-')}"
    paths = []
    for stage in stages:
        paths.append(directory / (stem + EMITTED[stage]))
        paths[-1].write_bytes(compiled.binary(stage))
    paths.append(directory / (stem + ".json"))
    paths[-1].write_text(
        json.dumps(compiled.metadata | {"arg_names": list(compiled.arg_types)}, indent=2) + "\n"
    )
    return paths
