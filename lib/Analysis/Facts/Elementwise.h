// Ops that compute each element of their results from the elements of their
// operands at the same index.

#ifndef TILEWRIGHT_LIB_ANALYSIS_FACTS_ELEMENTWISE_H
#define TILEWRIGHT_LIB_ANALYSIS_FACTS_ELEMENTWISE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilewright {

/// Whether `op` is elementwise and has one result.
inline bool isElementwise(mlir::Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         op->hasTrait<mlir::OpTrait::Elementwise>();
}

/// Whether `op` is elementwise, has one result and no side effects.
inline bool isEffectFreeElementwise(mlir::Operation *op) {
  return isElementwise(op) && mlir::isMemoryEffectFree(op);
}

/// Whether `op` is an op of arith or math other than a constant. All of them
/// are elementwise. Some have several results, or do not have the trait.
inline bool isArithmetic(mlir::Operation *op) {
  return mlir::isa_and_nonnull<mlir::arith::ArithDialect,
                               mlir::math::MathDialect>(op->getDialect()) &&
         op->getNumOperands() != 0 && op->getNumRegions() == 0;
}

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_FACTS_ELEMENTWISE_H
