#include "lib/Conversion/WarpToLLVM/Memory/SharedAccess.h"

#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/RegisterPacking.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilewright;

static constexpr unsigned kMaxAccessBits = 128;

/// Returns the bits of an element as stored in memory.
static Value emitToMemory(ImplicitLocOpBuilder &b, Value element) {
  Value bits = emitAsInteger(b, element);
  if (!bits.getType().isInteger(1))
    return bits;
  return LLVM::ZExtOp::create(b, b.getI8Type(), bits);
}

static Value emitFromMemory(ImplicitLocOpBuilder &b, Value bits, Type type) {
  if (type.isInteger(1))
    return LLVM::TruncOp::create(b, type, bits);
  return emitBitcast(b, bits, type);
}

void tilewright::emitSharedStore(ImplicitLocOpBuilder &b, Value address,
                                 Value element, Value predicate) {
  Value bits = emitToMemory(b, element);
  unsigned width = getScalarBits(bits.getType());
  if (!predicate) {
    LLVM::StoreOp::create(b, bits, address, width / 8);
    return;
  }
  if (width == 8)
    bits = LLVM::ZExtOp::create(b, b.getI16Type(), bits);
  InlinePtx ptx(b);
  std::string condition = ptx.predicate(predicate);
  std::string where = ptx.in(address), what = ptx.in(bits);
  ptx.emit(condition + "st.shared.b" + std::to_string(width) + " [" + where +
               "], " + what + ";",
           /*sideEffects=*/true);
}

SmallVector<Value> tilewright::emitSharedLoad(ImplicitLocOpBuilder &b,
                                              Value address, Type element,
                                              unsigned count) {
  unsigned width = std::max(getScalarBits(element), 8u);
  unsigned perAccess = std::min(count, kMaxAccessBits / width);
  auto type = VectorType::get(perAccess, b.getIntegerType(width));
  SmallVector<Value> elements;
  for (unsigned i = 0; i < count; i += perAccess) {
    Value from = LLVM::GEPOp::create(b, address.getType(), b.getI8Type(),
                                     address, LLVM::GEPArg(i * width / 8));
    Value loaded = LLVM::LoadOp::create(b, type, from, perAccess * width / 8);
    for (Value bits : unpackVector(b, loaded))
      elements.push_back(emitFromMemory(b, bits, element));
  }
  return elements;
}
