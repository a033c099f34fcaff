"""From a Python function to a compiled kernel, through the disk cache."""

import json
import os
import time
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from .. import knobs
from ..errors import CacheError
from ..frontend import from_diagnostics
from ..user_location import warn
from . import direct
from .assemblers import assembler_paths
from .compiled import STAGES, CompiledKernel, Metadata, Stages, stages_from_blobs, to_blobs

#: Whether to refuse, before assembly, kernels that need more registers than there are. They would run, but slowly. The
#: autotuner sets it, since it has other candidates.
FIT_REGISTERS = ContextVar("FIT_REGISTERS", default=False)


def compile_kernel(
    fn,
    arg_types,
    constexprs,
    attrs,
    target,
    options,
    stop_after="",
    report=False,
    trees=None,
    symbol="",
    extents=False,
):
    """Compile the function `fn` to a `CompiledKernel`, or find it in the disk cache.

    `arg_types` maps arguments to types as signatures spell them ("*fp16"), and `constexprs` the others to
    values. `attrs` maps some of the former to a power of two that divides them. `target` is "cpu" or an
    architecture ("sm_90a"), `options` an `Options`. `stop_after` names the last stage wanted ("tile",
    "warp", "llvm", "ptx"), all if empty. `report`: compile, even if it is on disk, and collect
    remarks (`CompiledKernel.report`). `trees` are those of arguments that
    are several values, see `structured`; the others then speak of their leaves. `symbol`: the symbol of
    the kernel, if not the function's name. `extents`: after its arguments the kernel takes the begin and the end
    of each array, and checks its accesses with them.

    Raises `CompilationError` for all errors of the kernel.
    """
    request = (fn, arg_types, constexprs, attrs, target, options, stop_after, report, trees, symbol, extents)
    key, kernel = _kernel(*request)
    _dump(key, kernel)
    return kernel


def _kernel(fn, arg_types, constexprs, attrs, target, options, stop_after, report, trees, symbol, extents):
    """The key of a kernel in the cache, and the `CompiledKernel`; as `compile_kernel`."""
    fn = getattr(fn, "fn", fn)
    request = _request(target, options, stop_after, symbol)
    short = (
        None
        if report
        else direct.key_of(fn, arg_types, constexprs, attrs, options, trees, extents, _deciding(request))
    )
    front = _from_notes(short, fn, constexprs)
    found = front and _look_up(front.key)
    if found is None:
        front = _front_end(fn, arg_types, constexprs, attrs, options, target, trees, extents, request)
        found = None if report else _look_up(front.key)
        _note(short, front, target)
    if found is None:
        (asm, metadata, module), known = _compile(front, request, report)
    else:
        (asm, metadata, module), known = found, {}
    # The PTX version may depend on the assembler, and is part of the key.
    again = request | {"ptx_version": metadata.get("ptx_version", 0)}
    return front.key, CompiledKernel(
        symbol or fn.__name__,
        target,
        Stages(
            asm, {stage: partial(_stage_of, module, again, stage) for stage in _texts(target, stop_after)}
        ),
        Metadata(metadata),
        {name: arg_types.get(name, "i64") for name in front.arguments},  # without a type: an extent
        front.constants,
        found is not None,
        known,
        options=options,
        guards=front.guards,
    )


@dataclass(frozen=True)
class _Front:
    """The result of the front end, in this or another process: the key in the cache, the names of the arguments, the
    constants by name, and the guards. `tile`, its `module` as bytes, and `milliseconds` are set if this process ran
    it."""

    key: str
    arguments: list
    constants: dict
    guards: object
    tile: object = None
    module: bytes = b""
    milliseconds: float = 0.0


def _front_end(fn, arg_types, constexprs, attrs, options, target, trees, extents, request):
    from ..frontend import compile_to_tile

    start = time.perf_counter()
    tile = compile_to_tile(fn, arg_types, constexprs, attrs, options, target, trees, extents)
    milliseconds = 1e3 * (time.perf_counter() - start)
    module = tile.module.bytecode()
    key, guards = _key(module, request), tile.reads.guards
    return _Front(key, [*tile.arg_types], tile.constexprs, guards, tile, module, milliseconds)


def _from_notes(short, fn, constexprs):
    """An earlier result of the front end under the key `short`, or None."""
    cache = disk_cache() if short else None
    if cache is None or knobs.ALWAYS_COMPILE.flag():
        return None
    kept = direct.find(cache, short, fn)
    if kept is None:
        return None
    constants = direct.constants_of(fn, kept.constants, constexprs)
    return _Front(kept.key, kept.arguments, constants, kept.guards)


def _note(short, front, target):
    """Keep the front end's result under the key `short`."""
    cache = disk_cache() if short else None
    if cache is not None:
        try:
            direct.keep(cache, short, front.key, front.tile, target)
        except (CacheError, RuntimeError, OSError):
            return  # the next process compiles again; storing the kernel itself warns


