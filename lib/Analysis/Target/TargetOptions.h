// Checks the options of TargetOptions.td, which the command line sets freely.

#ifndef TILEWRIGHT_LIB_ANALYSIS_TARGET_TARGETOPTIONS_H
#define TILEWRIGHT_LIB_ANALYSIS_TARGET_TARGETOPTIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace tilewright {

/// Emits an error unless `numWarps` is a power of two from 1 to 32.
mlir::LogicalResult checkNumWarps(mlir::ModuleOp module, unsigned numWarps);

/// Emits an error if the NVIDIA back end does not support the GPU.
mlir::LogicalResult checkComputeCapability(mlir::ModuleOp module,
                                           unsigned computeCapability);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_TARGET_TARGETOPTIONS_H
