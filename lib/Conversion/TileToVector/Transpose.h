// Square blocks transposed in registers.

#pragma once

#include "mlir/IR/Builders.h"

namespace tilewright::cpu {

/// Element j of result i is element i of row j. As many rows as each has
/// elements, a power of two.
llvm::SmallVector<mlir::Value> transposeRows(mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             mlir::ValueRange rows);

} // namespace tilewright::cpu
