// A branch around a loop that may run no iteration.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_LOOPENTRY_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_LOOPENTRY_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::warp {

/// Emits whether `loop` runs any iteration if it starts at `from`.
inline mlir::Value emitRuns(mlir::scf::ForOp loop, mlir::Value from,
                            mlir::OpBuilder &b) {
  return mlir::arith::CmpIOp::create(b, loop.getLoc(),
                                     loop.getUnsignedCmp()
                                         ? mlir::arith::CmpIPredicate::ult
                                         : mlir::arith::CmpIPredicate::slt,
                                     from, loop.getUpperBound());
}

/// Creates a branch that is taken if `loop` runs any iteration. Otherwise it
/// yields the first `numResults` initial values of `loop`. The caller fills the
/// `then` block.
inline mlir::scf::IfOp createIfEntered(mlir::scf::ForOp loop,
                                       unsigned numResults,
                                       mlir::OpBuilder &b) {
  mlir::OpBuilder::InsertionGuard guard(b);
  mlir::Location loc = loop.getLoc();
  mlir::Value runs = emitRuns(loop, loop.getLowerBound(), b);
  auto branch = mlir::scf::IfOp::create(
      b, loc, mlir::TypeRange(loop.getInitArgs().take_front(numResults)), runs,
      /*addThenBlock=*/true, /*addElseBlock=*/true);
  b.setInsertionPointToEnd(branch.elseBlock());
  mlir::scf::YieldOp::create(b, loc, loop.getInitArgs().take_front(numResults));
  return branch;
}

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_LOOPENTRY_H
