"""A kernel compiled for certain types of arguments and one target."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

#: The stages of a compilation, in order; a target has some of them.
STAGES = ("tile", "warp", "llvm", "ptx", "cubin", "obj")
_BINARY = ("cubin", "obj")


class Metadata(dict):
    """The facts of a compiled kernel, also read as attributes: `metadata.shared`."""

    #: Values for the CPU, which has no such resources.
    DEFAULTS = {"shared": 0, "num_ctas": 1}

    def __getattr__(self, name):
        if name in self.DEFAULTS:
            return self.get(name, self.DEFAULTS[name])
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the metadata has no {name!r}, it has {', '.join(self)}") from None


class Stages(Mapping):
    """The result of each stage, by its name, or by the name of the corresponding stage in Triton.

    `made` has the results so far. `later` has functions that compute the others on first use.
    """

    ALIASES = {"ttir": "tile", "ttgir": "warp", "llir": "llvm"}

    def __init__(self, made, later=None):
        self.made, self._later = dict(made), dict(later or {})

    def __reduce__(self):
        """Pickles without results that were not computed yet."""
        return Stages, (self.made,)

    def __getitem__(self, name):
        name = self.ALIASES.get(name, name)
        if name not in self.made and name in self._later:
            self.made[name] = self._later[name]()
        try:
            return self.made[name]
        except KeyError:
            raise KeyError(f"there is no stage {name!r}, there is {', '.join(self)}") from None

    def __iter__(self):
        return (stage for stage in STAGES if stage in self.made or stage in self._later)

    def __len__(self):
        return len({*self.made, *self._later})

    def __contains__(self, name):
        return self.ALIASES.get(name, name) in {*self.made, *self._later}

    def __repr__(self):
        return f"<stages {', '.join(self)}>"


@dataclass(frozen=True)
class CompiledKernel:
    """The result of a compilation.

    `asm` maps stages to their results: str for "tile", "warp", "llvm", "ptx", bytes for "cubin" and
    "obj"; the first three are made on first use. `metadata` are the facts of the
    kernel. `arg_types` maps the arguments that are passed at a launch to their types as signatures
    spell them; `constexprs` the others to their values. `from_cache`: it was on disk. `report` describes
    the compilation, and is empty if it was on disk:

    - "times", how long the front end, each pass, code generation and the assembler took: dicts of `stage`,
      `name` and `milliseconds`;
    - "remarks", what passes did, and did not do and why: dicts of `kind` ("passed", "missed", "analysis"),
      `pass`, `name`, `message` and `frames` (file, line and column, the innermost call first);
    - "lines", by stage, pairs of a line of its text and the frames that it comes from.

    The last two are empty unless they were asked for.
    """

    name: str
    target: str
    asm: Stages
    metadata: dict
    arg_types: dict
    constexprs: dict
    from_cache: bool = False
    report: dict = field(default_factory=dict)
    #: A function that returns the kernel (None if that is gone) and the options of the compilation.
    kernel: object = None
    options: object = None
    #: The `ASTSource` that it was compiled from, if any.
    src: object = None
    #: The `frontend.guards.Guards` of the Python values that were read.
    guards: object = field(default=(), repr=False, compare=False)

    @property
    def run(self):
        """A function of the three grid dimensions, a stream, five ignored arguments, and all kernel arguments. It
        launches this kernel without checks: the arguments must be of the types that it was compiled for.
        Raises `TypeError` where `src` is None."""
        from .fixed import runner_of

        return runner_of(self)

    @property
    def function(self):
        """None: `run` loads the code on its device. Exists for compatibility."""

    def launch_metadata(self, grid, stream, *args):
        """None: launch hooks do not use it. Exists for compatibility."""

    def launched_by(self, kernel):
        """The same kernel, launched by the `JITFunction` that the function `kernel` returns."""
        return replace(self, kernel=kernel)

    __iter__ = None  # `[...]` takes a grid: there are no elements

    def __getitem__(self, grid):
        """A callable that launches the kernel over `grid` with the options that it was compiled with. It
        takes all arguments of the kernel."""
        kernel = self.kernel and self.kernel()
        if kernel is None:
            raise TypeError(f"{self!r} cannot be launched: the kernel that it was compiled of is gone")
        return partial(kernel[grid], **dict(self.options.items()))

    @property
    def num_warps(self):
        """Warps that run one program."""
        return self.metadata.get("num_warps", 1)

    @property
    def shared(self):
        """Bytes of shared memory of one program."""
        return self.metadata.get("shared", 0)

    @property
    def num_regs(self):
        """Registers of a thread; None where no assembler has said."""
        return self.metadata.get("registers")

    @property
    def spills(self):
        """Bytes of registers spilled to memory by a thread; None where no assembler has said."""
        return self.metadata.get("spills")

    @property
    def n_regs(self):
        """`num_regs`, or 1 where a thread has no registers of its own to share, as on the CPU."""
        return self.num_regs or 1

    @property
    def n_spills(self):
        """`spills`, or 0."""
        return self.spills or 0

    def _init_handles(self):
        """Almost nothing: registers and spills are known when the kernel is compiled. Code that puts a kernel together
        again in another process gives it its metadata as a named tuple."""
        if not isinstance(self.metadata, Metadata):
            self.__dict__["metadata"] = Metadata(self.metadata._asdict())

    @property
    def written(self):
        """The names of the pointer arguments that the kernel may write through."""
        flags = self.metadata.get("written_args")
        pointers = [name for name, type in self.arg_types.items() if type.startswith("*")]
        if flags is None:
            return pointers
        return [name for name, flag in zip(self.arg_types, flags, strict=True) if flag]

    @property
    def hash(self):
        """A digest of the last stage, mostly the machine code, and of the request."""
        request = (self.name, self.target, self.arg_types, self.constexprs, self.options)
        *_, last = self.asm
        return hashlib.sha256(repr(request).encode() + self.binary(last)).hexdigest()

    def binary(self, stage):
        """A stage as bytes."""
        content = self.asm[stage]
        return content if isinstance(content, bytes) else content.encode()

    def __repr__(self):
        return f"<tilewright kernel {self.name} compiled for {self.target}>"


def to_blobs(asm, metadata, module):
    """Stages, metadata and the front end's result as bytes by name, for the cache."""
    encoded = {stage: content if stage in _BINARY else content.encode() for stage, content in asm.items()}
    return {"metadata": json.dumps(metadata).encode(), "module": module, **encoded}


def stages_from_blobs(blobs):
    """`asm`, `metadata` and the module of a kernel from the result of `to_blobs`. Raises `ValueError` if something is
    missing."""
    for needed in ("metadata", "module"):
        if needed not in blobs:
            raise ValueError(f"a cache entry without {needed}")
    asm = {
        stage: blobs[stage] if stage in _BINARY else blobs[stage].decode()
        for stage in STAGES
        if stage in blobs
    }
    return asm, json.loads(blobs["metadata"]), blobs["module"]
