// The number of pipeline stages of a loop.

#ifndef TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_NUMSTAGES_H
#define TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_NUMSTAGES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tilewright {

/// The number of stages that the hint on `loop` gives, or `otherwise`.
inline int64_t getNumStages(mlir::Operation *loop, int64_t otherwise) {
  auto hint = loop->getAttrOfType<mlir::IntegerAttr>("tile.num_stages");
  return hint ? hint.getInt() : otherwise;
}

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_NUMSTAGES_H
