"""Reports of compilations in `triton.knobs`: to `compilation.listener` for each kernel, and to
`runtime.add_stages_inspection_hook` for its stages."""

import time
from dataclasses import dataclass
from enum import Enum

from ..errors import TilewrightError
from ..hooks import compile_hook
from ..runtime.compiled import Stages
from .driver import GPUTarget
from .knobs import runtime
from .settings import GROUPS
from .sources import Backend, source_of

_TRITON_NAMES = {ours: theirs for theirs, ours in Stages.ALIASES.items()}


class Language(Enum):
    """The source language of a kernel."""

    TRITON = 0
    GLUON = 1


@dataclass(frozen=True)
class CompileTimes:
    """The times of a compilation in microseconds. `ir_initialization` is the front end, or the look-up on disk.
    `lowering_stages` are the stages in order, as pairs of a name and a duration. The last part is the rest."""

    ir_initialization: int
    lowering_stages: list
    store_results: int

    @property
    def total_lowering(self):
        """That of all stages."""
        return sum(duration for _, duration in self.lowering_stages)

    @property
    def total(self):
        """That of all."""
        return self.ir_initialization + self.total_lowering + self.store_results


def stage_names(compiled):
    """The stages of a kernel in order, those by Triton's names that correspond to one of its."""
    return [_TRITON_NAMES.get(stage, stage) for stage in compiled.asm]


def target_of(compiled):
    """The `GPUTarget` that a kernel was compiled for."""
    if compiled.target.startswith("sm_"):
        return GPUTarget("cuda", int(compiled.target[3:].rstrip("af")), 32)
    return GPUTarget("cpu", 0, 1)


def tell(src, compiled, seconds):
    """Report the kernel `compiled` to the listeners. Its compilation or look-up took `seconds`. `src` is a
    function that gives the `ASTSource`. Raises `TilewrightError` where one of them changed a stage."""
    listener, inspect = GROUPS["compilation"].listener, runtime.add_stages_inspection_hook
    if listener is None and inspect is None:
        return
    metadata = _metadata(compiled)
    if inspect is not None and not compiled.from_cache:
        _inspect(inspect, src(), compiled, metadata)
    if listener is not None:
        listener(
            src=src(),
            metadata=metadata,
            metadata_group={},  # the stages are in one file, which only the disk cache reads
            times=_times(compiled, seconds),
            cache_hit=compiled.from_cache,
        )


def _metadata(compiled):
    options = dict(compiled.options.items()) if compiled.options else {}
    return {**options, **compiled.metadata, "hash": compiled.hash, "target": target_of(compiled)}


def _times(compiled, seconds):
    microseconds = max(int(1e6 * seconds), 1)
    measured = compiled.report.get("times", ())
    spent = dict.fromkeys(stage_names(compiled), 0.0) if measured else {}
    front_end = 0.0
    for entry in measured:
        if entry["name"] == "front end":
            front_end += 1e3 * entry["milliseconds"]
        else:
            name = _TRITON_NAMES.get(entry["stage"], entry["stage"])
            spent[name] = spent.get(name, 0.0) + 1e3 * entry["milliseconds"]
    if not spent:
        return CompileTimes(microseconds, [], 0)
    stages = [(name, int(duration)) for name, duration in spent.items()]
    rest = microseconds - int(front_end) - sum(duration for _, duration in stages)
    return CompileTimes(int(front_end), stages, max(rest, 0))


def _inspect(inspect, src, compiled, metadata):
    """Call the hook with functions that return the result of each stage, then call the functions that it left."""

    def stage(name):
        return lambda module, metadata: compiled.asm[name]

    target = target_of(compiled)
    ours = {name: stage(name) for name in stage_names(compiled)}
    stages = dict(ours)
    inspect(Backend(target), stages, compiled.options, Language.TRITON, target.arch)
    module = lambda: src  # noqa: E731
    for name, call in stages.items():
        if name not in ours:
            raise TilewrightError(f"a hook for stages may look at them, but it added {name!r}")
        if call is not ours[name] and call(module(), metadata) != compiled.asm[name]:
            raise TilewrightError(f"a hook for stages may look at them, but it changed what {name!r} gives")
        module = lambda name=name: compiled.asm[name]  # noqa: E731
    if missing := [name for name in ours if name not in stages]:
        raise TilewrightError(f"a hook for stages may look at them, but it removed {missing[0]!r}")


class _Listening:
    """The hook around compilations that `tell`s of them, while it is installed."""

    def __init__(self):
        self._hook = None

    def install(self):
        """Have compilations told from now on."""
        if self._hook is None:
            self._hook = compile_hook(after=self._after)

    def remove(self):
        """Do not tell of them any more."""
        if self._hook is not None:
            self._hook.remove()
            self._hook = None

    @staticmethod
    def _after(compilation):
        tell(lambda: source_of(compilation), compilation.compiled, time.perf_counter() - compilation.begun)


watch = _Listening()
