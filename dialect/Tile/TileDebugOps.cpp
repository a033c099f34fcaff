#include "dialect/Tile/TileOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright::tile;

#define GET_OP_CLASSES
#include "dialect/Tile/TileDebugOps.cpp.inc"

// Both are modelled as writes: neither may be removed, doubled or moved over
// the stores whose results a reader of the message expects to see.

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
  return success();
}
