// Places of blocks that may be further along a side than copies can say, whose
// places have 32 bits.

#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace tilewright {

/// Beyond all sides that have places of 64 bits. A multiple of all that rows
/// are multiples of, and as far from where 32 bits end as blocks are long:
/// copies of what is in front of an array are illegal instructions.
inline constexpr int64_t kClampedCoord =
    (int64_t(1) << 31) - (int64_t(1) << 20);

/// `wide`, of 64 bits, in 32: what is further than `kClampedCoord` is there.
inline mlir::Value emitNear(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value wide) {
  mlir::Value far = mlir::arith::ConstantOp::create(
      b, loc, b.getI64IntegerAttr(kClampedCoord));
  mlir::Value near = mlir::arith::MinSIOp::create(b, loc, wide, far);
  return mlir::arith::TruncIOp::create(b, loc, b.getI32Type(), near);
}

/// The place that `emitNear` made `place` of, or `place`: blocks that do not
/// meet at one do not at the other, of arrays whose sides end before
/// `kClampedCoord`.
inline mlir::Value getFar(mlir::Value place) {
  llvm::APInt most;
  auto narrow = place.getDefiningOp<mlir::arith::TruncIOp>();
  auto near = narrow ? narrow.getIn().getDefiningOp<mlir::arith::MinSIOp>()
                     : mlir::arith::MinSIOp();
  bool isNear = near &&
                mlir::matchPattern(near.getRhs(), mlir::m_ConstantInt(&most)) &&
                most == kClampedCoord;
  return isNear ? near.getLhs() : place;
}

} // namespace tilewright
