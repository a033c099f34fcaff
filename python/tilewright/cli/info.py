"""`tilewright info`: versions, devices and tools of this machine."""

import json
import os
import platform
import sys

from .. import knobs
from ..runtime.assemblers import assembler_paths


def add_parser(commands):
    """Add the command to the parsers `commands`."""
    parser = commands.add_parser(
        "info",
        help="show versions, driver, devices, assemblers and cache",
        description="Show versions, driver, devices, assemblers, cache and environment variables.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(execute=execute)


def _versions():
    from .. import _tilewright

    rows = {
        "tilewright": f"{_tilewright.__version__} (build {_tilewright.build_id()[:12]})",
        "LLVM": _tilewright.llvm_version(),
        "Python": platform.python_version(),
    }
    for name in ("numpy", "torch", "cupy", "jax"):
        if version := _version(name):
            rows[name] = version
    return rows


def _version(package):
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _cpu():
    from .. import _tilewright

    triple, processor, *_ = _tilewright.host_target().split(";")
    try:
        threads = str(_tilewright.host_thread_count())
    except ValueError as error:
        threads = f"none: {error}"
    return {"target": f"{triple}, {processor}", "threads": threads}


def _gpus():
    from .._tilewright import cuda

    try:
        version = cuda.driver_version()
    except RuntimeError as error:
        return {"driver": f"none: {error}"}
    rows = {"driver": f"CUDA {version // 1000}.{version % 1000 // 10}"}
    for device in range(cuda.device_count()):
        found = cuda.device_properties(device)
        capability = found["compute_capability"]
        rows[f"device {device}"] = (
            f"{found['name']}, {found['global_bytes'] / 2**30:.0f} GiB, compute capability "
            f"{capability // 10}.{capability % 10}, {found['multiprocessors']} multiprocessors"
        )
    return rows


def _assemblers():
    from .. import _tilewright

    rows = {}
    for found in _tilewright.assemblers(assembler_paths()):
        if "error" in found:
            return {"none": found["error"]}
        version = found["max_ptx_version"]
        rows[found["name"]] = f"{found['path']}, PTX up to {version // 10}.{version % 10}"
    return {**rows, "driver": "the CUDA driver, when a kernel is loaded"}


def _cache():
    from .. import _tilewright

    try:
        cache = _tilewright.Cache()
    except (RuntimeError, OSError, ValueError) as error:
        return {"directory": f"none: {error}"}
    entries, size = cache.usage
    return {
        "directory": cache.directory,
        "content": f"{entries} kernels, {size / 2**20:.1f} MiB of at most {cache.max_bytes / 2**20:.0f} MiB",
    }


def _environment():
    return {knob.name: f"{knob.text() or f'({knob.default})'}\n{knob.help}" for knob in knobs.ALL}


def collect():
    """Everything that is shown: rows by section."""
    return {
        "Versions": _versions(),
        "CPU": _cpu(),
        "CUDA": _gpus(),
        "Assemblers of PTX": _assemblers(),
        "Disk cache": _cache(),
        "Environment": _environment(),
    }


def _print_plain(sections):
    for section, rows in sections.items():
        print(section)
        for name, value in rows.items():
            first, *others = value.splitlines() or [""]
            print(f"  {name:<28} {first}")
            for line in others:
                print(f"  {'':<28} {line}")


def _print_table(sections):
    from rich.console import Console
    from rich.table import Table

    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for section, rows in sections.items():
        table.add_row(f"[bold]{section}[/bold]", "")
        for name, value in rows.items():
            table.add_row(f"  {name}", value)
    Console().print(table)


def execute(arguments):
    """Print; gives the exit status."""
    sections = collect()
    if arguments.json:
        json.dump(sections, sys.stdout, indent=2)
        print()
        return 0
    try:
        if not os.isatty(1):
            raise ImportError
        _print_table(sections)
    except ImportError:
        _print_plain(sections)
    return 0
