// A branch around a loop that may not run at all.

#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::warp {

/// Whether `loop` runs at all if it starts at `from`.
inline mlir::Value emitRuns(mlir::scf::ForOp loop, mlir::Value from,
                            mlir::OpBuilder &b) {
  return mlir::arith::CmpIOp::create(b, loop.getLoc(),
                                     loop.getUnsignedCmp()
                                         ? mlir::arith::CmpIPredicate::ult
                                         : mlir::arith::CmpIPredicate::slt,
                                     from, loop.getUpperBound());
}

/// Makes a branch that is taken where `loop` runs at all, and otherwise gives
/// what `loop` starts with, the first `numResults` of it. The caller fills the
/// taken side.
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
