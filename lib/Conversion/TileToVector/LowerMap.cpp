// Lowers functions of single elements: on whole vectors if the function has no
// control flow, otherwise element by element.

#include "lib/Conversion/TileToVector/KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::cpu {

/// Converts a value of the function to its storage type.
static Value toStorage(Emitter &e, Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  if (isa<LLVM::LLVMPointerType>(element))
    return LLVM::PtrToIntOp::create(e.b, e.loc, e.b.getI64Type(), value);
  if (!element.isInteger(1))
    return value;
  Type type = e.b.getI8Type();
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(type);
  return arith::ExtUIOp::create(e.b, e.loc, type, value);
}

/// Evaluates the function at a chunk. All elements of a group are the same one,
/// since the grouping of elements is unspecified.
KernelLowering::Values KernelLowering::evaluateMap(tile::MapOp op,
                                                   ArrayRef<Index> at,
                                                   unsigned lanes) {
  Evaluator evaluator(e, lanes);
  Block &block = op.getFunction().front();
  const unsigned pack = op.getPack();
  Values arguments;
  for (Value operand : op.getOperands())
    arguments.append(pack,
                     e.widen(evaluator.evaluateAsHeld(operand, at), lanes));
  Values all = applyRegion(block, arguments, lanes), results;
  for (unsigned i = 0; i < all.size(); i += pack)
    results.push_back(all[i]);
  return results;
}

void KernelLowering::lowerMap(tile::MapOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType());
  if (!type) {
    for (auto [result, value] :
         llvm::zip(op.getResults(), evaluateMap(op, {}, 1)))
      e.scalars.map(result, isa<tile::PtrType>(result.getType())
                                ? e.offsetPointer(nullptr, value)
                                : value);
    return;
  }
  SmallVector<Buffer> buffers;
  for (Value result : op.getResults())
    buffers.push_back(bufferFor(result));
  ArrayRef<int64_t> shape = type.getShape();
  e.forEachChunk(shape, getInnermostDim(shape),
                 isVectorizable(op.getFunction()) ? e.maxLanes() : 1,
                 [&](ArrayRef<Index> at, unsigned lanes) {
                   for (auto [buffer, value] :
                        llvm::zip(buffers, evaluateMap(op, at, lanes)))
                     e.writeBuffer(buffer, at, lanes, toStorage(e, value));
                 });
  for (auto [result, buffer] : llvm::zip(op.getResults(), buffers))
    e.buffers[result] = buffer;
}

} // namespace tilewright::cpu
