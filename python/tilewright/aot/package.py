"""The files of a library: C source and header, an archive of host objects, and a package for Python."""

import json
import os
import tempfile
import zipfile
from pathlib import Path

from .archive import archive
from .c_source import header, source

#: The version of the package's layout; readers refuse others.
FORMAT = 1
MANIFEST = "manifest.json"
_KEPT = (
    "num_threads",
    "shared",
    "cluster",
    "launch_recipe",
    "cooperative",
    "dependent",
    "blocks",
    "features",
    "triple",
    "program_order",
    "registers",
    "spills",
)


def _describe(candidate, file):
    return {
        "symbol": candidate.symbol,
        "target": candidate.target,
        "image": candidate.image,
        "file": file,
        "hints": candidate.hints,
        "when": candidate.when.text if candidate.when else "",
        "grid": [dim.text for dim in candidate.grid],
        "values": candidate.values,
        "variant": candidate.variant,
        "metadata": {key: candidate.metadata[key] for key in _KEPT if key in candidate.metadata},
    }


def pack(library, path):
    """Write the package of a library: a ZIP file, with a checksum of each member."""
    from .._tilewright import __version__

    functions = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for function in library.functions:
            candidates = []
            for candidate in function.candidates:
                member = f"{candidate.symbol}.{candidate.image}"
                file.writestr(zipfile.ZipInfo(member), candidate.code, zipfile.ZIP_DEFLATED)
                candidates.append(_describe(candidate, member))
            functions.append(
                {
                    "name": function.name,
                    "arguments": function.arguments,
                    "written": function.written,
                    "takes_grid": function.takes_grid,
                    "candidates": candidates,
                }
            )
        manifest = {"format": FORMAT, "tilewright": __version__, "name": library.name, "functions": functions}
        file.writestr(zipfile.ZipInfo(MANIFEST), json.dumps(manifest, indent=1), zipfile.ZIP_DEFLATED)


def _replace(path, write):
    """Write a temporary file next to `path` and rename it: readers see the old or the new one."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    try:
        write(Path(temporary))
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return path


def write_library(library, directory):
    """Write NAME.h, NAME.c, NAME.twlib and, with code for the CPU, NAME_cpu.a to `directory`; gives the paths."""
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    name = library.name
    texts = {f"{name}.h": header(library), f"{name}.c": source(library)}
    paths = [
        _replace(directory / file, lambda path, text=text: path.write_text(text))
        for file, text in texts.items()
    ]
    objects = [
        (f"{candidate.symbol}.o", candidate.code) for candidate in library.candidates if candidate.is_cpu
    ]
    if objects:
        data = archive(objects)
        paths.append(_replace(directory / f"{name}_cpu.a", lambda path: path.write_bytes(data)))
    paths.append(_replace(directory / f"{name}.twlib", lambda path: pack(library, path)))
    return paths
