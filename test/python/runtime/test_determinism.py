"""What a kernel is compiled to does not depend on the process that compiles it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tilewright

pytestmark = pytest.mark.compiled

#: Prints a digest of each stage of several kernels. Memory that `argv[1]` asks for moves what comes later to other
#: addresses, beside what the system does to them.
SCRIPT = """
import hashlib, sys
keep = [bytearray(int(sys.argv[1]) * size) for size in (64, 4096, 100_000)]

from pathlib import Path
from tilewright.aot import export, exports
from tilewright.aot.exports import exported_by
"""
