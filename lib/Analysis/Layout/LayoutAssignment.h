// Which layout each tile of a kernel has, chosen before anything is rewritten.
//
// Operations that care are *anchors*: contiguous loads and stores, atomics and
// dots. From them layouts spread along the uses and definitions of values to
// all that must or may agree, dots first, then loads, then stores; a value that
// has a layout keeps it. Where two meet, the use demands another layout than
// the value has, and whoever rewrites the kernel has to convert.

#ifndef TILEWRIGHT_LIB_ANALYSIS_LAYOUT_LAYOUTASSIGNMENT_H
#define TILEWRIGHT_LIB_ANALYSIS_LAYOUT_LAYOUTASSIGNMENT_H

#include "lib/Analysis/Layout/AccessLayouts.h"
#include "lib/Analysis/Layout/LayoutEdges.h"
#include "lib/Analysis/Mma/DotLayouts.h"
#include "lib/Analysis/SharedMemory/StagedVectors.h"

namespace tilewright {

class LayoutAssignment {
public:
  /// All tiles below `func` have sides that are powers of two. What `rows`
  /// load is read by threads elsewhere than they load it.
  LayoutAssignment(tile::FuncOp func, int64_t numWarps,
                   const NvidiaTarget &target, const StagedVectors &rows);

  /// The layout of a tile.
  warp::LinearAttr getLayout(mlir::Value value) const;
  /// The layout in which the owner of `use` takes this operand, a tile.
  warp::LinearAttr getDemand(mlir::OpOperand &use) const;
  /// Whether `op` takes and gives its tiles in one layout because of memory.
  bool isAnchored(mlir::Operation *op) const {
    return accessLayouts.contains(op);
  }
  /// Whether the threads that need what `load` gives in the layout `wanted` had
  /// better load it themselves than exchange it.
  bool isLoadedByUsers(tile::LoadOp load, warp::LinearAttr wanted) const;
  /// What was chosen for a dot.
  const DotLayouts &getDot(tile::DotOp dot) const;

private:
  /// Gives `value` a layout if it is a tile without one.
  void assign(mlir::Value value, warp::LinearAttr layout);
  /// The same for a value that is free to have any: what a reduction gives
  /// follows from what it takes, not the other way.
  void request(mlir::Value value, warp::LinearAttr layout);
  /// Lets what was assigned spread to all that follows from it.
  void drain();
  void spread(mlir::Value value);
  void spreadToOperands(mlir::Value value, warp::LinearAttr layout);
  void spreadToUser(mlir::OpOperand &use, warp::LinearAttr layout);
  /// The layout of what a broadcast gives for that of its operand, if any
  /// follows.
  warp::LinearAttr getBroadcastLayout(mlir::OpOperand &use,
                                      warp::LinearAttr layout) const;
  void spreadOverReduce(tile::ReduceOp reduce, warp::LinearAttr layout);
  void spreadOverTie(const LayoutTie &tie, warp::LinearAttr layout);

  void anchorDots();
  bool liesAlong(mlir::Value operand, unsigned dim) const;
  void anchorLoads();
  void anchorStores();
  /// Loads that nothing has decided about yet.
  void anchorFreeLoads();
  void assignTheRest();

  /// Ops that take and give all their tiles in one layout because of memory.
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
