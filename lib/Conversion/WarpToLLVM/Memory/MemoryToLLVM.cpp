// Loads and stores of global memory.
//
// The registers of a group (see AccessWidths) are adjacent in memory and become
// one access. Plain accesses are LLVM loads and stores, so that LLVM may hoist,
// merge and address them. Predicated or hinted accesses are inline PTX, since
// LLVM could only branch around them. All accesses of one op come before any
// use of their results, so that their latencies overlap. Registers known to
// load one address under one condition share one load.

#include "lib/Analysis/Facts/RepeatedRegisters.h"
#include "lib/Analysis/Memory/AccessWidths.h"
#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/RegisterPacking.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Tile/TileOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilewright;

/// Returns the register width of an access: 32 bits, more for wider elements,
/// less for narrower accesses.
static unsigned getWordBits(unsigned elementBits, unsigned count) {
  return std::max(elementBits, std::min(32u, elementBits * count));
}

static std::string getVectorSuffix(unsigned words, unsigned wordBits) {
  std::string type = ".b" + std::to_string(wordBits);
  return words == 1 ? type : ".v" + std::to_string(words) + type;
}

/// PTX has no 8-bit registers: an 8-bit access uses the low byte of a 16-bit
/// one.
static Type getRegisterType(ImplicitLocOpBuilder &b, unsigned wordBits) {
  return b.getIntegerType(std::max(wordBits, 16u));
}

static SmallVector<Value> emitToRegisters(ImplicitLocOpBuilder &b,
                                          ValueRange elements) {
  unsigned bits = getScalarBits(elements[0].getType());
  unsigned wordBits = getWordBits(bits, elements.size());
  SmallVector<Value> words = packWords(b, elements, wordBits);
  if (wordBits < 16)
    for (Value &word : words)
      word = LLVM::ZExtOp::create(b, getRegisterType(b, wordBits), word);
  return words;
}

static SmallVector<Value> emitFromRegisters(ImplicitLocOpBuilder &b,
                                            SmallVector<Value> words,
                                            Type element, unsigned count) {
  unsigned wordBits = getWordBits(getScalarBits(element), count);
  if (wordBits < 16)
    for (Value &word : words)
      word = LLVM::TruncOp::create(b, b.getIntegerType(wordBits), word);
  return unpackWords(b, words, element);
}

static Value emitAnd(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return LLVM::AndOp::create(b, lhs, rhs);
}

/// Returns the hints of an access in PTX. A cache operator and an L1 priority
/// exclude each other; the operator takes precedence.
static std::string getHints(tile::CacheModifier cache,
                            tile::EvictionPolicy eviction) {
  if (cache != tile::CacheModifier::None)
    return "." + tile::stringifyCacheModifier(cache).str();
  if (eviction != tile::EvictionPolicy::Normal)
    return ".L1::" + tile::stringifyEvictionPolicy(eviction).str();
  return "";
}

