// Pinned accumulators: PTX declares the registers. LLVM does not know them and
// keeps the inline PTX in its order.

#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/RegisterPacking.h"
#include "lib/Conversion/WarpToLLVM/Mma/PinnedAccumulators.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

static constexpr unsigned kWordBits = 32;

/// Short, as LLVM's own names are: `%p`, `%r` and longer ones.
static std::string getBankName(unsigned bank) {
  static_assert(PinnedAccAttr::kMaxBanks <= 'p' - 'a');
  return std::string("%") + char('a' + bank);
}

SmallVector<std::string> tilewright::getPinnedRegisters(Type type) {
  SmallVector<std::string> names;
  PinnedAccAttr pinned = getPinnedAccAttr(type);
  if (!pinned)
    return names;
  unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  unsigned count = getNumRegisters(type) * bits / kWordBits;
  for (unsigned i = 0; i < count; ++i)
    names.push_back(getBankName(pinned.getBank()) + std::to_string(i));
  return names;
}

namespace {

/// One instruction per register.
using Lines = SmallVector<std::string>;

/// One inline PTX operand for all registers that get the same value, such as
/// zero.
class SharedOperands {
public:
  explicit SharedOperands(InlinePtx &ptx) : ptx(ptx) {}

  const std::string &get(Value value) {
    std::string &operand = operands[value];
    if (operand.empty())
      operand = ptx.in(value);
    return operand;
  }

private:
  InlinePtx &ptx;
  DenseMap<Value, std::string> operands;
};

struct AccDeclLowering : ConvertOpToLLVMPattern<AccDeclOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(AccDeclOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Lines lines;
    for (auto [bank, words] : llvm::enumerate(op.getWords()))
      lines.push_back(".reg .b32 " + getBankName(bank) + "<" +
                      std::to_string(words) + ">;");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    InlinePtx(b).emit(llvm::join(lines, "\n"), /*sideEffects=*/true);
    rewriter.eraseOp(op);
    return success();
  }
};

struct AccStoreLowering : ConvertOpToLLVMPattern<AccStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(AccStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    ValueRange source = adaptor.getSource();
    SmallVector<Value> words = getElementTypeOrSelf(op.getType()).isF16()
                                   ? packWords(b, source, kWordBits)
                                   : SmallVector<Value>(source);
    InlinePtx ptx(b);
    SharedOperands operands(ptx);
    Lines lines;
    for (auto [name, word] :
         llvm::zip_equal(getPinnedRegisters(op.getType()), words))
      lines.push_back("mov.b32 " + name + ", " + operands.get(word) + ";");
    ptx.emit(llvm::join(lines, "\n"), /*sideEffects=*/true);
    rewriter.replaceOpWithMultiple(op, {ValueRange()});
    return success();
  }
};

struct AccLoadLowering : ConvertOpToLLVMPattern<AccLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(AccLoadOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type element = getElementTypeOrSelf(op.getType());
    const bool isPacked = element.isF16();
    Type word = isPacked ? b.getI32Type() : element;
    InlinePtx ptx(b);
    Lines lines;
    for (const std::string &name : getPinnedRegisters(op.getSource().getType()))
      lines.push_back("mov.b32 " + ptx.out(word) + ", " + name + ";");
    SmallVector<Value> words =
        ptx.emit(llvm::join(lines, "\n"), /*sideEffects=*/true);
    SmallVector<SmallVector<Value>> results;
    results.push_back(isPacked ? unpackWords(b, words, element) : words);
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

struct ScaleLowering : ConvertOpToLLVMPattern<ScaleOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(ScaleOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    InlinePtx ptx(b);
    SharedOperands operands(ptx);
    Lines lines;
    for (auto [name, factor] :
         llvm::zip_equal(getPinnedRegisters(op.getType()), adaptor.getFactor()))
      lines.push_back("mul.rn.f32 " + name + ", " + name + ", " +
                      operands.get(factor) + ";");
    ptx.emit(llvm::join(lines, "\n"), /*sideEffects=*/true);
    rewriter.replaceOpWithMultiple(op, {ValueRange()});
    return success();
  }
};

} // namespace

void tilewright::populatePinnedAccumulatorsToLLVM(
    const WarpTypeConverter &converter, RewritePatternSet &patterns) {
  patterns
      .add<AccDeclLowering, AccStoreLowering, AccLoadLowering, ScaleLowering>(
          converter);
}
