#include "lib/Conversion/WarpToLLVM/RegisterPacking.h"

#include "dialect/Warp/WarpAttributes.h"
#include "lib/Conversion/WarpToLLVM/ThreadIndices.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilewright;

unsigned tilewright::getScalarBits(Type type) {
  return isa<LLVM::LLVMPointerType>(type) ? 64 : type.getIntOrFloatBitWidth();
}

Value tilewright::emitBitcast(ImplicitLocOpBuilder &b, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::IntToPtrOp::create(b, type,
                                    emitBitcast(b, value, b.getI64Type()));
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return emitBitcast(b, LLVM::PtrToIntOp::create(b, b.getI64Type(), value),
                       type);
  return LLVM::BitcastOp::create(b, type, value);
}

Value tilewright::emitAsInteger(ImplicitLocOpBuilder &b, Value value) {
  return emitBitcast(b, value,
                     b.getIntegerType(getScalarBits(value.getType())));
}

SmallVector<Value> tilewright::unpackVector(ImplicitLocOpBuilder &b,
                                            Value vector) {
  SmallVector<Value> elements;
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  for (int64_t i = 0; i < count; ++i)
    elements.push_back(
        LLVM::ExtractElementOp::create(b, vector, emitI32(b, i)));
  return elements;
}

Value tilewright::packVector(ImplicitLocOpBuilder &b, ValueRange elements) {
  auto type = VectorType::get(elements.size(), elements[0].getType());
  Value vector = LLVM::PoisonOp::create(b, type);
  for (auto [i, element] : llvm::enumerate(elements))
    vector = LLVM::InsertElementOp::create(b, vector, element, emitI32(b, i));
  return vector;
}

SmallVector<Value> tilewright::packWords(ImplicitLocOpBuilder &b,
                                         ValueRange elements,
                                         unsigned wordBits) {
  unsigned perWord = wordBits / getScalarBits(elements[0].getType());
  Type word = b.getIntegerType(wordBits);
  SmallVector<Value> words;
  for (unsigned i = 0; i < elements.size(); i += perWord) {
    Value value =
        perWord == 1 ? elements[i] : packVector(b, elements.slice(i, perWord));
    words.push_back(emitBitcast(b, value, word));
  }
  return words;
}

SmallVector<Value> tilewright::unpackWords(ImplicitLocOpBuilder &b,
                                           ValueRange words, Type elementType) {
  unsigned perWord =
      getScalarBits(words[0].getType()) / getScalarBits(elementType);
  SmallVector<Value> elements;
  for (Value word : words) {
    if (perWord == 1) {
      elements.push_back(emitBitcast(b, word, elementType));
      continue;
    }
    Value vector =
        LLVM::BitcastOp::create(b, VectorType::get(perWord, elementType), word);
    llvm::append_range(elements, unpackVector(b, vector));
  }
  return elements;
}

unsigned tilewright::findNeighbourBit(Type tile) {
  std::optional<LinearLayout> layout = warp::getLayout(tile);
  if (!layout)
    return 0;
  for (unsigned bit = 0; bit < layout->getInBits(LayoutAxis::Register); ++bit) {
    SmallVector<int64_t> step = layout->getBasis(LayoutAxis::Register, bit);
    if (llvm::count(step, 0) == int64_t(step.size()) - 1 &&
        llvm::is_contained(step, 1))
      return bit;
  }
  return 0;
}
