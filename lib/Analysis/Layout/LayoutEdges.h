// Relations between the layouts of operands and results of ops that move no
// elements between threads.

#ifndef TILEWRIGHT_LIB_ANALYSIS_LAYOUT_LAYOUTEDGES_H
#define TILEWRIGHT_LIB_ANALYSIS_LAYOUT_LAYOUTEDGES_H

#include "dialect/Warp/WarpAttributes.h"
#include "lib/Analysis/Facts/Elementwise.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright {

/// Whether each element of the result of `op` comes from one element of each of
/// its operands: elementwise and shape ops.
bool isElementwiseOrShapeOp(mlir::Operation *op);

/// Whether elementwise and shape ops compute an operand of a dot from `tile`.
bool feedsDotOperand(mlir::Value tile);

/// Whether each thread should load the elements of `value` that it needs. True
/// if every transitive use, through elementwise ops and as an index of loads,
/// is one of these:
/// 1. It expands a dimension, and does not join a part of a dot operand.
/// 2. It broadcasts a row or a column along a matrix.
bool isOnlyExpanded(mlir::Value value);

/// `layout` with the registers of a thread in index order if `load` gives a
/// row, so that a thread loads neighbours at once. Joins leave them in another
/// order. Permuting registers is free.
warp::LinearAttr sortRowRegisters(mlir::Value load, warp::LinearAttr layout);

/// The layout that tile `operand` of an elementwise or shape op must have for
/// the result to have `result`. Null for every other op and for tiles that may
/// have any layout.
warp::LinearAttr getOperandLayout(mlir::OpOperand &operand,
                                  warp::LinearAttr result);

/// The layout that the result of the owner of `operand`, an elementwise or
/// shape op, gets from an operand in `layout`. Null for every other op. Null
/// for tile.broadcast too, whose threads would each compute whole rows, unless
/// it doubles a dimension or repeats a matrix that feeds a dot.
warp::LinearAttr getResultLayout(mlir::OpOperand &operand,
                                 warp::LinearAttr layout);

/// Values that share one layout around control flow: loop-carried values and
/// results of branches. Also the operands and results of inline assembly, maps
/// and scans.
struct LayoutTie {
  /// Block arguments and results, which have the layout.
  llvm::SmallVector<mlir::Value, 3> owned;
  /// Operands from outside, which are converted to the layout.
  llvm::SmallVector<mlir::OpOperand *, 2> incoming;
};

/// All ties below an operation, over scf.for, scf.if, scf.while,
/// tile.inline_asm, tile.map and warp.wgmma_wait.
class LayoutTies {
public:
  explicit LayoutTies(mlir::Operation *root);

  /// The tie that owns `value`, or null.
  const LayoutTie *getOwner(mlir::Value value) const;
  /// The tie that `operand` enters, or null.
  const LayoutTie *getTarget(mlir::OpOperand &operand) const;

private:
  void add(LayoutTie tie);

  llvm::SmallVector<LayoutTie> ties;
  llvm::DenseMap<mlir::Value, unsigned> owners;
  llvm::DenseMap<mlir::OpOperand *, unsigned> targets;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_LAYOUT_LAYOUTEDGES_H
