// Transposes square blocks in registers.

#pragma once

#include "mlir/IR/Builders.h"

namespace tilewright::cpu {

/// Transposes `rows`: element j of result i is element i of row j. The number
/// of rows equals their length, a power of two.
llvm::SmallVector<mlir::Value> transposeRows(mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             mlir::ValueRange rows);

} // namespace tilewright::cpu
