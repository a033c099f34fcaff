// Finds RAW, WAR and WAW hazards between threads of one CTA in global memory.
//
// Each thread sees its own accesses in order. A barrier is needed between two
// accesses if:
// 1. At least one of them writes.
// 2. Both may access the same element.
// 3. Different threads may access it.
//
// Assumptions:
// 1. Arrays of different arguments do not overlap
//    (lib/Analysis/Facts/PointerOrigins.h).
// 2. The elements of a stored tile have distinct addresses. Otherwise the
//    stored value would be undefined in any case.
//
// Whether rows overlap whose distance is an argument is checked at run time.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MEMORY_GLOBALHAZARDS_H
#define TILEWRIGHT_LIB_ANALYSIS_MEMORY_GLOBALHAZARDS_H

#include "lib/Analysis/Facts/AffineTiles.h"
#include "lib/Analysis/Memory/WrittenArguments.h"

#include "dialect/Tile/TileOps.h"

#include <memory>

namespace tilewright {

/// Whether `op` itself accesses global memory by threads.
bool accessesGlobalMemory(mlir::Operation *op);

/// The pointers of a store, or of an atomic operation without uses. Such ops do
/// not observe writes of other programs. Null for all other ops.
mlir::Value getWrittenOnly(mlir::Operation *op);

/// Whether the iterations of `loop` are programs, which are not ordered.
bool iteratesPrograms(mlir::Operation *loop);

/// A distance of rows, and the minimum at which the rows are disjoint.
struct RowDistance {
  Polynomial distance;
  int64_t least;

  bool operator==(const RowDistance &other) const {
    return distance == other.distance && least == other.least;
  }
};

/// The conditions under which two accesses are disjoint, checked at run time.
/// Empty if they are known to be disjoint.
using DisjointCondition = llvm::SmallVector<RowDistance, 1>;

/// An access that some thread may not have completed.
struct GlobalUse {
  mlir::Operation *op;
  /// The outermost loop that has started another iteration since. Null if none
  /// has, or if the pointers are invariant in it.
  mlir::Operation *loop = nullptr;
  /// Conditions of the conditional barriers since the access. Such a barrier
  /// runs unless its condition holds.
  DisjointCondition unlessDisjoint;

  bool operator==(const GlobalUse &other) const {
    return op == other.op && loop == other.loop &&
           unlessDisjoint == other.unlessDisjoint;
  }
};

/// `use` as the next iteration of `loop` sees it. Nothing if that is another
/// program, which does not have to wait.
std::optional<GlobalUse> carryAround(GlobalUse use, mlir::Operation *loop);

class GlobalHazards {
public:
  explicit GlobalHazards(tile::FuncOp kernel) : kernel(kernel) {}

  /// The condition under which no barrier is needed between `earlier` and `op`.
  /// Empty if none is ever needed, nothing if one always is.
  std::optional<DisjointCondition>
  getDisjointCondition(const GlobalUse &earlier, mlir::Operation *op);

  /// Whether `a` and `b`, pointers or tiles of pointers, may point to the same
  /// array.
  bool mayOverlap(mlir::Value a, mlir::Value b);

private:
  std::optional<DisjointCondition> getDisjointCondition(mlir::Value a,
                                                        mlir::Value b);
  std::optional<DisjointCondition> getInjectiveCondition(mlir::Value pointers);
  std::optional<DisjointCondition> getDisjointIterations(mlir::Value from,
                                                         mlir::Value to,
                                                         mlir::Operation *loop,
                                                         bool areWrites);

  tile::FuncOp kernel;
  AffineTileAnalysis tiles;
  /// Created on first use.
  std::unique_ptr<ArgumentOrigins> origins;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MEMORY_GLOBALHAZARDS_H
