// Which arguments of a kernel it may write through. Read-only arrays may be
// passed for the others.
#ifndef TILEWRIGHT_LIB_ANALYSIS_MEMORY_WRITTENARGUMENTS_H
#define TILEWRIGHT_LIB_ANALYSIS_MEMORY_WRITTENARGUMENTS_H

#include "dialect/Tile/TileOps.h"

#include "llvm/ADT/BitVector.h"

namespace tilewright {

/// Which arguments of a kernel its values are computed from.
class ArgumentOrigins {
public:
  explicit ArgumentOrigins(tile::FuncOp kernel) : kernel(kernel) {}

  /// The arguments that `pointer`, or a tile of pointers, may come from:
  /// followed back through arithmetic, control flow and integers. What was
  /// loaded comes from none.
  llvm::BitVector get(mlir::Value pointer);

private:
  tile::FuncOp kernel;
};

/// One bit for each argument: set unless no store and no atomic operation of
/// the kernel reaches an address that comes from it. Pointers are followed as
/// `ArgumentOrigins` does, not through memory.
/// Calls are taken to write through whatever they are given.
llvm::BitVector findWrittenArguments(tile::FuncOp kernel);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MEMORY_WRITTENARGUMENTS_H