def _request(target, options, stop_after, symbol):
    """The request to the compiler, which is part of the key."""
    request = {"target": target, **options.request(), "stop_after": stop_after}
    if symbol:
        request["symbol"] = symbol
    if not is_cpu(target):
        request["debug"] = request["debug"] or knobs.CHECK.flag()
        request["assembler"] = knobs.ASSEMBLER.choice("auto", "nvjitlink", "ptxas", "driver")
        request["assembler_paths"] = assembler_paths()
    return request


def _compile(front, request, report):
    """A kernel that is not on disk, as `_look_up` gives it, and its report."""
    from .background import once

    keep_ir = bool(report or knobs.DUMP_DIR.text())
    # Not part of the key in the cache: it decides on whether there is a kernel, not on its code.
    how = {"report": report, "keep_ir": keep_ir, "fit_registers": FIT_REGISTERS.get()}
    request = request | how
    kernel, known = once((front.key, *how.values()), lambda: _compile_and_store(front, request))
    front_end = {"stage": "tile", "name": "front end", "milliseconds": front.milliseconds}
    return kernel, {**known, "times": [front_end, *known["times"]]}


def _texts(target, stop_after):
    """The stages of a kernel whose texts are generated on first use if they were not kept."""
    stages = ("tile", "llvm") if is_cpu(target) else ("tile", "warp", "llvm")
    return stages[: stages.index(stop_after) + 1] if stop_after in stages else stages


def _stage_of(module, request, stage):
    """The text of a stage of a kernel, from the front end's result."""
    from .. import _tilewright

    context = _tilewright.Context()
    return _tilewright.compile(context.parse(module), request | {"stop_after": stage}).get(stage)


def is_cpu(target):
    """Whether `target` is a processor of the host: "cpu", this machine's, or such as "cpu:x86-64-v3"."""
    return target == "cpu" or target.startswith("cpu:")


def _compile_and_store(front, request):
    """A kernel, which goes to the disk cache, and its report."""
    from .. import _tilewright

    try:
        artifact = _tilewright.compile(front.tile.module, request)
    except _tilewright.DiagnosticError as error:
        raise from_diagnostics(error, front.tile.sources) from None
    stages = {stage: artifact.get(stage) for stage in STAGES}
    asm = {stage: content for stage, content in stages.items() if content is not None}
    kernel = asm, artifact.metadata, front.module
    _store(front.key, to_blobs(*kernel))
    return kernel, artifact.report


def _deciding(request):
    """The rest of the key besides the kernel: the options, the compiler, and for host code the machine."""
    from .. import _tilewright

    machine = _tilewright.host_target() if is_cpu(request["target"]) else ""
    named = [knobs.NVJITLINK.text(), knobs.PTXAS.text()]
    return [_tilewright.build_id(), machine, json.dumps([request, named], sort_keys=True)]


def _key(module, request):
    """The key in the cache of a kernel, given as bytes."""
    from .. import _tilewright

    return _tilewright.sha256("\0".join([*_deciding(request), ""]).encode() + module)


def disk_cache():
    """The disk cache where the environment wants it now; None, with one warning, where there cannot be one."""
    return _open_cache(
        *map(os.environ.get, (knobs.CACHE_DIR.name, knobs.CACHE_SIZE.name, "XDG_CACHE_HOME", "HOME"))
    )


@lru_cache(maxsize=1)
def _open_cache(*_environment):
    """The disk cache of an environment, which the library reads itself."""
    from .. import _tilewright

    try:
        return _tilewright.Cache()
    except (RuntimeError, OSError, ValueError) as error:
        warn(f"kernels are not cached on disk: {error}")
        return None


def _look_up(key):
    """Stages, metadata and the front end's result, as bytes, of a kernel that is on disk; None if it is not."""
    cache = disk_cache()
    if cache is None or knobs.ALWAYS_COMPILE.flag():
        return None
    blobs = cache.get(key)
    try:
        return stages_from_blobs(blobs) if blobs else None
    except ValueError:  # an entry of another version
        return None


def _store(key, blobs):
    cache = disk_cache()
    if cache is None:
        return
    try:
        cache.put(key, blobs)
    except (CacheError, RuntimeError, OSError) as error:
        warn(f"a kernel was not cached on disk: {error}")


def _dump(key, kernel):
    """Write the stages where `TILEWRIGHT_DUMP_DIR` wants them, as NAME-KEY.STAGE."""
    if not (directory := knobs.DUMP_DIR.text()):
        return
    try:
        Path(directory).mkdir(parents=True, exist_ok=True)
        for stage in kernel.asm:
            Path(directory, f"{kernel.name}-{key[:8]}.{stage}").write_bytes(kernel.binary(stage))
    except OSError as error:
        warn(f"stages are not written where {knobs.DUMP_DIR.name} wants them: {error}")
