#include "lib/Conversion/WarpToLLVM/Reduction/PartialResults.h"

#include "lib/Conversion/WarpToLLVM/Common/RegionEmission.h"
#include "lib/Conversion/WarpToLLVM/Common/Shuffle.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"

using namespace mlir;
using namespace tilewright;

Partial tilewright::emitCombine(ImplicitLocOpBuilder &b, tile::ReduceOp op,
                                const Partial &lhs, const Partial &rhs) {
  Partial inputs(lhs);
  llvm::append_range(inputs, rhs);
  return emitRegion(b, op.getCombine().front(), inputs,
                    ValueRange(lhs).getTypes());
}

Partial tilewright::emitCombineInOrder(ImplicitLocOpBuilder &b,
                                       tile::ReduceOp op,
                                       SmallVector<Partial> partials) {
  for (; partials.size() > 1; partials.resize(partials.size() / 2))
    for (unsigned i = 0; i < partials.size() / 2; ++i)
      partials[i] = emitCombine(b, op, partials[2 * i], partials[2 * i + 1]);
  return partials.front();
}

Value tilewright::emitHasLaneBit(ImplicitLocOpBuilder &b, uint64_t mask) {
  return LLVM::ICmpOp::create(
      b, LLVM::ICmpPredicate::ne,
      LLVM::AndOp::create(b, emitLaneId(b), emitI32(b, mask)), emitI32(b, 0));
}

Partial tilewright::emitShuffleXor(ImplicitLocOpBuilder &b,
                                   const Partial &partial, uint64_t mask) {
  return llvm::map_to_vector(
      partial, [&](Value value) { return emitShuffleXor(b, value, mask); });
}

Partial tilewright::emitSelect(ImplicitLocOpBuilder &b, Value condition,
                               const Partial &lhs, const Partial &rhs) {
  return llvm::map_to_vector(llvm::zip(lhs, rhs), [&](auto pair) -> Value {
    auto [left, right] = pair;
    return LLVM::SelectOp::create(b, condition, left, right);
  });
}
