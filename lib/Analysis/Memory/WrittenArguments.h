// Finds the arguments that a kernel may write through. Read-only arrays may be
// passed for the others.
#ifndef TILEWRIGHT_LIB_ANALYSIS_MEMORY_WRITTENARGUMENTS_H
#define TILEWRIGHT_LIB_ANALYSIS_MEMORY_WRITTENARGUMENTS_H

#include "dialect/Tile/TileOps.h"

#include "llvm/ADT/BitVector.h"

namespace tilewright {

/// Finds the kernel arguments that values are computed from.
class ArgumentOrigins {
public:
  explicit ArgumentOrigins(tile::FuncOp kernel) : kernel(kernel) {}

  /// The arguments that `pointer`, a pointer or a tile of pointers, may come
  /// from. Follows arithmetic, control flow and integers. Loaded values come
  /// from none.
  llvm::BitVector get(mlir::Value pointer);

private:
  tile::FuncOp kernel;
};

/// One bit for each argument, set if a store or an atomic operation may write
/// to an address that comes from it. Pointers are followed as `ArgumentOrigins`
/// does, not through memory. A call is assumed to write through all its
/// operands.
llvm::BitVector findWrittenArguments(tile::FuncOp kernel);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MEMORY_WRITTENARGUMENTS_H
