// Inlines the region of a reduction or of a map on registers.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_REGIONEMISSION_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_REGIONEMISSION_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Clones the body of `block` with `inputs` for its arguments and returns the
/// yielded values as `types`. Inputs and results whose types differ from the
/// region's are the same registers under other types.
llvm::SmallVector<mlir::Value> emitRegion(mlir::ImplicitLocOpBuilder &b,
                                          mlir::Block &block,
                                          mlir::ValueRange inputs,
                                          mlir::TypeRange types);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_REGIONEMISSION_H
