#include "lib/Conversion/WarpToLLVM/Memory/SharedTile.h"

#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/RegisterPacking.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

/// Booleans take one byte in memory.
static unsigned getMemoryBits(Type element) {
  return std::max(getScalarBits(element), 8u);
}

/// Returns the widest word, up to 32 bits or one element, that `count` elements
/// fill.
static unsigned getWordBits(Type element, unsigned count) {
  unsigned bits = getMemoryBits(element);
  return std::max(bits, std::min(bits * count, 32u));
}

static SmallVector<Value> emitToWords(ImplicitLocOpBuilder &b,
                                      ArrayRef<Value> elements) {
  SmallVector<Value> inMemory;
  for (Value element : elements) {
    Value bits = emitAsInteger(b, element);
    if (bits.getType().isInteger(1))
      bits = LLVM::ZExtOp::create(b, b.getI8Type(), bits);
    inMemory.push_back(bits);
  }
  return packWords(b, inMemory,
                   getWordBits(elements[0].getType(), elements.size()));
}

static SmallVector<Value> emitFromWords(ImplicitLocOpBuilder &b,
                                        ArrayRef<Value> words, Type element) {
  if (!element.isInteger(1))
    return unpackWords(b, words, element);
  SmallVector<Value> elements = unpackWords(b, words, b.getI8Type());
  for (Value &value : elements)
    value = LLVM::TruncOp::create(b, element, value);
  return elements;
}

static void emitStore(ImplicitLocOpBuilder &b, Value address,
                      SmallVector<Value> words, Value predicate) {
  unsigned bits = getScalarBits(words[0].getType());
  if (!predicate) {
    Value value = words.size() == 1 ? words[0] : packVector(b, words);
    LLVM::StoreOp::create(b, value, address, words.size() * bits / 8);
    return;
  }
  InlinePtx ptx(b);
  std::string condition = ptx.predicate(predicate), where = ptx.in(address);
  SmallVector<std::string> what;
  for (Value word : words) {
    // PTX has no 8-bit registers.
    if (bits == 8)
      word = LLVM::ZExtOp::create(b, b.getI16Type(), word);
    what.push_back(ptx.in(word));
  }
  std::string vector =
      words.size() == 1 ? "" : ".v" + std::to_string(words.size());
  ptx.emit(condition + "st.shared" + vector + ".b" + std::to_string(bits) +
               " [" + where + "], " + formatPtxVector(what) + ";",
           /*sideEffects=*/true);
}

static SmallVector<Value> emitLoad(ImplicitLocOpBuilder &b, Value address,
                                   Type element, unsigned count) {
  unsigned bits = getWordBits(element, count);
  unsigned words = count * getMemoryBits(element) / bits;
  Type type = b.getIntegerType(bits);
  if (words > 1)
    type = VectorType::get(words, type);
  Value loaded = LLVM::LoadOp::create(b, type, address, words * bits / 8);
  if (words == 1)
    return emitFromWords(b, {loaded}, element);
  return emitFromWords(b, unpackVector(b, loaded), element);
}

SharedTile::SharedTile(ImplicitLocOpBuilder &b, const SharedAccess &access,
                       unsigned offsetBits, Type element, Value base,
                       uint64_t origin)
    : b(b), access(access), offsetBits(offsetBits),
      elementBytesLog2(llvm::Log2_32(getMemoryBits(element) / 8)),
      originBytes(origin << elementBytesLog2), element(element), base(base) {
  LinearLayout toBytes =
      LinearLayout::strided(LayoutAxis::Offset, LayoutAxis::Offset,
                            access.offsets.getTotalOutBits(), elementBytesLog2);
  byteOffsets = access.offsets.then(toBytes);
  thread = emitThreadOffset(b, byteOffsets, LayoutAxis::Offset);
  for (LayoutAxis axis : {LayoutAxis::Lane, LayoutAxis::Warp})
    for (uint64_t column : byteOffsets.getColumns(axis))
      threadBits |= column;
}

Value SharedTile::getAddress(uint64_t offset) {
  // Where no bit can be set in both, `xor` is an addition, which the access
  // address does for free.
  uint64_t shared = offset & threadBits, constant = offset & ~threadBits;
  Value &address = addresses[shared];
  if (!address) {
    Value threadOffset = thread;
    if (shared)
      threadOffset = LLVM::XOrOp::create(b, threadOffset, emitI32(b, shared));
    address = emitByteOffset(b, base, threadOffset);
  }
  if (!constant)
    return address;
  return LLVM::GEPOp::create(b, address.getType(), b.getI8Type(), address,
                             LLVM::GEPArg(int32_t(constant)));
}

unsigned SharedTile::getRoundOf(unsigned reg) const {
  return getRegisterOffset(byteOffsets, reg, LayoutAxis::Offset) >>
         (offsetBits + elementBytesLog2);
}

Value SharedTile::getAddressOf(unsigned reg) {
  uint64_t roundBytes = uint64_t(1) << (offsetBits + elementBytesLog2);
  uint64_t offset = getRegisterOffset(byteOffsets, reg, LayoutAxis::Offset);
  return getAddress((offset & (roundBytes - 1)) ^ originBytes);
}

void SharedTile::forEachVector(
    unsigned round, function_ref<void(Value, ArrayRef<unsigned>)> visit) {
  for (unsigned first : access.getVectors())
    if (getRoundOf(first) == round)
      visit(getAddressOf(first), access.getElements(first));
}

void SharedTile::store(unsigned round, ValueRange registers, Value predicate) {
  forEachVector(round, [&](Value address, ArrayRef<unsigned> elements) {
    SmallVector<Value> values;
    for (unsigned reg : elements)
      values.push_back(registers[reg]);
    emitStore(b, address, emitToWords(b, values), predicate);
  });
}

void SharedTile::load(unsigned round, MutableArrayRef<Value> registers) {
  forEachVector(round, [&](Value address, ArrayRef<unsigned> elements) {
    for (auto [reg, value] : llvm::zip_equal(
             elements, emitLoad(b, address, element, elements.size())))
      registers[reg] = value;
  });
}
