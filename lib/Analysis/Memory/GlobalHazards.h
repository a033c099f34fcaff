// Which accesses to global memory a program has to order among its threads.
//
// A program reads what it wrote before, and writes after it has read, whichever
// of its threads do. Each thread sees its own accesses in order. So a barrier
// has to stand between two of them where one writes, both may touch an element,
// and the element may be another thread's in each.
//
// Assumed as everywhere (lib/Analysis/Facts/PointerOrigins.h): arrays of
// different arguments do not overlap. And a tile that is stored has each of its
// elements at a place of its own: where two of them were one place, what it
// holds then would be left to chance in any case. Whether rows whose distance
// is an argument overlap is asked when the kernel runs.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MEMORY_GLOBALHAZARDS_H
#define TILEWRIGHT_LIB_ANALYSIS_MEMORY_GLOBALHAZARDS_H

#include "lib/Analysis/Facts/AffineTiles.h"
#include "lib/Analysis/Memory/WrittenArguments.h"

#include "dialect/Tile/TileOps.h"

#include <memory>

namespace tilewright {

/// Whether threads access global memory in `op` itself.
bool accessesGlobalMemory(mlir::Operation *op);

/// The pointers through which `op` does no more than write: it is a store, or
/// an atomic operation whose result nobody uses, so that it tells nothing of
/// other programs. Null for all else.
mlir::Value getWrittenOnly(mlir::Operation *op);

/// Whether the iterations of `loop` are programs, which nothing orders.
bool iteratesPrograms(mlir::Operation *loop);

/// A distance of rows, and what it has to be at least for them to be apart.
struct RowDistance {
  Polynomial distance;
  int64_t least;

  bool operator==(const RowDistance &other) const {
    return distance == other.distance && least == other.least;
  }
};

/// What has to hold for two accesses to be apart, beside what is known.
using Apart = llvm::SmallVector<RowDistance, 1>;

/// An access that some thread may still be at.
struct GlobalUse {
  mlir::Operation *op;
  /// The outermost loop that has gone round since; null where none has, or the
  /// pointers are the same in all its iterations.
  mlir::Operation *loop = nullptr;
  /// Behind barriers that stood since where any of these did not hold.
  Apart unlessApart;

  bool operator==(const GlobalUse &other) const {
    return op == other.op && loop == other.loop &&
           unlessApart == other.unlessApart;
  }
};

/// `use` when `loop` has gone round; nothing where the next iteration has not
/// to wait, as it is another program.
std::optional<GlobalUse> carryAround(GlobalUse use, mlir::Operation *loop);

class GlobalHazards {
public:
  explicit GlobalHazards(tile::FuncOp kernel) : kernel(kernel) {}

  /// What has to hold for no barrier to stand between `earlier` and `op`: no
  /// distances for none in any case, nothing for one in any case.
  std::optional<Apart> getApart(const GlobalUse &earlier, mlir::Operation *op);

  /// Whether what `a` and `b` point to, pointers or tiles of them, may be one
  /// array.
  bool mayOverlap(mlir::Value a, mlir::Value b);

private:
  std::optional<Apart> getApart(mlir::Value a, mlir::Value b);
  std::optional<Apart> getOwnPlaces(mlir::Value pointers);
  std::optional<Apart> getMovingOn(mlir::Value from, mlir::Value to,
                                   mlir::Operation *loop, bool areWrites);

  tile::FuncOp kernel;
  AffineTileAnalysis tiles;
  /// Made when it is needed first.
  std::unique_ptr<ArgumentOrigins> origins;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MEMORY_GLOBALHAZARDS_H
