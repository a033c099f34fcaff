"""The compiler's text tests: FileCheck over tilewright-opt and its sister tools."""

import os
import shutil

import lit.formats

# lit defines `config` and `lit_config`; lit.site.cfg.py defines the rest.
config.name = "Tilewright"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ll", ".test"]
config.excludes = ["python", "kernels", "unit", "gpu", "Inputs"]
# A compiler that hangs is a failure. The margin is wide, so that a slow machine passes.
lit_config.maxIndividualTestTime = 120
config.test_source_root = os.path.join(config.source_root, "test")
config.test_exec_root = os.path.join(config.build_root, "test")

# The tools under test first, LLVM's helpers (FileCheck, not, split-file) second.
directories = [os.path.join(config.build_root, "bin"), config.llvm_tools_dir, config.environment["PATH"]]
config.environment["PATH"] = os.pathsep.join(directories)
config.substitutions.append(("%python", config.python))
# Freed memory is overwritten, so that a use after free fails deterministically.
config.environment["GLIBC_TUNABLES"] = "glibc.malloc.tcache_count=0:glibc.malloc.perturb=165"

# If CUDA's assembler is found, generated PTX is assembled too.
if shutil.which("ptxas", path=config.environment["PATH"]):
    config.available_features.add("ptxas")
