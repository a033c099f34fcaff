// Splits reductions. Each piece along the axis is reduced on its own, then the
// partial results are combined.
//
// Padding must not take part:
// 1. If the function is one op with a neutral element, the padding holds that
//    element.
// 2. Otherwise each element carries a flag that tells it from padding. A pair
//    with one real element gives that element.

#include "lib/Transforms/TileGpu/SplitBlocks.h"

#include "lib/Analysis/Facts/Commutation.h"
#include "lib/Analysis/Layout/LayoutEdges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;
using namespace tilewright::tile_gpu;

/// Returns the neutral element if the function of `op` is a single op with a
/// known one.
static std::optional<TypedAttr> getNeutralElement(tile::ReduceOp op) {
  Block &body = op.getCombine().front();
  if (body.getOperations().size() != 2 || body.getNumArguments() != 2)
    return std::nullopt;
  Operation &combine = body.front();
  if (combine.getNumOperands() != 2 || combine.getNumResults() != 1 ||
      body.getTerminator()->getOperand(0) != combine.getResult(0))
    return std::nullopt;
  bool takesBoth = llvm::all_of(body.getArguments(), [&](Value argument) {
    return llvm::is_contained(combine.getOperands(), argument);
  });
  if (!takesBoth)
    return std::nullopt;
  // 0.0 + -0.0 is 0.0, so only -0.0 is neutral.
  if (auto sum = dyn_cast<arith::AddFOp>(combine))
    return FloatAttr::get(sum.getType(), -0.0);
  return arith::getNeutralElement(&combine);
}

//===----------------------------------------------------------------------===//
// One piece
//===----------------------------------------------------------------------===//

/// Emits the region of `op` with a flag after the arguments of each operand. A
/// padding operand is replaced by the other one, so the function sees padding
/// only if both are padding.
static void emitFlaggedRegion(ImplicitLocOpBuilder &b, tile::ReduceOp op,
                              Region &region) {
  Block &body = op.getCombine().front();
  const unsigned count = op.getNumOperands();
  SmallVector<Type> types(body.getArgumentTypes());
  types.resize(count);
  types.push_back(b.getI1Type());
  SmallVector<Type> both(types);
  llvm::append_range(both, types);
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&region, region.end(), both,
                               SmallVector<Location>(both.size(), b.getLoc()));
  ValueRange lefts = block->getArguments().take_front(count + 1);
  ValueRange rights = block->getArguments().drop_front(count + 1);
  Value isLeft = lefts.back(), isRight = rights.back();
  IRMapping mapping;
  SmallVector<Value> alone;
  for (unsigned i = 0; i < count; ++i) {
    alone.push_back(arith::SelectOp::create(b, isLeft, lefts[i], rights[i]));
    mapping.map(body.getArgument(i), alone.back());
    mapping.map(body.getArgument(count + i),
                arith::SelectOp::create(b, isRight, rights[i], lefts[i]));
  }
  for (Operation &inner : body.without_terminator())
    b.clone(inner, mapping);
  Value areBoth = arith::AndIOp::create(b, isLeft, isRight);
  SmallVector<Value> results;
  for (auto [value, one] :
       llvm::zip(body.getTerminator()->getOperands(), alone))
    results.push_back(arith::SelectOp::create(
        b, areBoth, mapping.lookupOrDefault(value), one));
  results.push_back(arith::OrIOp::create(b, isLeft, isRight));
  tile::YieldOp::create(b, results);
}

static SmallVector<Value> reducePlain(ImplicitLocOpBuilder &b,
                                      tile::ReduceOp op,
                                      ArrayRef<Value> operands) {
  auto part = tile::ReduceOp::create(b, operands, op.getAxis(), commutes(op));
  IRMapping mapping;
  op.getCombine().cloneInto(&part.getCombine(), mapping);
  return part.getResults();
}

/// Reduces one piece of each operand.
static SmallVector<Value> reducePiece(ImplicitLocOpBuilder &b,
                                      tile::ReduceOp op,
                                      SmallVector<Value> operands,
                                      const Piece &piece) {
  Value held = emitHeldAlong(b, piece, op.getAxis());
  if (!held)
    return reducePlain(b, op, operands);
  if (std::optional<TypedAttr> neutral = getNeutralElement(op))
    return reducePlain(b, op,
                       emitReplaced(b, held, operands.front(), *neutral));
  operands.push_back(held);
  auto part = tile::ReduceOp::create(b, operands, op.getAxis(), commutes(op));
  emitFlaggedRegion(b, op, part.getCombine());
  return llvm::to_vector_of<Value>(part.getResults().drop_back());
}

