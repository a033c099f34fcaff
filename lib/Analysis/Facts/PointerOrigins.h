// Traces the pointers of a kernel to its arguments.
//
// Origins are the only alias information. Passes that move loads before stores
// assume that arrays of different origins do not overlap.

#ifndef TILEWRIGHT_LIB_ANALYSIS_FACTS_POINTERORIGINS_H
#define TILEWRIGHT_LIB_ANALYSIS_FACTS_POINTERORIGINS_H

#include "mlir/IR/Value.h"

#include <optional>

namespace tilewright {

/// An argument of the kernel, and the number of loads on the way from it: 0 for
/// an address in its array, 1 for one that was loaded from there.
struct PointerOrigin {
  mlir::BlockArgument argument;
  unsigned loads = 0;

  bool operator==(const PointerOrigin &other) const {
    return argument == other.argument && loads == other.loads;
  }
  bool operator!=(const PointerOrigin &other) const {
    return !(*this == other);
  }
};

/// The origin of `pointer`, a pointer, a tile of pointers or a descriptor.
/// Nothing if it comes from control flow or from integer arithmetic.
std::optional<PointerOrigin> findOrigin(mlir::Value pointer);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_FACTS_POINTERORIGINS_H
