// Transposes square blocks in registers.

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_TRANSPOSE_H
#define TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_TRANSPOSE_H

#include "mlir/IR/Builders.h"

namespace tilewright::cpu {

/// Transposes `rows`: element j of result i is element i of row j. The number
/// of rows equals their length, a power of two.
llvm::SmallVector<mlir::Value> transposeRows(mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             mlir::ValueRange rows);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_TRANSPOSE_H
