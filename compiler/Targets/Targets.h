// The back ends, one object each, and what they share.

#pragma once

#include "compiler/CompileKernel.h"

namespace tilewright {

const Target &getCpuTarget();
const Target &getNvidiaTarget();

/// Runs the passes that `build` adds, on the way to `stage`, and notes their
/// times in `artifact`. What they leave is verified: at the end of a stage
/// before "llvm", and with `CompileOptions::debug` after each of them. Failure
/// comes with diagnostics.
mlir::LogicalResult
runPipeline(mlir::ModuleOp module, llvm::StringRef stage,
            const CompileOptions &options, Artifact &artifact,
            llvm::function_ref<void(mlir::OpPassManager &)> build);

/// Keeps the text of `module` as a stage that is wanted, and for a report where
/// its lines come from.
void keepStage(mlir::ModuleOp module, llvm::StringRef stage,
               const CompileOptions &options, Artifact &artifact);

/// What every back end does first: runs the passes that lead to the stage
/// "tile", and keeps it.
mlir::LogicalResult runTilePipeline(mlir::ModuleOp module,
                                    const CompileOptions &options,
                                    Artifact &artifact);

} // namespace tilewright
