// The back ends, one object each, and what they share.

#pragma once

#include "compiler/Driver.h"

namespace tilewright {

const Target &getCpuTarget();
const Target &getNvidiaTarget();

/// Runs the passes that `build` adds. Failure comes with diagnostics.
mlir::LogicalResult
runPipeline(mlir::ModuleOp module,
            llvm::function_ref<void(mlir::OpPassManager &)> build);

} // namespace tilewright