//===----------------------------------------------------------------------===//
// All pieces along the axis
//===----------------------------------------------------------------------===//

/// Emits the body of the combine region, whose ops are elementwise, on tiles.
static SmallVector<Value> emitOnTiles(ImplicitLocOpBuilder &b, Block &body,
                                      ValueRange arguments) {
  auto shape = cast<RankedTensorType>(arguments.front().getType());
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  auto getTile = [&](Value value) -> Value {
    if (mapping.contains(value))
      return mapping.lookup(value);
    Value tile = tile::SplatOp::create(b, shape.clone(value.getType()), value);
    mapping.map(value, tile);
    return tile;
  };
  for (Operation &op : body.without_terminator()) {
    if (op.hasTrait<OpTrait::ConstantLike>()) {
      Value constant = b.clone(op)->getResult(0);
      mapping.map(
          op.getResult(0),
          tile::SplatOp::create(b, shape.clone(constant.getType()), constant));
      continue;
    }
    OperationState state(op.getLoc(), op.getName(),
                         llvm::map_to_vector(op.getOperands(), getTile),
                         shape.clone(op.getResult(0).getType()),
                         llvm::to_vector(op.getDiscardableAttrs()));
    state.propertiesAttr = op.getPropertiesAsAttribute();
    mapping.map(op.getResult(0), b.create(state)->getResult(0));
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(), getTile);
}

/// Combines two partial results, scalars or tiles.
static SmallVector<Value> combine(ImplicitLocOpBuilder &b, tile::ReduceOp op,
                                  ArrayRef<Value> lefts,
                                  ArrayRef<Value> rights) {
  Block &body = op.getCombine().front();
  SmallVector<Value> arguments(lefts);
  llvm::append_range(arguments, rights);
  if (!isa<RankedTensorType>(lefts.front().getType())) {
    IRMapping mapping;
    mapping.map(body.getArguments(), arguments);
    for (Operation &inner : body.without_terminator())
      b.clone(inner, mapping);
    return llvm::map_to_vector(
        body.getTerminator()->getOperands(),
        [&](Value value) { return mapping.lookupOrDefault(value); });
  }
  bool isSimple = llvm::all_of(body.without_terminator(), [](Operation &inner) {
    return isElementwise(&inner) || inner.hasTrait<OpTrait::ConstantLike>();
  });
  if (isSimple)
    return emitOnTiles(b, body, arguments);
  SmallVector<Type> types =
      llvm::map_to_vector(lefts, [](Value v) { return v.getType(); });
  auto map = tile::MapOp::create(b, types, arguments, /*pack=*/1);
  IRMapping mapping;
  op.getCombine().cloneInto(&map.getFunction(), mapping);
  return map.getResults();
}

namespace {

struct SplitReduce : PiecePattern<tile::ReduceOp> {
  using PiecePattern::PiecePattern;

  LogicalResult
  matchAndRewrite(tile::ReduceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    const size_t along = pieces.countSegments(
        cast<RankedTensorType>(op.getOperands().front().getType())
            .getDimSize(op.getAxis()));
    auto isFirst = [&](const Piece &piece) {
      return piece.indices[op.getAxis()] == 0;
    };
    SmallVector<Piece> all =
        pieces.getPieces(op.getOperands().front().getType());
    SmallVector<SmallVector<Value>> results(op.getNumOperands());
    for (const Piece &first : llvm::make_filter_range(all, isFirst)) {
      SmallVector<Value> partial;
      for (size_t index = 0; index < along; ++index) {
        SmallVector<Value> next = reduceAt(b, op, adaptor, first, index);
        partial = index == 0 ? next : combine(b, op, partial, next);
      }
      for (auto [result, value] : llvm::zip(results, partial))
        result.push_back(value);
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  /// Reduces the `index`-th piece along the axis, counted from `first`.
  SmallVector<Value> reduceAt(ImplicitLocOpBuilder &b, tile::ReduceOp op,
                              OneToNOpAdaptor adaptor, const Piece &first,
                              size_t index) const {
    SmallVector<size_t> coords(first.indices);
    coords[op.getAxis()] = index;
    SmallVector<Value> operands;
    for (auto [operand, parts] :
         llvm::zip(op.getOperands(), adaptor.getOperands()))
      operands.push_back(pieces.getAt(operand, parts, coords));
    return reducePiece(b, op, operands,
                       pieces.getPieceAt(op.getOperands().front(), coords));
  }
};

} // namespace

void tile_gpu::populateSplitReductions(const PieceConverter &pieces,
                                       RewritePatternSet &patterns) {
  patterns.add<SplitReduce>(pieces, patterns.getContext());
}
