// The back ends, one object each, and their shared functions.

#ifndef TILEWRIGHT_COMPILER_TARGETS_TARGETS_H
#define TILEWRIGHT_COMPILER_TARGETS_TARGETS_H

#include "compiler/CompileKernel.h"

namespace tilewright {

const Target &getCpuTarget();
const Target &getNvidiaTarget();

/// Runs the passes that `build` adds, for `stage`, and records their times in
/// `artifact`. Verifies the result at the end of each stage before "llvm", and
/// with `CompileOptions::debug` after each pass. Failures are reported as
/// diagnostics.
mlir::LogicalResult
runPipeline(mlir::ModuleOp module, llvm::StringRef stage,
            const CompileOptions &options, Artifact &artifact,
            llvm::function_ref<void(mlir::OpPassManager &)> build);

/// Stores the text of `module` if the stage is requested, and for a report the
/// sources of its lines.
void keepStage(mlir::ModuleOp module, llvm::StringRef stage,
               const CompileOptions &options, Artifact &artifact);

/// The first stage of every back end: runs the tile pipeline and stores the
/// stage "tile".
mlir::LogicalResult runTilePipeline(mlir::ModuleOp module,
                                    const CompileOptions &options,
                                    Artifact &artifact);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_TARGETS_TARGETS_H
