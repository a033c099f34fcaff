#include "dialect/Tile/TileOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright::tile;

#define GET_OP_CLASSES
#include "dialect/Tile/TileMemoryOps.cpp.inc"

//===-- addptr ------------------------------------------------------------===//

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getOffset(), m_Zero()) && !isPromise(*this))
    return getPtr();
  return {};
}

bool tilewright::tile::isPromise(Operation *op) {
  auto move = dyn_cast_if_present<AddPtrOp>(op);
  return move && matchPattern(move.getOffset(), m_Zero()) &&
         llvm::any_of(ArrayRef<StringRef>{TileDialect::kDivisibilityAttr,
                                          TileDialect::kContiguityAttr,
                                          TileDialect::kConstancyAttr},
                      [&](StringRef name) { return op->hasAttr(name); });
}

bool tilewright::tile::isPromisedNonNegative(Value value) {
  constexpr StringRef name = TileDialect::kNonNegativeAttr;
  if (Operation *op = value.getDefiningOp())
    return op->hasAttr(name);
  auto argument = cast<BlockArgument>(value);
  auto func = dyn_cast_or_null<FuncOp>(argument.getOwner()->getParentOp());
  return func && func.getArgAttr(argument.getArgNumber(), name);
}

//===-- load --------------------------------------------------------------===//

LogicalResult LoadOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  Type type = getPointeeType(adaptor.getPtr().getType());
  if (!type)
    return emitOptionalError(loc, "loads through a pointer, got ",
                             adaptor.getPtr().getType());
  types.push_back(type);
  return success();
}

LogicalResult LoadOp::verify() {
  if (getOther() && !getMask()) // C3
    return emitOpError("has a value for masked-off elements but no mask");
  return success();
}

bool LoadOp::fillsWithZero() {
  return !getOther() || matchPattern(getOther(), m_Zero()) ||
         matchPattern(getOther(), m_PosZeroFloat());
}

void LoadOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get());
}

/// An all-true mask is dropped; a load with an all-false mask reads nothing.
static LogicalResult simplifyMask(LoadOp op, PatternRewriter &rewriter) {
  if (!op.getMask() || op.getIsVolatile())
    return failure();
  if (matchPattern(op.getMask(), m_One())) {
    rewriter.replaceOpWithNewOp<LoadOp>(op, op.getType(), op.getPtr(), Value(),
                                        Value(), op.getCache(),
                                        op.getEviction(), op.getIsVolatile());
    return success();
  }
  if (op.getOther() && matchPattern(op.getMask(), m_Zero())) {
    rewriter.replaceOp(op, op.getOther());
    return success();
  }
  return failure();
}

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *) {
  patterns.add(simplifyMask);
}

//===-- store -------------------------------------------------------------===//

void StoreOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
}

/// An all-true mask is dropped, and a store with an all-false mask erased.
static LogicalResult simplifyStoreMask(StoreOp op, PatternRewriter &rewriter) {
  if (!op.getMask())
    return failure();
  if (matchPattern(op.getMask(), m_One())) {
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    return success();
  }
  if (matchPattern(op.getMask(), m_Zero())) {
    rewriter.eraseOp(op);
    return success();
  }
  return failure();
}

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *) {
  patterns.add(simplifyStoreMask);
}
