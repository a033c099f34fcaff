// Chooses a layout for each tile of a kernel, before anything is rewritten.
//
// Operations with a preference are *anchors*: contiguous loads and stores,
// atomics and dots. From them layouts propagate along uses and definitions to
// all values that must or may agree: dots first, then loads, then stores. A
// value keeps its first layout. Where two layouts meet, the use demands another
// one than the value has, and the rewrite inserts a conversion.

#ifndef TILEWRIGHT_LIB_ANALYSIS_LAYOUT_LAYOUTASSIGNMENT_H
#define TILEWRIGHT_LIB_ANALYSIS_LAYOUT_LAYOUTASSIGNMENT_H

#include "lib/Analysis/Layout/AccessLayouts.h"
#include "lib/Analysis/Layout/LayoutEdges.h"
#include "lib/Analysis/Mma/DotLayouts.h"
#include "lib/Analysis/SharedMemory/StagedVectors.h"

namespace tilewright {

class LayoutAssignment {
public:
  /// All dimensions of tiles below `func` are powers of two. The vectors that
  /// `rows` load are staged in shared memory, so that other threads may read
  /// their elements.
  LayoutAssignment(tile::FuncOp func, int64_t numWarps,
                   const NvidiaTarget &target, const StagedVectors &rows);

  /// The layout of a tile.
  warp::LinearAttr getLayout(mlir::Value value) const;
  /// The layout in which the owner of `use` takes this operand, a tile.
  warp::LinearAttr getDemand(mlir::OpOperand &use) const;
  /// Whether a memory access fixes one layout for the operands and results of
  /// `op`.
  bool isAnchored(mlir::Operation *op) const {
    return accessLayouts.contains(op);
  }
  /// Whether loading the result of `load` in the layout `wanted` is cheaper
  /// than converting it.
  bool isLoadedByUsers(tile::LoadOp load, warp::LinearAttr wanted) const;
  /// The layouts of a dot.
  const DotLayouts &getDot(tile::DotOp dot) const;

private:
  /// Gives `value` a layout if it is a tile without one.
  void assign(mlir::Value value, warp::LinearAttr layout);
  /// The same unless `value` is the result of a reduction. That layout follows
  /// from the operand, not the other way round.
  void request(mlir::Value value, warp::LinearAttr layout);
  /// Propagates the assigned layouts until nothing follows any more.
  void drain();
  void spread(mlir::Value value);
  void spreadToOperands(mlir::Value value, warp::LinearAttr layout);
  void spreadToUser(mlir::OpOperand &use, warp::LinearAttr layout);
  /// The layout of the result of a broadcast that follows from the operand's,
  /// or null.
  warp::LinearAttr getBroadcastLayout(mlir::OpOperand &use,
                                      warp::LinearAttr layout) const;
  void spreadOverReduce(tile::ReduceOp reduce, warp::LinearAttr layout);
  void spreadOverTie(const LayoutTie &tie, warp::LinearAttr layout);

  void anchorDots();
  bool liesAlong(mlir::Value operand, unsigned dim) const;
  void anchorLoads();
  void anchorStores();
  /// Anchors loads that have no layout yet.
  void anchorFreeLoads();
  void assignTheRest();

  /// Fixes `layout` for all operands and results of `op`.
  void anchorAccess(mlir::Operation *op, warp::LinearAttr layout);
  bool isAnchoredLoad(mlir::Operation *op) const;
  warp::LinearAttr getLoadLayout(mlir::Operation *op) const;
  bool isLoadedOnce(tile::LoadOp load, warp::LinearAttr wanted) const;

  tile::FuncOp func;
  int64_t numWarps;
  NvidiaTarget target;
  const StagedVectors &rows;
  AxisInfoAnalysis axes;
  AccessLayouts accesses;
  LayoutTies ties;

  llvm::DenseMap<mlir::Value, warp::LinearAttr> layouts;
  llvm::DenseMap<mlir::Operation *, warp::LinearAttr> accessLayouts;
  llvm::DenseMap<mlir::Operation *, DotLayouts> dotLayouts;
  llvm::SmallVector<mlir::Value> worklist;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_LAYOUT_LAYOUTASSIGNMENT_H
