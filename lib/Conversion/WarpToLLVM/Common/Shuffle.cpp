#include "lib/Conversion/WarpToLLVM/Common/Shuffle.h"

#include "lib/Conversion/WarpToLLVM/Common/RegisterPacking.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilewright;

/// shfl.sync moves 32 bits.
static Value emitShuffleWord(ImplicitLocOpBuilder &b, Value word, Value lane,
                             NVVM::ShflKind kind) {
  return NVVM::ShflOp::create(b, b.getI32Type(), emitI32(b, -1), word, lane,
                              emitI32(b, kWarpSize - 1), kind, UnitAttr());
}

static Value emitShuffle(ImplicitLocOpBuilder &b, Value value, Value lane,
                         NVVM::ShflKind kind) {
  Type type = value.getType();
  Value bits = emitAsInteger(b, value);
  unsigned width = getScalarBits(bits.getType());
  if (width == 64) {
    auto pair = VectorType::get(2, b.getI32Type());
    SmallVector<Value> words =
        unpackVector(b, LLVM::BitcastOp::create(b, pair, bits));
    for (Value &word : words)
      word = emitShuffleWord(b, word, lane, kind);
    bits = LLVM::BitcastOp::create(b, b.getI64Type(), packVector(b, words));
  } else if (width < 32) {
    Value word = LLVM::ZExtOp::create(b, b.getI32Type(), bits);
    word = emitShuffleWord(b, word, lane, kind);
    bits = LLVM::TruncOp::create(b, bits.getType(), word);
  } else {
    bits = emitShuffleWord(b, bits, lane, kind);
  }
  return emitBitcast(b, bits, type);
}

Value tilewright::emitShuffleXor(ImplicitLocOpBuilder &b, Value value,
                                 uint32_t mask) {
  return emitShuffle(b, value, emitI32(b, mask), NVVM::ShflKind::bfly);
}

Value tilewright::emitShuffleIndex(ImplicitLocOpBuilder &b, Value value,
                                   Value lane) {
  return emitShuffle(b, value, lane, NVVM::ShflKind::idx);
}
