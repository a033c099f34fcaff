"""Compiling exports for several targets to a `Library`."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from ..runtime.backends import starts_early
from ..runtime.compiler import compile_kernel, is_cpu
from .compile import NoAssembler, options_of, why_no_cubin
from .exports import Export, ExportError, Variant, is_small_int
from .signature import argument_of, as_request

#: Forms of a GPU kernel in a library.
IMAGES = ("cubin", "ptx")
#: The hints of divisibility.
DIVISORS = (8, 16)
#: Instead of a hint: the argument is for expressions alone. (The int 1 is not passed either.)
NOT_PASSED = 2


@dataclass(frozen=True)
class Architecture:
    """An NVIDIA architecture: 90 and "a" for sm_90a."""

    capability: int
    suffix: str = ""

    @classmethod
    def parse(cls, target):
        """The architecture that "sm_90a" names. Raises `ExportError`."""
        found = re.fullmatch(r"sm_(\d{2,3})([af]?)", target)
        if not found:
            raise ExportError(f"unknown target {target!r}; there is cpu, cpu:x86-64-v3, sm_80, sm_90a, ...")
        return cls(int(found[1]), found[2])

    def runs_on(self, capability, image):
        """Whether a device of that compute capability (90 for 9.0) takes an image for this architecture."""
        if self.suffix == "a":
            return capability == self.capability
        if image == "ptx" and not self.suffix:
            return capability >= self.capability
        return capability // 10 == self.capability // 10 and capability >= self.capability


@dataclass(eq=False)
class Candidate:
    """A function compiled in one way for one target.

    `hints` has 0, 1, 8, 16 or `NOT_PASSED` for each argument; `values` the integer constants that expressions may name;
    `image` is "cubin", "ptx" or "obj", `code` its bytes; `variant` the number of the export's `Variant`.
    """

    symbol: str
    target: str
    image: str
    hints: list
    when: object
    grid: list
    values: dict
    metadata: dict
    code: bytes
    variant: int

    @property
    def is_cpu(self):
        """Whether it is code of a processor of the host."""
        return self.image == "obj"

    @property
    def rank(self):
        """The sort key of targets: the most special first."""
        if self.is_cpu:
            return (0, -len(self.metadata["features"]))
        architecture = Architecture.parse(self.target)
        return (1, -architecture.capability, not architecture.suffix, self.image != "cubin")


@dataclass
class Function:
    """A function of a library: its arguments as `(name, type)`, and its candidates, in the order in which a call tries
    them. `takes_grid`: the caller gives the grid."""

    name: str
    arguments: list
    written: list
    takes_grid: bool
    candidates: list = field(default_factory=list)

    def of_kind(self, cpu):
        """The candidates of the CPU or those of GPUs."""
        return [candidate for candidate in self.candidates if candidate.is_cpu == cpu]


@dataclass
class Library:
    """Functions under one name."""

    name: str
    functions: list

    @property
    def candidates(self):
        """Those of all functions."""
        return [candidate for function in self.functions for candidate in function.candidates]


@dataclass
class _Job:
    export: Export
    variant: Variant
    entries: list
    target: str
    symbol: str
    images: tuple


def _jobs(exports, targets, images):
    jobs = []
    for export in exports:
        count = 0
        for target in targets:
            if not is_cpu(target):
                Architecture.parse(target)
            for variant in export.variants:
                if variant.targets and target not in variant.targets:
                    continue
                if is_cpu(target) and variant.options.get("launch_cooperative_grid"):
                    raise ExportError(
                        f"export {export.name}: launch_cooperative_grid needs a GPU; say which targets that "
                        "variant is for"
                    )
                for entries in export.specializations(variant):
                    symbol = f"{export.name}__{count}"
                    jobs.append(_Job(export, variant, entries, target, symbol, images))
                    count += 1
        if not count:
            raise ExportError(f"export {export.name} has no variant for {', '.join(targets)}")
    return jobs


def _compile(job):
    """The candidates, one for each image, of a job."""
    types, constants, divisors, trees = as_request(job.entries)
    wanted = ("obj",) if is_cpu(job.target) else job.images
    compiled = compile_kernel(
        job.export.kernel.fn,
        types,
        constants,
        divisors,
        job.target,
        options_of(job.export.kernel, job.variant.options),
        "ptx" if wanted == ("ptx",) else "",
        trees=trees,
        symbol=job.symbol,
    )
    if "cubin" in wanted and "cubin" not in compiled.asm:
        raise NoAssembler(why_no_cubin())
    hints = {entry.argument: entry.hint for entry in job.entries} | dict.fromkeys(
        job.export.sizes, NOT_PASSED
    )
    values = {argument_of(name): int(value) for name, value in constants.items() if is_small_int(value)}
    metadata = {
        **compiled.metadata,
        "written": [argument_of(name) for name in compiled.written],
        "blocks": {name: tree.block_shape for name, tree in trees.items()},
        "cooperative": compiled.options.launch_cooperative_grid,
        "dependent": starts_early(compiled, compiled.options),
    }
    return [
        Candidate(
            job.symbol,
            job.target,
            image,
            [hints[name] for name, _ in job.export.arguments],
            job.export.condition(job.variant),
            job.export.grid_of(job.variant),
            values,
            metadata,
            compiled.binary(image),
            job.export.variants.index(job.variant),
        )
        for image in wanted
    ]


def compile_library(name, exports, targets, images=("cubin",)):
    """Compile every `Export` for every target, several at a time; gives the `Library`.

    `images`: the forms of GPU kernels in it, "cubin" and "ptx". Needs no GPU. Raises `ExportError`,
    `CompilationError`, and `NoAssembler` if cubins are wanted and there is no assembler.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise ExportError(f"a library is called by a name of C, got {name!r}")
    if not exports:
        raise ExportError("nothing to compile: no kernel was exported")
    images = tuple(image for image in IMAGES if image in images)
    jobs = _jobs(exports, list(dict.fromkeys(targets)), images)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = list(pool.map(_compile, jobs))
    functions = []
    for export in exports:
        made = [candidate for job, found in zip(jobs, results) if job.export is export for candidate in found]
        written = {name for candidate in made for name in candidate.metadata["written"]}
        functions.append(
            Function(
                export.name,
                export.arguments,
                [name in written for name, _ in export.arguments],
                not export.grid,
                sorted(made, key=lambda candidate: candidate.rank),
            )
        )
    return Library(name, functions)
