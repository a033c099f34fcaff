// How the layouts of an operation's operands and results depend on each other
// when no element may move between threads.

#ifndef TILEWRIGHT_LIB_ANALYSIS_LAYOUT_LAYOUTEDGES_H
#define TILEWRIGHT_LIB_ANALYSIS_LAYOUT_LAYOUTEDGES_H

#include "dialect/Warp/WarpAttributes.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright {

/// Whether `op` computes each element of its result from the elements of its
/// tiles at the same place.
bool isElementwise(mlir::Operation *op);

/// Whether each element of the result of `op` comes from one element of each of
/// its operands: elementwise and shape ops.
bool goesByElement(mlir::Operation *op);

/// Whether `tile` is made into an operand of a product, by elementwise and
/// shape ops.
bool feedsDotOperand(mlir::Value tile);

/// Whether all that `value` goes into, by elementwise ops and as the place of
/// loads, is repeated along a new dimension, other than to be joined to an
/// operand of a product, or is a row or column repeated along a matrix: then
/// each thread had better load what it needs itself.
bool isOnlyExpanded(mlir::Value value);

/// `layout`, with what a thread holds of it in the order of places where `load`
/// gives a row: so a thread loads neighbours at once. Joins leave them in
/// another order; to change it takes nothing.
warp::LinearAttr getOrderOfRow(mlir::Value load, warp::LinearAttr layout);

/// The layout that tile `operand` of an elementwise or shape op must have for
/// the result to have `result`; null for every other op and for tiles that may
/// have any.
warp::LinearAttr getOperandLayout(mlir::OpOperand &operand,
                                  warp::LinearAttr result);

/// The layout that the result of the owner of `operand`, an elementwise or
/// shape op, gets from an operand in `layout`; null for every other op, and for
/// tile.broadcast, whose threads would each compute whole rows, unless it only
/// doubles a side.
warp::LinearAttr getResultLayout(mlir::OpOperand &operand,
                                 warp::LinearAttr layout);

/// Values of one layout around control flow: what a loop carries, or what the
/// branches of an `if` give. Around inline assembly and maps, too.
struct LayoutTie {
  /// Block arguments and results: in the layout.
  llvm::SmallVector<mlir::Value, 3> owned;
  /// Operands from outside: to be brought into the layout.
  llvm::SmallVector<mlir::OpOperand *, 2> incoming;
};

/// All ties below an operation, over scf.for, scf.if, scf.while,
/// tile.inline_asm, tile.map and warp.wgmma_wait.
class LayoutTies {
public:
  explicit LayoutTies(mlir::Operation *root);

  /// The tie that owns `value`, or null.
  const LayoutTie *getOwner(mlir::Value value) const;
  /// The tie that `operand` comes into, or null.
  const LayoutTie *getTarget(mlir::OpOperand &operand) const;

private:
  void add(LayoutTie tie);

  llvm::SmallVector<LayoutTie> ties;
  llvm::DenseMap<mlir::Value, unsigned> owners;
  llvm::DenseMap<mlir::OpOperand *, unsigned> targets;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_LAYOUT_LAYOUTEDGES_H
