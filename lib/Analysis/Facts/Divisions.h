// Divisions of integers, which take a hundred clocks and more where the divisor
// is not constant.

#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilewright {

/// Whether `op` divides integers by integers, for the quotient or the rest.
inline bool isDivision(mlir::Operation *op) {
  using namespace mlir::arith;
  return mlir::isa<DivSIOp, DivUIOp, RemSIOp, RemUIOp>(op);
}

} // namespace tilewright
