// User assembly, emitted once per group of registers of a tile.

#include "lib/Conversion/WarpToLLVM/Common/RegisterPacking.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Tile/TileAsmRegisters.h"
#include "dialect/Tile/TileOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tilewright;

static constexpr unsigned kWordBits = 32;

static Type getRegisterType(ImplicitLocOpBuilder &b, char letter) {
  if (letter == 'f')
    return b.getF32Type();
  if (letter == 'd')
    return b.getF64Type();
  return b.getIntegerType(tile::getAsmRegisterBits(letter));
}

/// Packs a group of elements into register values, one per letter.
static SmallVector<Value> emitInputs(ImplicitLocOpBuilder &b,
                                     ValueRange elements,
                                     ArrayRef<char> letters) {
  unsigned bits = getScalarBits(elements[0].getType());
  SmallVector<Value> words;
  if (bits >= kWordBits)
    for (Value element : elements)
      words.push_back(emitAsInteger(b, element));
  else
    words = packWords(b, elements,
                      std::min<unsigned>(bits * elements.size(), kWordBits));
  for (auto [word, letter] : llvm::zip(words, letters)) {
    Type type = getRegisterType(b, letter);
    unsigned width = tile::getAsmRegisterBits(letter);
    if (getScalarBits(word.getType()) < width)
      word = LLVM::ZExtOp::create(b, b.getIntegerType(width), word);
    word = emitBitcast(b, word, type);
  }
  return words;
}

/// Unpacks a group of `pack` elements from the registers that the assembly
/// wrote.
static SmallVector<Value> emitOutputs(ImplicitLocOpBuilder &b,
                                      ArrayRef<Value> registers, Type element,
                                      unsigned pack) {
  unsigned bits = getScalarBits(element);
  SmallVector<Value> words;
  for (Value value : registers) {
    Value word = emitAsInteger(b, value);
    unsigned used = std::min(bits >= kWordBits ? bits : bits * pack,
                             bits >= kWordBits ? bits : kWordBits);
    if (used < getScalarBits(word.getType()))
      word = LLVM::TruncOp::create(b, b.getIntegerType(used), word);
    words.push_back(word);
  }
  if (bits < kWordBits)
    return unpackWords(b, words, element);
  for (Value &word : words)
    word = emitBitcast(b, word, element);
  return words;
}

namespace {

class InlineAsmLowering : public ConvertOpToLLVMPattern<tile::InlineAsmOp> {
public:
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(tile::InlineAsmOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string problem;
    auto registers = tile::AsmRegisters::parse(op.getConstraints(), problem);
    if (!registers)
      return rewriter.notifyMatchFailure(op, problem);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<SmallVector<Value>> results(op.getNumResults());
    const unsigned count = getNumRegisters(op.getResult(0).getType());
    for (unsigned first = 0; first < count; first += op.getPack()) {
      SmallVector<Value> written =
          emitGroup(b, op, *registers, adaptor.getOperands(), first);
      appendResults(b, op, written, std::min(op.getPack(), count - first),
                    results);
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  /// Returns the registers that the assembly writes for the elements from
  /// `first` on. The last element fills an incomplete group.
  static SmallVector<Value> emitGroup(ImplicitLocOpBuilder &b,
                                      tile::InlineAsmOp op,
                                      const tile::AsmRegisters &registers,
                                      ArrayRef<ValueRange> operands,
                                      unsigned first) {
    SmallVector<Value> inputs;
    for (ValueRange operand : operands) {
      SmallVector<Value> group;
      for (unsigned i = 0; i < op.getPack(); ++i)
        group.push_back(
            operand[std::min<size_t>(first + i, operand.size() - 1)]);
      llvm::append_range(
          inputs,
          emitInputs(b, group,
                     ArrayRef(registers.inputs).drop_front(inputs.size())));
    }
    SmallVector<Type> types;
    for (char letter : registers.outputs)
      types.push_back(getRegisterType(b, letter));
    Type type = types.size() == 1
                    ? types.front()
                    : LLVM::LLVMStructType::getLiteral(b.getContext(), types);
    Value written =
        LLVM::InlineAsmOp::create(
            b, type, inputs, op.getText(), withoutSpaces(op.getConstraints()),
            /*has_side_effects=*/!op.getPure(), /*is_align_stack=*/false,
            LLVM::TailCallKind::None, /*asm_dialect=*/{}, /*operand_attrs=*/{})
            .getRes();
    if (types.size() == 1)
      return {written};
    SmallVector<Value> parts;
    for (unsigned i = 0; i < types.size(); ++i)
      parts.push_back(LLVM::ExtractValueOp::create(b, written, i));
    return parts;
  }

  static std::string withoutSpaces(StringRef constraints) {
    std::string text;
    llvm::copy_if(constraints, std::back_inserter(text),
                  [](char c) { return !llvm::isSpace(c); });
    return text;
  }

  /// Appends the first `count` elements of a group to each result.
  void appendResults(ImplicitLocOpBuilder &b, tile::InlineAsmOp op,
                     ArrayRef<Value> written, unsigned count,
                     SmallVectorImpl<SmallVector<Value>> &results) const {
    for (auto [result, elements] : llvm::zip(op.getResults(), results)) {
      Type element = getElementTypeOrSelf(result.getType());
      unsigned taken = tile::getNumAsmRegisters(element, op.getPack());
      SmallVector<Value> group =
          emitOutputs(b, written.take_front(taken),
                      typeConverter->convertType(element), op.getPack());
      written = written.drop_front(taken);
      elements.append(group.begin(), group.begin() + count);
    }
  }
};

} // namespace

void tilewright::populateInlineAsmToLLVM(const WarpTypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<InlineAsmLowering>(converter);
}
