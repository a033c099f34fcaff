// The region of a reduction or of a map, applied to registers.

#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Copies the body of `block` with `inputs` in place of its arguments; what it
/// yields, as `types`. Values that differ from what the region takes and gives
/// are the same registers under other types.
llvm::SmallVector<mlir::Value> emitRegion(mlir::ImplicitLocOpBuilder &b,
                                          mlir::Block &block,
                                          mlir::ValueRange inputs,
                                          mlir::TypeRange types);

} // namespace tilewright
