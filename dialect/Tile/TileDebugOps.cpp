#include "dialect/Tile/TileOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright::tile;

#define GET_OP_CLASSES
#include "dialect/Tile/TileDebugOps.cpp.inc"

// Both are modelled as writes: they must not be removed, duplicated or moved
// across stores, whose results a reader of the message expects to see.

void AssertOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
}

void PrintOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
}

static LogicalResult dropTrueAssert(AssertOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

void AssertOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *) {
  patterns.add(dropTrueAssert);
}

LogicalResult PrintOp::verify() {
  if (getIsSigned().size() != getValues().size()) // C1
    return emitOpError("has ") << getValues().size() << " values but "
                               << getIsSigned().size() << " signedness flags";
  return verifyPart();
}

LogicalResult PrintOp::verifyPart() { // C2
  if (!getOrigin() && !getExtent())
    return success();
  if (!getOrigin() || !getExtent() ||
      getOrigin()->size() != getExtent()->size())
    return emitOpError("needs an origin and an extent, with one number per "
                       "dimension");
  for (Value value : getValues()) {
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    bool hasDims =
        tile && tile.getRank() == int64_t(getExtent()->size()) &&
        llvm::equal(*getExtent(), tile.getShape(), std::less_equal<int64_t>());
    if (!hasDims)
      return emitOpError("prints a part of ")
             << value.getType() << ", whose shape does not fit its extent";
  }
  return success();
}
