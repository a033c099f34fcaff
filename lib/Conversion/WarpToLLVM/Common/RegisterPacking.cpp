#include "lib/Conversion/WarpToLLVM/Common/RegisterPacking.h"

#include "dialect/Warp/WarpAttributes.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"

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

/// Emits the indices of `count` elements, shared by many vectors: each op costs
/// compile time in all later passes.
static SmallVector<Value> emitIndexConstants(ImplicitLocOpBuilder &b,
                                             unsigned count) {
  SmallVector<Value> indices;
  for (unsigned i = 0; i < count; ++i)
    indices.push_back(emitI32(b, i));
  return indices;
}

static SmallVector<Value> unpackFrom(ImplicitLocOpBuilder &b, Value vector,
                                     ValueRange indices) {
  SmallVector<Value> elements;
  for (Value index : indices)
    elements.push_back(LLVM::ExtractElementOp::create(b, vector, index));
  return elements;
}

static Value packInto(ImplicitLocOpBuilder &b, Value vector,
                      ValueRange elements, ValueRange indices) {
  for (auto [element, index] : llvm::zip_equal(elements, indices))
    vector = LLVM::InsertElementOp::create(b, vector, element, index);
  return vector;
}

SmallVector<Value> tilewright::unpackVector(ImplicitLocOpBuilder &b,
                                            Value vector) {
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  return unpackFrom(b, vector, emitIndexConstants(b, count));
}

Value tilewright::packVector(ImplicitLocOpBuilder &b, ValueRange elements) {
  auto type = VectorType::get(elements.size(), elements[0].getType());
  return packInto(b, LLVM::PoisonOp::create(b, type), elements,
                  emitIndexConstants(b, elements.size()));
}

SmallVector<Value> tilewright::packWords(ImplicitLocOpBuilder &b,
                                         ValueRange elements,
                                         unsigned wordBits) {
  Type element = elements[0].getType(), word = b.getIntegerType(wordBits);
  unsigned perWord = wordBits / getScalarBits(element);
  SmallVector<Value> words;
  if (perWord == 1) {
    for (Value value : elements)
      words.push_back(emitBitcast(b, value, word));
    return words;
  }
  Value empty =
      LLVM::PoisonOp::create(b, VectorType::get(perWord, element)).getRes();
  SmallVector<Value> indices = emitIndexConstants(b, perWord);
  for (unsigned i = 0; i < elements.size(); i += perWord)
    words.push_back(emitBitcast(
        b, packInto(b, empty, elements.slice(i, perWord), indices), word));
  return words;
}

SmallVector<Value> tilewright::unpackWords(ImplicitLocOpBuilder &b,
                                           ValueRange words, Type elementType) {
  unsigned perWord =
      getScalarBits(words[0].getType()) / getScalarBits(elementType);
  SmallVector<Value> elements;
  if (perWord == 1) {
    for (Value word : words)
      elements.push_back(emitBitcast(b, word, elementType));
    return elements;
  }
  Type vector = VectorType::get(perWord, elementType);
  SmallVector<Value> indices = emitIndexConstants(b, perWord);
  for (Value word : words)
    llvm::append_range(
        elements,
        unpackFrom(b, LLVM::BitcastOp::create(b, vector, word), indices));
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
