// Integer divisions, which are slow unless the divisor is constant.

#ifndef TILEWRIGHT_LIB_ANALYSIS_FACTS_DIVISIONS_H
#define TILEWRIGHT_LIB_ANALYSIS_FACTS_DIVISIONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilewright {

/// Whether `op` is an integer division or remainder.
inline bool isDivision(mlir::Operation *op) {
  using namespace mlir::arith;
  return mlir::isa<DivSIOp, DivUIOp, RemSIOp, RemUIOp>(op);
}

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_FACTS_DIVISIONS_H
