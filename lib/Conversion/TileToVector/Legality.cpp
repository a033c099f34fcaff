#include "lib/Conversion/TileToVector/Legality.h"

#include "lib/Conversion/TileToVector/BufferPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace tilewright::cpu {

/// Functions that neither LLVM nor the C library has under one name.
static bool isUnknownMath(Operation *op) {
  return isa<math::ClampFOp, math::FPowIOp, math::IPowIOp, math::IsInfOp,
             math::IsNormalOp>(op);
}

static bool hasLowering(Operation *op) {
  if (isUnknownMath(op))
    return false;
  if (isComputedByElement(op) || isa<arith::ConstantOp, ub::PoisonOp>(op))
    return true;
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp>(
          op))
    return true;
  return isa<tile::TileDialect>(op->getDialect()) &&
         !isa<tile::CallOp, tile::FuncOp, tile::ScanOp>(op);
}

static bool isElement(Type type) {
  return type.isIndex() || isa<tile::PtrType, IntegerType>(type) ||
         type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
         tile::isFloat8(type);
}

static bool isLegalType(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tile.hasStaticShape() && isElement(tile.getElementType())
              : isElement(type);
}

/// Checks that a region works on elements and accesses no memory.
static LogicalResult checkRegion(Region &region) {
  auto result = region.walk([&](Operation *op) {
    const bool isFree =
        isComputedByElement(op) ||
        isa<arith::ConstantOp, ub::PoisonOp, scf::IfOp, scf::ForOp,
            scf::WhileOp, scf::YieldOp, scf::ConditionOp, tile::YieldOp>(op);
    if (isFree)
      return WalkResult::advance();
    op->emitOpError("is not allowed in the region of ")
        << region.getParentOp()->getName() << " on the CPU";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult checkOp(Operation *op) {
  if (isa<tile::InlineAsmOp>(op))
    return op->emitError("inline assembly is for GPUs, the CPU cannot run it");
  if (!hasLowering(op))
    return op->emitOpError("cannot be compiled for the CPU");
  if (auto cast = dyn_cast<arith::TruncFOp>(op)) {
    auto mode = cast.getRoundingmode();
    if (mode && *mode != arith::RoundingMode::to_nearest_even)
      return cast.emitOpError("rounds only to nearest on the CPU");
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (isa<ShapedType>(constant.getType()) &&
        !isa<DenseElementsAttr>(constant.getValue()))
      return constant.emitOpError("must hold its elements in the IR");
  for (Type type : op->getResultTypes())
    if (!isLegalType(type))
      return op->emitOpError("gives a value of type ")
             << type << ", which cannot be compiled for the CPU";
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return checkRegion(reduce.getCombine());
  if (auto map = dyn_cast<tile::MapOp>(op))
    return checkRegion(map.getFunction());
  return success();
}

LogicalResult checkLegality(tile::FuncOp kernel) {
  if (!llvm::hasSingleElement(kernel.getBody()))
    return kernel.emitOpError("has unstructured control flow, which cannot be "
                              "compiled for the CPU");
  for (Type type : kernel.getArgumentTypes())
    if (!isElement(type))
      return kernel.emitOpError("has an argument of type ")
             << type << ", which cannot be compiled for the CPU";
  bool failed = false;
  kernel.getBody().walk(
      [&](Operation *op) { failed |= mlir::failed(checkOp(op)); });
  return failure(failed);
}

} // namespace tilewright::cpu
