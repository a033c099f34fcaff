"""The compiler's text tests: FileCheck over tilewright-opt and its sister tools."""

import os
import shutil

import lit.formats

# `config` and `lit_config` are put here by lit, the rest by lit.site.cfg.py.
config.name = "Tilewright"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ll", ".test"]
config.excludes = ["python", "kernels", "unit", "gpu", "Inputs"]
# A compiler that hangs is a failure, told apart from a slow machine by a wide margin.
lit_config.maxIndividualTestTime = 120
config.test_source_root = os.path.join(config.source_root, "test")
config.test_exec_root = os.path.join(config.build_root, "test")

# The tools under test first, LLVM's helpers (FileCheck, not, split-file) second.
places = [os.path.join(config.build_root, "bin"), config.llvm_tools_dir, config.environment["PATH"]]
config.environment["PATH"] = os.pathsep.join(places)
config.substitutions.append(("%python", config.python))
# Memory that was freed is overwritten, so that who still reads it fails each time, not now and then.
config.environment["GLIBC_TUNABLES"] = "glibc.malloc.tcache_count=0:glibc.malloc.perturb=165"

# Where CUDA's assembler is found, what we generate is assembled too.
if shutil.which("ptxas", path=config.environment["PATH"]):
    config.available_features.add("ptxas")
