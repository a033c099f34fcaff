"""Reading the package of a library: `tilewright.load`."""

import io
import json
import struct
import zipfile
import zlib
from pathlib import Path

from ..errors import TilewrightError
from .calling import LoadedFunction
from .exports import INTEGERS
from .expressions import Expression, grid_expressions
from .library import Candidate, Function
from .package import FORMAT, MANIFEST

# Errors of damaged files: of zipfile (RuntimeError for one that seems encrypted), of json, and of wrong names or types.
_OF_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    RuntimeError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
)


class LibraryError(TilewrightError):
    """A library that can not be read, or that has no code for this machine."""


class LoadedLibrary:
    """A library that `tilewright compile` made. Its functions are attributes, and the items of `functions`."""

    def __init__(self, name, functions):
        self.name = name
        self.functions = {function.name: LoadedFunction(function, LibraryError) for function in functions}

    def __getattr__(self, name):
        functions = self.__dict__.get("functions", {})
        if name in functions:
            return functions[name]
        raise AttributeError(f"library {self.name} has no function {name!r}, it has {', '.join(functions)}")

    def __dir__(self):
        return [*super().__dir__(), *self.functions]

    def __repr__(self):
        return f"<tilewright library {self.name}: {', '.join(self.functions)}>"


def load(path):
    """The library in the file NAME.twlib that `tilewright compile --library NAME` made.

    Its functions take arrays and numbers as kernels do: `library.add(x, y, out, n)`, or `library.add[grid](...)`
    where the library does not compute the grid, and `stream=`. Arrays on the CPU run on the CPU, arrays of a
    CUDA device on it.

    Raises `OSError` if the file can not be read and `LibraryError` if it is damaged or of another version.
    Calls raise `LibraryError` if there is no code for the device, and the errors of launches.

    Example:

        >>> import tempfile
        >>> import numpy as np
        >>> import tilewright as tw
        >>> from tilewright import aot
        >>> variant = aot.Variant({"BLOCK": 4})
        >>> export = aot.Export(twice, "twice", ("*i64, *i64, i32",), (variant,), "cdiv(n, BLOCK)")
        >>> directory = tempfile.TemporaryDirectory()
        >>> _ = aot.write_library(aot.compile_library("mine", [export], ["cpu"]), directory.name)
        >>> library = tw.load(f"{directory.name}/mine.twlib")
        >>> x, out = np.arange(5), np.zeros(5, int)
        >>> _ = library.twice(x, out, 5)
        >>> out
        array([0, 2, 4, 6, 8])
    """
    path = Path(path)
    data = path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            manifest = json.loads(file.read(MANIFEST))
            _check_format(manifest, path)
            functions = [_function(description, file) for description in manifest["functions"]]
            return LoadedLibrary(manifest["name"], functions)
    except LibraryError:
        raise
    except _OF_DAMAGE as error:
        raise LibraryError(f"{path} is no library or damaged: {error}; make it again") from None


def _check_format(manifest, path):
    if manifest["format"] != FORMAT:
        raise LibraryError(
            f"{path} was made by tilewright {manifest['tilewright']} in format {manifest['format']}; this version "
            f"reads format {FORMAT}: make it again"
        )


def _function(description, file):
    arguments = [(name, type) for name, type in description["arguments"]]
    candidates = [_candidate(entry, arguments, file) for entry in description["candidates"]]
    return Function(
        description["name"], arguments, description["written"], description["takes_grid"], candidates
    )


def _candidate(entry, arguments, file):
    names = [name for name, type in arguments if type in INTEGERS] + list(entry["values"])
    if len(entry["hints"]) != len(arguments):
        raise ValueError(f"{entry['symbol']} has {len(entry['hints'])} hints")
    return Candidate(
        entry["symbol"],
        entry["target"],
        entry["image"],
        entry["hints"],
        Expression(entry["when"], names) if entry["when"] else None,
        grid_expressions(", ".join(entry["grid"]), names) if entry["grid"] else [],
        entry["values"],
        entry["metadata"],
        file.read(entry["file"]),
        entry["variant"],
    )
