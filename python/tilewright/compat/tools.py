"""`triton.knobs.nvidia` and `triton.tools.disasm`: NVIDIA's tools, where this machine has them."""

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache

from .. import knobs
from ..runtime.assemblers import ptxas_candidates
from .settings import Group, switches, texts

#: By the name of a tool the variable that holds its path.
_TOOLS = {
    "ptxas": knobs.PTXAS.name,
    "ptxas_blackwell": knobs.PTXAS.name,
    "nvdisasm": knobs.NVDISASM.name,
    "cuobjdump": "TRITON_CUOBJDUMP_PATH",
}


@dataclass(frozen=True)
class NvidiaTool:
    """A program of NVIDIA's: its `path`, and the `version` that it says to have."""

    path: str
    version: str

    @staticmethod
    @lru_cache
    def from_path(path):
        """That at `path`, None if there is none."""
        try:
            said = subprocess.check_output([path, "--version"], stderr=subprocess.STDOUT, text=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        version = re.search(r"release (\d+\.\d+)", said)
        return version and NvidiaTool(path, version.group(1))

    @staticmethod
    def find(name):
        """The tool of this name. Raises `RuntimeError` where there is none."""
        binary = name.partition("_")[0]
        adjacent = [os.path.join(os.path.dirname(path), binary) for path in ptxas_candidates()]
        for path in (os.environ.get(_TOOLS[name]), shutil.which(binary), *adjacent):
            tool = path and NvidiaTool.from_path(path)
            if tool:
                return tool
        raise RuntimeError(f"{binary} was not found; set {_TOOLS[name]} to its path")


class nvidia(Group):
    """Programs that assemble and show machine code, as `NvidiaTool`; `libdevice_path` may be set, and is not needed:
    functions are Tilewright's own."""

    settings = {
        **switches(
            dump_nvptx="NVPTX_ENABLE_DUMP",
            disable_ptxas_opt="DISABLE_PTXAS_OPT",
            dump_ptxas_log="TRITON_DUMP_PTXAS_LOG",
        ),
        **texts(
            ptxas_options="PTXAS_OPTIONS",
            mock_ptx_version="TRITON_MOCK_PTX_VERSION",
            libdevice_path="TRITON_LIBDEVICE_PATH",
            libcuda_path=knobs.LIBCUDA.name,
        ),
    }

    def __getattr__(self, name):
        return NvidiaTool.find(name) if name in _TOOLS else super().__getattr__(name)

    def __setattr__(self, name, value):
        if name not in _TOOLS:
            return super().__setattr__(name, value)
        if value is None:
            os.environ.pop(_TOOLS[name], None)
        else:
            os.environ[_TOOLS[name]] = str(getattr(value, "path", value))


def get_ptxas(arch=None):
    """The assembler, which is the same for every architecture."""
    return NvidiaTool.find("ptxas")


def extract(path, function=None):
    """The machine code in the cubin at `path` as text, of one function or of all. Raises `RuntimeError` without
    cuobjdump."""
    chosen = ["-fun", function] if function else []
    return subprocess.check_output([NvidiaTool.find("cuobjdump").path, "-sass", *chosen, path], text=True)


def get_sass(cubin, fun=None):
    """`extract` of the bytes of a cubin."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        return extract(file.name, fun)
