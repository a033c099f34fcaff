// Which arguments of a kernel it may write through. Read-only arrays may be
// passed for the others.
#ifndef TILEWRIGHT_LIB_ANALYSIS_WRITTENARGUMENTS_H
#define TILEWRIGHT_LIB_ANALYSIS_WRITTENARGUMENTS_H

#include "dialect/Tile/TileOps.h"

#include "llvm/ADT/BitVector.h"

#include <memory>

namespace mlir {
class DataFlowSolver;
} // namespace mlir

namespace tilewright {

/// Which arguments of a kernel its values are computed from.
class ArgumentOrigins {
public:
  explicit ArgumentOrigins(tile::FuncOp kernel);
  ~ArgumentOrigins();

  /// The arguments that `pointer`, or a tile of pointers, may come from:
  /// followed through arithmetic, control flow and integers. What was loaded,
  /// or is computed in code that never runs, comes from none.
  llvm::BitVector get(mlir::Value pointer);

private:
  tile::FuncOp kernel;
  /// Null where the analysis failed.
  std::unique_ptr<mlir::DataFlowSolver> solver;
};

/// One bit for each argument: set unless no store and no atomic operation of
/// the kernel reaches an address that comes from it. Pointers are followed as
/// `ArgumentOrigins` does, not through memory.
/// Calls are taken to write through whatever they are given.
llvm::BitVector findWrittenArguments(tile::FuncOp kernel);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_WRITTENARGUMENTS_H