static unsigned getAlignment(Type element, unsigned count) {
  return getScalarBits(element) / 8 * count;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

static Value emitPlainLoad(ImplicitLocOpBuilder &b, Value pointer, Type element,
                           unsigned count) {
  Type type = count == 1 ? element : VectorType::get(count, element);
  return LLVM::LoadOp::create(b, type, pointer, getAlignment(element, count));
}

/// Emits a load whose result is `others` if `predicate` is false.
static SmallVector<Value> emitPtxLoad(ImplicitLocOpBuilder &b, Value pointer,
                                      Value predicate, ValueRange others,
                                      StringRef modifiers) {
  unsigned bits = getScalarBits(others[0].getType());
  unsigned wordBits = getWordBits(bits, others.size());
  InlinePtx ptx(b);
  SmallVector<std::string> registers;
  for (Value initial : emitToRegisters(b, others))
    registers.push_back(
        ptx.out(initial.getType(), predicate ? initial : Value()));
  std::string condition = ptx.predicate(predicate);
  std::string text = condition + "ld" + modifiers.str() +
                     getVectorSuffix(registers.size(), wordBits) + " " +
                     formatPtxVector(registers) + ", [" + ptx.in(pointer) +
                     "];";
  return ptx.emit(text, /*sideEffects=*/true);
}

namespace {

class LoadLowering : public ConvertOpToLLVMPattern<tile::LoadOp> {
public:
  LoadLowering(const WarpTypeConverter &converter, const AccessWidths &widths,
               const RepeatedRegisters &repeated)
      : ConvertOpToLLVMPattern(converter), widths(widths), repeated(repeated) {}

  LogicalResult
  matchAndRewrite(tile::LoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type element = getTypeConverter()->convertType(
        getElementTypeOrSelf(op.getResult().getType()));
    ValueRange pointers = adaptor.getPtr();
    unsigned width = widths.get(op);
    unsigned copies = width == 1 ? repeated.get(op) : 1;
    SmallVector<SmallVector<Value>> loaded;
    for (unsigned reg = 0; reg < pointers.size(); reg += width * copies)
      loaded.push_back(emitLoad(b, op, adaptor, element, reg, width));
    SmallVector<Value> results;
    for (SmallVector<Value> &words : loaded) {
      SmallVector<Value> elements = unpack(b, std::move(words), element, width);
      for (unsigned copy = 0; copy < copies; ++copy)
        llvm::append_range(results, elements);
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  /// Returns the words of `width` elements from `reg` on.
  static SmallVector<Value> emitLoad(ImplicitLocOpBuilder &b, tile::LoadOp op,
                                     OneToNOpAdaptor adaptor, Type element,
                                     unsigned reg, unsigned width) {
    Value pointer = adaptor.getPtr()[reg];
    std::string hints = getHints(op.getCache(), op.getEviction());
    if (!op.getMask() && !op.getIsVolatile() && hints.empty())
      return {emitPlainLoad(b, pointer, element, width)};
    SmallVector<Value> others;
    if (op.getOther())
      others.assign(SmallVector<Value>(adaptor.getOther().slice(reg, width)));
    else
      others.assign(width, LLVM::ZeroOp::create(b, element));
    Value mask = op.getMask() ? adaptor.getMask()[reg] : Value();
    std::string modifiers =
        op.getIsVolatile() ? ".volatile.global" : ".global" + hints;
    return emitPtxLoad(b, pointer, mask, others, modifiers);
  }

  static SmallVector<Value> unpack(ImplicitLocOpBuilder &b,
                                   SmallVector<Value> words, Type element,
                                   unsigned width) {
    if (words.size() == 1 && words[0].getType() == element)
      return words;
    if (isa<VectorType>(words[0].getType()))
      return unpackVector(b, words[0]);
    return emitFromRegisters(b, std::move(words), element, width);
  }

  const AccessWidths &widths;
  const RepeatedRegisters &repeated;
};

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

class StoreLowering : public ConvertOpToLLVMPattern<tile::StoreOp> {
public:
  StoreLowering(const WarpTypeConverter &converter, const AccessWidths &widths)
      : ConvertOpToLLVMPattern(converter), widths(widths) {}

  LogicalResult
  matchAndRewrite(tile::StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = op.getPtr().getType();
    LinearLayout layout = getLayoutOrScalar(type);
    Value owner = emitOwner(b, type);
    unsigned width = widths.get(op);
    for (unsigned reg = 0; reg < adaptor.getPtr().size(); reg += width) {
      if (!isOwnerRegister(layout, reg))
        continue;
      Value mask = op.getMask() ? adaptor.getMask()[reg] : Value();
      emitStore(b, op, adaptor.getPtr()[reg],
                adaptor.getValue().slice(reg, width), emitAnd(b, owner, mask));
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static Value emitOwner(ImplicitLocOpBuilder &b, Type type) {
    if (!isa<RankedTensorType>(type))
      return emitIsFirstThread(b);
    return emitIsOwner(b, getLayoutOrScalar(type));
  }

  static void emitStore(ImplicitLocOpBuilder &b, tile::StoreOp op,
                        Value pointer, ValueRange elements, Value predicate) {
    std::string hints = getHints(op.getCache(), op.getEviction());
    Type element = elements[0].getType();
    if (!predicate && hints.empty()) {
      Value value =
          elements.size() == 1 ? elements[0] : packVector(b, elements);
      LLVM::StoreOp::create(b, value, pointer,
                            getAlignment(element, elements.size()));
      return;
    }
    InlinePtx ptx(b);
    std::string condition = ptx.predicate(predicate);
    std::string address = ptx.in(pointer);
    SmallVector<std::string> registers;
    for (Value word : emitToRegisters(b, elements))
      registers.push_back(ptx.in(word));
    unsigned wordBits = getWordBits(getScalarBits(element), elements.size());
    ptx.emit(condition + "st.global" + hints +
                 getVectorSuffix(registers.size(), wordBits) + " [" + address +
                 "], " + formatPtxVector(registers) + ";",
             /*sideEffects=*/true);
  }

  const AccessWidths &widths;
};

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

/// getelementptr sign-extends its index and multiplies by the element size.
struct AddPtrLowering : ConvertOpToLLVMPattern<tile::AddPtrOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(tile::AddPtrOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto pointer = cast<tile::PtrType>(getElementTypeOrSelf(op.getType()));
    Type pointee = getTypeConverter()->convertType(pointer.getPointee());
    SmallVector<Value> results;
    for (auto [base, offset] : llvm::zip(adaptor.getPtr(), adaptor.getOffset()))
      results.push_back(LLVM::GEPOp::create(
          rewriter, op.getLoc(), base.getType(), pointee, base, offset));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

void tilewright::populateMemoryToLLVM(const WarpTypeConverter &converter,
                                      const AccessWidths &widths,
                                      const RepeatedRegisters &repeated,
                                      RewritePatternSet &patterns) {
  patterns.add<LoadLowering>(converter, widths, repeated);
  patterns.add<StoreLowering>(converter, widths);
  patterns.add<AddPtrLowering>(converter);
}
