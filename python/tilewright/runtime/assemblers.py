"""Candidate paths of the PTX assemblers: nvJitLink and ptxas, from a CUDA toolkit or Python packages."""

import os
import shutil
import sys
from functools import lru_cache
from pathlib import Path


def _package_directories():
    """The directories in which Python packages lie."""
    return [
        Path(entry) for entry in sys.path if entry and Path(entry).name in ("site-packages", "dist-packages")
    ]


def _toolkits():
    """The roots of CUDA toolkits, the one that the user names first."""
    named = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH")]
    return [Path(root) for root in [*named, "/usr/local/cuda"] if root]


def nvjitlink_candidates():
    """Existing files that should be nvJitLink's library."""
    patterns = ("nvidia/cu*/lib/libnvJitLink.so*", "nvidia/nvjitlink/lib/libnvJitLink.so*")
    found = [
        path for root in _package_directories() for pattern in patterns for path in sorted(root.glob(pattern))
    ]
    for root in _toolkits():
        found += sorted(root.glob("lib64/libnvJitLink.so*")) + sorted(
            root.glob("targets/*/lib/libnvJitLink.so*")
        )
    return [str(path) for path in found]


def ptxas_candidates():
    """Existing files that should be ptxas."""
    found = [shutil.which("ptxas")] + [str(root / "bin" / "ptxas") for root in _toolkits()]
    patterns = ("nvidia/cu*/bin/ptxas", "nvidia/cuda_nvcc/bin/ptxas", "triton/backends/nvidia/bin/ptxas")
    found += [
        str(path) for root in _package_directories() for pattern in patterns for path in root.glob(pattern)
    ]
    return list(dict.fromkeys(path for path in found if path and os.access(path, os.X_OK)))


@lru_cache(maxsize=1)
def assembler_paths():
    """Both, the preferred first; looked up once."""
    return [*nvjitlink_candidates(), *ptxas_candidates()]
