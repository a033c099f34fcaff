// How many iterations of a loop are in flight.

#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tilewright {

/// What the hint on `loop` says, or `otherwise`.
inline int64_t getNumStages(mlir::Operation *loop, int64_t otherwise) {
  auto hint = loop->getAttrOfType<mlir::IntegerAttr>("tile.num_stages");
  return hint ? hint.getInt() : otherwise;
}

} // namespace tilewright
