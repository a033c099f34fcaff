// Lowers gathers, which read the buffer of their source, and histograms.

#include "lib/Conversion/TileToVector/KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::cpu {

/// Returns `index` (i32, a scalar or a vector) as i64, clamped to the last
/// index below `size`.
static Value clampIndex(Emitter &e, Value index, int64_t size, unsigned lanes) {
  Value last = e.constant(e.b.getI32IntegerAttr(size - 1));
  Type type = e.b.getI64Type();
  if (lanes > 1) {
    last = e.splat(last, lanes);
    type = VectorType::get({lanes}, type);
  }
  Value inside = arith::MinUIOp::create(e.b, e.loc, index, last);
  return arith::ExtUIOp::create(e.b, e.loc, type, inside);
}

/// Reads `buffer` at the chunk `at`, with `index` as the coordinate along
/// `axis`.
static Value readAt(Emitter &e, const Buffer &buffer, ArrayRef<Index> at,
                    unsigned axis, Value index, unsigned lanes) {
  const int64_t bytes = buffer.storage.getIntOrFloatBitWidth() / 8;
  Lanes offset = Lanes::uniform(e.i64(0));
  for (auto [dim, coord] : llvm::enumerate(at)) {
    if (dim == axis)
      continue;
    Value stride = e.i64(buffer.strides[dim] * bytes);
    offset.value = e.add(offset.value, e.mul(coord.base, stride));
    if (coord.varies)
      offset = Lanes::affine(offset.value, stride);
  }
  Value stride = e.i64(buffer.strides[axis] * bytes);
  if (lanes > 1)
    stride = e.splat(stride, lanes);
  Value pointers = e.offsetPointer(
      buffer.pointer, e.add(e.widen(offset, lanes), e.mul(index, stride)));
  if (lanes == 1)
    return LLVM::LoadOp::create(e.b, e.loc, buffer.storage, pointers, bytes);
  auto type = VectorType::get({lanes}, buffer.storage);
  auto all = VectorType::get({lanes}, e.b.getI1Type());
  return LLVM::masked_gather::create(
      e.b, e.loc, type, pointers, e.constant(DenseElementsAttr::get(all, true)),
      ValueRange{e.zero(type)}, static_cast<uint32_t>(bytes));
}

void KernelLowering::lowerGather(tile::GatherOp op) {
  ArrayRef<int64_t> shape = op.getType().getShape();
  const unsigned axis = op.getAxis();
  const Buffer source = e.buffers.lookup(op.getSource());
  Buffer result = bufferFor(op.getResult());
  e.forEachChunk(shape, getInnermostDim(shape), e.maxLanes(),
                 [&](ArrayRef<Index> at, unsigned lanes) {
                   Evaluator evaluator(e, lanes);
                   Value index = clampIndex(
                       e, evaluator.evaluateWide(op.getIndices(), at),
                       source.shape[axis], lanes);
                   e.writeBuffer(result, at, lanes,
                                 readAt(e, source, at, axis, index, lanes));
                 });
  e.buffers[op.getResult()] = result;
}

/// Increments the bin that the element of `op` at `at` names. An element that
/// is not counted adds zero to some bin, so that no branch is needed.
static void emitCount(Emitter &e, tile::HistogramOp op, const Buffer &counts,
                      ArrayRef<Index> at) {
  Evaluator evaluator(e, 1);
  Value number = evaluator.evaluate(op.getSource(), at).value;
  Value size = e.constant(e.b.getI32IntegerAttr(counts.shape[0]));
  Value isCounted = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ult,
                                          number, size);
  if (op.getMask())
    isCounted = arith::AndIOp::create(
        e.b, e.loc, isCounted, evaluator.evaluate(op.getMask(), at).value);
  const Index bin = {clampIndex(e, number, counts.shape[0], 1), false};
  Value more = arith::ExtUIOp::create(e.b, e.loc, counts.storage, isCounted);
  Value count = e.readBuffer(counts, bin, 1).value;
  e.writeBuffer(counts, bin, 1, e.add(count, more));
}

void KernelLowering::lowerHistogram(tile::HistogramOp op) {
  Buffer counts = bufferFor(op.getResult());
  e.forEachChunk(counts.shape, 0, e.maxLanes(),
                 [&](ArrayRef<Index> at, unsigned lanes) {
                   Value zero = e.zero(counts.storage);
                   e.writeBuffer(counts, at, lanes,
                                 lanes > 1 ? e.splat(zero, lanes) : zero);
                 });
  ArrayRef<int64_t> shape = op.getSource().getType().getShape();
  e.forEachChunk(
      shape, getInnermostDim(shape), /*maxLanes=*/1,
      [&](ArrayRef<Index> at, unsigned) { emitCount(e, op, counts, at); });
  e.buffers[op.getResult()] = counts;
}

} // namespace tilewright::cpu
