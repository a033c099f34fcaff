"""Tuning results in the disk cache, so that a process reuses the measurements of another.

A result is an entry of kind "tuning". Its key is a digest of the kernel's source, the configurations, the
arguments' key, the device, the driver and the build of the compiler.
"""

import inspect
import json
import math

from ..runtime.compiler import disk_cache


def source_of(kernel, seen=None):
    """The source of a kernel and of the functions it calls, as far as its globals name them.

    Functions reached in other ways are not in it: a stale choice may be slower, never wrong.
    """
    seen = set() if seen is None else seen
    fn = kernel.fn
    if fn in seen:
        return ""
    seen.add(fn)
    try:
        parts = [inspect.getsource(fn)]
    except OSError:
        parts = [fn.__code__.co_code.hex()]
    for name in fn.__code__.co_names:
        value = fn.__globals__.get(name)
        if getattr(type(value), "is_kernel_function", False):
            parts.append(source_of(value, seen))
        elif isinstance(value, (int, float, str)) or type(value).__name__ == "constexpr":
            parts.append(f"{name}={value!r}")
    return "\n".join(parts)


def describe_device(kind, ordinal):
    """The facts of a device that decide on speed: its name, and the driver or the machine's processor."""
    from .. import _tilewright

    if kind == "cpu":
        return f"cpu {_tilewright.host_target()}"
    properties = _tilewright.cuda.device_properties(ordinal)
    return f"{properties['name']} driver {_tilewright.cuda.driver_version()}"


def digest(kernel, configs, key, device):
    """The key of a result in the cache."""
    from .. import _tilewright

    parts = [_tilewright.build_id(), source_of(kernel), *map(str, configs), repr(key), device]
    return _tilewright.sha256("\0".join(["tuning", *parts]).encode())


def load(entry):
    """The result kept under a digest, a dict, or None."""
    cache = disk_cache()
    blobs = cache.get(entry) if cache is not None else None
    return _result_of(entry, blobs)


def _result_of(entry, blobs):
    """The result in the blobs of an entry; None if it is damaged or of another version."""
    try:
        result = json.loads(blobs["result"]) if blobs else None
        check(entry, result)
    except (KeyError, ValueError):
        return None
    return result


_FIELDS = {"kernel": str, "device": str, "key": str, "config": str, "times": dict}


def check(entry, result):
    """Raise `ValueError` unless it is a result under a digest."""
    if len(entry) != 64 or not set(entry) <= set("0123456789abcdef"):
        raise ValueError(f"{entry!r} is no digest")
    if not isinstance(result, dict):
        raise ValueError(f"the result {entry[:16]} is no object with {', '.join(_FIELDS)}")
    for name, kind in _FIELDS.items():
        if not isinstance(result.get(name), kind):
            raise ValueError(f"the result {entry[:16]} has no {name}")
    for config, time in result["times"].items():
        if isinstance(time, bool) or not isinstance(time, int | float) or not math.isfinite(time):
            raise ValueError(f"the result {entry[:16]} has {time!r} as a time of {config!r}")


def store(entry, result, cache):
    """Put a result into a cache. Raises as `Cache.put` does."""
    metadata = {"kind": "tuning", "name": result["kernel"], "target": result["device"]}
    cache.put(entry, {"metadata": json.dumps(metadata).encode(), "result": json.dumps(result).encode()})


def save(entry, result):
    """Keep a result, a dict with "kernel", "device", "key", "config" and "times", if there is a disk cache."""
    cache = disk_cache()
    try:
        if cache is not None:
            store(entry, result, cache)
    except (RuntimeError, OSError):
        return  # the next process measures again


def entries(cache):
    """All results of a cache as pairs of digest and dict."""
    for entry, _, _ in cache.list():
        blobs = cache.peek(entry)
        if blobs and "result" in blobs and (result := _result_of(entry, blobs)):
            yield entry, result
