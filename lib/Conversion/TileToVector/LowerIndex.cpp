// Elements chosen by index: those of the source come from its buffer.

#include "lib/Conversion/TileToVector/KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::cpu {

/// `index` (i32, one or a vector) as an i64 below `size`: what is out of range
/// becomes the last one.
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

/// Reads `buffer` at the chunk `at` with `index` in place of that along `axis`.
static Value readAt(Emitter &e, const Buffer &buffer, ArrayRef<Index> at,
                    unsigned axis, Value index, unsigned lanes) {
  const int64_t bytes = buffer.storage.getIntOrFloatBitWidth() / 8;
  Lanes offset = Lanes::uniform(e.i64(0));
  for (auto [dim, place] : llvm::enumerate(at)) {
    if (dim == axis)
      continue;
    Value stride = e.i64(buffer.strides[dim] * bytes);
    offset.value = e.add(offset.value, e.mul(place.base, stride));
    if (place.varies)
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

} // namespace tilewright::cpu
