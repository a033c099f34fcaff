"""The compiled code of a kernel does not depend on the process: neither on addresses nor on the hash seed of Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tilewright

pytestmark = pytest.mark.compiled

# Each process compiles in another order and holds other allocations, so that addresses differ by more than their
# randomization.
DIGESTS = """
import hashlib, random, sys
keep = [bytearray(size) for size in map(int, sys.argv[1:])]
from assembling import signature
from shipped import SHIPPED
from tilewright.runtime.compiler import compile_kernel
from tilewright.options import Options

covering = [shipped for shipped in SHIPPED if shipped.covers]
first_of_each = {shipped.kernel.fn: shipped for shipped in reversed(covering)}
chosen = [*first_of_each.values()]
random.Random(len(keep)).shuffle(chosen)
for shipped in chosen:
    types = signature(shipped.kernel, shipped.dtype, shipped.constants, shipped.types)
    divisible = {name: 16 for name, type in types.items() if type != "fp32"}
    for target, last in (("sm_90a", "ptx"), ("sm_80", "ptx"), ("cpu", "")):
        options = Options(**(shipped.options if target == "sm_90a" else {"num_warps": 4}))
        compiled = compile_kernel(shipped.kernel.fn, types, shipped.constants, divisible, target, options, last)
        for stage, code in compiled.asm.items():
            code = code if isinstance(code, bytes) else code.encode()
            print(shipped.name, target, stage, hashlib.sha256(code).hexdigest())
"""


def digests(directory, seed, *sizes):
    """Returns lines of kernel, target, stage and digest, from a process with its own cache."""
    kernels = Path(__file__).parent
    path = os.pathsep.join([str(Path(tilewright.__file__).parents[1]), str(kernels)])
    environment = {"PYTHONPATH": path, "PYTHONHASHSEED": seed, "TILEWRIGHT_CACHE_DIR": str(directory / seed)}
    done = subprocess.run(
        [sys.executable, "-c", DIGESTS, *map(str, sizes)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_processes_agree(tmp_path):
    first, second = digests(tmp_path, "1"), digests(tmp_path, "2", 300, 70_000, 5_000_000)
    assert sorted(first) == sorted(second)
    assert {"tile", "warp", "ptx", "obj"} <= {line.split()[-2] for line in first}
