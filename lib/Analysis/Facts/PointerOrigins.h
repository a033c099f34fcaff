// Where the pointers of a kernel come from.
//
// Nothing is known of pointers that overlap but what their origins tell. As the
// CUDA memory model does for arguments, the passes that load ahead of stores
// assume that arrays of different origins do not overlap.

#ifndef TILEWRIGHT_LIB_ANALYSIS_FACTS_POINTERORIGINS_H
#define TILEWRIGHT_LIB_ANALYSIS_FACTS_POINTERORIGINS_H

#include "mlir/IR/Value.h"

#include <optional>

namespace tilewright {

/// An argument of the kernel, and how often memory was read on the way from
/// it: 0 for an address in its array, 1 for one that was loaded from there.
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

/// The origin of `pointer`, a pointer, a tile of pointers or a descriptor;
/// nothing where control flow or arithmetic on integers hides it.
std::optional<PointerOrigin> findOrigin(mlir::Value pointer);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_FACTS_POINTERORIGINS_H
