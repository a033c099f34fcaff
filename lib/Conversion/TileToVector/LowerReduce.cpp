// Lowers reductions. If the axis is not the lanes' dimension, each lane folds
// its own column. If it is, chunks are folded into one vector first and its
// lanes at the end. If the order matters (see `tile.reduce`), each chunk is
// folded on its own, neighbours first.

#include "lib/Conversion/TileToVector/KernelLowering.h"

#include "lib/Analysis/Facts/Commutation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

bool isVectorizable(Region &region) {
  return llvm::all_of(region.front().without_terminator(), [](Operation &op) {
    return isComputedByElement(&op) || isa<arith::ConstantOp>(op);
  });
}

static RankedTensorType getOperandType(tile::ReduceOp op) {
  return cast<RankedTensorType>(op.getOperands()[0].getType());
}

/// Returns the operand coordinates of the result's chunk `at` and `index` along
/// the reduced axis.
static Indices insertAxis(ArrayRef<Index> at, unsigned axis, Index index) {
  Indices coords(at);
  coords.insert(coords.begin() + axis, index);
  return coords;
}

KernelLowering::Values KernelLowering::evaluateOperands(tile::ReduceOp op,
                                                        ArrayRef<Index> at,
                                                        unsigned lanes) {
  Evaluator evaluator(e, lanes);
  Values values;
  for (Value operand : op.getOperands())
    values.push_back(e.widen(evaluator.evaluateAsHeld(operand, at), lanes));
  return values;
}

/// Applies the region to scalars. It may hold control flow.
KernelLowering::Values KernelLowering::applyToScalars(Block &block,
                                                      ValueRange arguments) {
  const Location loc = e.loc;
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments)) {
    const bool isPointer = isa<tile::PtrType>(argument.getType());
    e.scalars.map(argument,
                  isPointer ? e.offsetPointer(nullptr, value) : value);
  }
  lowerBody(block);
  e.loc = loc;
  Values results;
  for (Value value : block.getTerminator()->getOperands()) {
    Value result = e.scalars.lookup(value);
    if (isa<tile::PtrType>(value.getType()))
      result = LLVM::PtrToIntOp::create(e.b, e.loc, e.b.getI64Type(), result);
    results.push_back(result);
  }
  return results;
}

KernelLowering::Values KernelLowering::combine(tile::ReduceOp op,
                                               ValueRange lhs, ValueRange rhs,
                                               unsigned lanes) {
  Values arguments(lhs);
  arguments.append(rhs.begin(), rhs.end());
  return applyRegion(op.getCombine().front(), arguments, lanes);
}

KernelLowering::Values KernelLowering::applyRegion(Block &block,
                                                   ValueRange arguments,
                                                   unsigned lanes) {
  if (lanes == 1)
    return applyToScalars(block, arguments);
  IRMapping values;
  values.map(block.getArguments(), arguments);
  const auto get = [&](Value value) -> Value {
    if (Value known = values.lookupOrNull(value))
      return known;
    return e.splat(e.scalars.lookup(value), lanes);
  };
  for (Operation &inner : block.without_terminator()) {
    if (isa<arith::ConstantOp>(inner)) {
      lowerOp(inner);
      continue;
    }
    Values operands;
    for (Value operand : inner.getOperands())
      operands.push_back(get(operand));
    values.map(inner.getResults(),
               ValueRange(emitElementwise(e, &inner, operands, lanes)));
  }
  Values results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(get(value));
  return results;
}

/// Folds pairs of lanes until one is left: neighbours if the order matters,
/// otherwise the lower with the upper lanes, which takes cheaper shuffles.
KernelLowering::Values
KernelLowering::foldLanes(tile::ReduceOp op, Values values, unsigned lanes) {
  const bool isOrdered = !commutes(op);
  while (lanes > 1) {
    lanes /= 2;
    Values lower, upper;
    for (Value value : values) {
      if (lanes == 1) {
        lower.push_back(vector::ExtractOp::create(e.b, e.loc, value, 0));
        upper.push_back(vector::ExtractOp::create(e.b, e.loc, value, 1));
        continue;
      }
      SmallVector<int64_t> first(lanes), second(lanes);
      for (unsigned i = 0; i < lanes; ++i) {
        first[i] = isOrdered ? 2 * i : i;
        second[i] = isOrdered ? 2 * i + 1 : i + lanes;
      }
      lower.push_back(
          vector::ShuffleOp::create(e.b, e.loc, value, value, first));
      upper.push_back(
          vector::ShuffleOp::create(e.b, e.loc, value, value, second));
    }
    values = combine(op, lower, upper, lanes);
  }
  return values;
}

