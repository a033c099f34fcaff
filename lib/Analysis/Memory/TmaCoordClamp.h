// Clamps 64-bit block coordinates to the 32-bit coordinates of TMA copies.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MEMORY_TMACOORDCLAMP_H
#define TILEWRIGHT_LIB_ANALYSIS_MEMORY_TMACOORDCLAMP_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace tilewright {

/// The largest coordinate after clamping. It is:
/// 1. Past the end of all dimensions that need 64-bit coordinates.
/// 2. A multiple of all powers of two that rows are multiples of.
/// 3. Smaller than 2^31 by more than the extent of a block, since a copy at a
///    negative coordinate raises an illegal instruction.
inline constexpr int64_t kClampedCoord =
    (int64_t(1) << 31) - (int64_t(1) << 20);

/// Truncates `wide`, of 64 bits, to 32 bits after clamping it to
/// `kClampedCoord`.
inline mlir::Value clampCoord(mlir::OpBuilder &b, mlir::Location loc,
                              mlir::Value wide) {
  mlir::Value limit = mlir::arith::ConstantOp::create(
      b, loc, b.getI64IntegerAttr(kClampedCoord));
  mlir::Value clamped = mlir::arith::MinSIOp::create(b, loc, wide, limit);
  return mlir::arith::TruncIOp::create(b, loc, b.getI32Type(), clamped);
}

/// The coordinate that `clampCoord` clamped to `coord`, or `coord` itself.
/// Blocks that are disjoint at one are disjoint at the other, in arrays whose
/// dimensions end before `kClampedCoord`.
inline mlir::Value getUnclamped(mlir::Value coord) {
  llvm::APInt most;
  auto narrow = coord.getDefiningOp<mlir::arith::TruncIOp>();
  auto clamped = narrow ? narrow.getIn().getDefiningOp<mlir::arith::MinSIOp>()
                        : mlir::arith::MinSIOp();
  bool isClamped =
      clamped &&
      mlir::matchPattern(clamped.getRhs(), mlir::m_ConstantInt(&most)) &&
      most == kClampedCoord;
  return isClamped ? clamped.getLhs() : coord;
}

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MEMORY_TMACOORDCLAMP_H