/// Folds the elements [begin, end) of the axis, a whole number of chunks, into
/// scalars.
KernelLowering::Values KernelLowering::reduceChunks(tile::ReduceOp op,
                                                    ArrayRef<Index> at,
                                                    int64_t begin, int64_t end,
                                                    unsigned lanes) {
  const unsigned axis = op.getAxis();
  const bool isOrdered = !commutes(op);
  const auto evaluate = [&](Value index) {
    Values chunk =
        evaluateOperands(op, insertAxis(at, axis, {index, lanes > 1}), lanes);
    return isOrdered ? foldLanes(op, chunk, lanes) : chunk;
  };
  const auto finish = [&](Values values) {
    return isOrdered ? values : foldLanes(op, values, lanes);
  };
  Values first = evaluate(e.i64(begin));
  if (begin + lanes >= end)
    return finish(first);
  auto loop = scf::ForOp::create(e.b, e.loc, e.i64(begin + lanes), e.i64(end),
                                 e.i64(lanes), first);
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToEnd(loop.getBody());
  Values sum = combine(op, loop.getRegionIterArgs(),
                       evaluate(loop.getInductionVar()), isOrdered ? 1 : lanes);
  scf::YieldOp::create(e.b, e.loc, sum);
  e.b.setInsertionPointAfter(loop);
  return finish(Values(loop.getResults()));
}

/// Folds all elements along the axis into scalars.
KernelLowering::Values KernelLowering::reduceLine(tile::ReduceOp op,
                                                  ArrayRef<Index> at) {
  const int64_t size = getOperandType(op).getDimSize(op.getAxis());
  // Wider than other chunks: the fold at the end costs the same, and chains of
  // dependent additions become shorter.
  const unsigned maxLanes =
      isVectorizable(op.getCombine()) ? 2 * e.maxLanes() : 1;
  Values total;
  for (int64_t begin = 0; begin < size;) {
    const unsigned lanes = chunkLanes(size - begin, maxLanes);
    const int64_t end = begin + (size - begin) / lanes * lanes;
    Values part = reduceChunks(op, at, begin, end, lanes);
    total = total.empty() ? part : combine(op, total, part, 1);
    begin = end;
  }
  return total;
}

static SmallVector<int64_t> getResultShape(tile::ReduceOp op) {
  SmallVector<int64_t> shape(getOperandType(op).getShape());
  shape.erase(shape.begin() + op.getAxis());
  return shape;
}

static Value toStorage(Emitter &e, Value value) {
  if (!getElementTypeOrSelf(value.getType()).isInteger(1))
    return value;
  Type type = e.b.getI8Type();
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(type);
  return arith::ExtUIOp::create(e.b, e.loc, type, value);
}

void KernelLowering::reduceAlong(tile::ReduceOp op, ArrayRef<Buffer> results) {
  e.forEachChunk(getResultShape(op), 0, /*maxLanes=*/1,
                 [&](ArrayRef<Index> at, unsigned) {
                   Values line = reduceLine(op, at);
                   for (auto [buffer, value] : llvm::zip(results, line))
                     e.writeBuffer(buffer, at, 1, toStorage(e, value));
                 });
}

void KernelLowering::reduceAcross(tile::ReduceOp op, ArrayRef<Buffer> results) {
  SmallVector<int64_t> shape = getResultShape(op);
  const unsigned axis = op.getAxis();
  const int64_t size = getOperandType(op).getDimSize(axis);
  e.forEachChunk(
      shape, getInnermostDim(shape), e.maxLanes(),
      [&](ArrayRef<Index> at, unsigned lanes) {
        Values total = evaluateOperands(
            op, insertAxis(at, axis, {e.i64(0), false}), lanes);
        if (size > 1) {
          auto loop = scf::ForOp::create(e.b, e.loc, e.i64(1), e.i64(size),
                                         e.i64(1), total);
          OpBuilder::InsertionGuard guard(e.b);
          e.b.setInsertionPointToEnd(loop.getBody());
          Values next = evaluateOperands(
              op, insertAxis(at, axis, {loop.getInductionVar(), false}), lanes);
          scf::YieldOp::create(
              e.b, e.loc, combine(op, loop.getRegionIterArgs(), next, lanes));
          total = Values(loop.getResults());
        }
        for (auto [buffer, value] : llvm::zip(results, total))
          e.writeBuffer(buffer, at, lanes, toStorage(e, value));
      });
}

void KernelLowering::lowerReduce(tile::ReduceOp op) {
  RankedTensorType type = getOperandType(op);
  if (type.getRank() == 1) {
    Values total = reduceLine(op, {});
    for (auto [result, value] : llvm::zip(op.getResults(), total)) {
      const bool isPointer = isa<tile::PtrType>(result.getType());
      e.scalars.map(result,
                    isPointer ? e.offsetPointer(nullptr, value) : value);
    }
    return;
  }
  SmallVector<Buffer> buffers;
  for (Value result : op.getResults())
    buffers.push_back(bufferFor(result));
  const bool along = getInnermostDim(type.getShape()) == op.getAxis();
  if (along || !isVectorizable(op.getCombine()))
    reduceAlong(op, buffers);
  else
    reduceAcross(op, buffers);
  for (auto [result, buffer] : llvm::zip(op.getResults(), buffers))
    e.buffers[result] = buffer;
}

} // namespace tilewright::cpu
