// Products that no tensor core computes: each thread multiplies and adds for
// its own elements of the result, holding all of the operands' rows and columns
// that they need.

#include "lib/Conversion/WarpToLLVM/CastEmission.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Tile/TileOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tilewright;

namespace {

/// The registers of a thread by the element that thread 0 holds in them.
/// Layouts are linear, so what two registers have in common there they have
/// everywhere.
class RegisterTable {
public:
  explicit RegisterTable(const LinearLayout &layout) {
    for (unsigned reg = 0, e = layout.getInSize(LayoutAxis::Register); reg < e;
         ++reg) {
      SmallVector<int64_t> element =
          layout.getElement({{LayoutAxis::Register, reg}});
      table.try_emplace({element[0], element[1]}, reg);
    }
  }

  std::optional<unsigned> find(int64_t row, int64_t column) const {
    auto it = table.find({row, column});
    return it == table.end() ? std::nullopt
                             : std::optional<unsigned>(it->second);
  }

private:
  DenseMap<std::pair<int64_t, int64_t>, unsigned> table;
};

} // namespace

/// The elements of an operand in the accumulator's type.
static SmallVector<Value> emitWiden(ImplicitLocOpBuilder &b,
                                    const NvidiaTarget &target,
                                    ValueRange registers, Type from, Type to) {
  if (isFloat8(from))
    return emitFromFloat8(b, target, registers, from, to);
  if (from == to)
    return SmallVector<Value>(registers);
  SmallVector<Value> wide;
  for (Value value : registers)
    wide.push_back(isa<IntegerType>(to)
                       ? LLVM::SExtOp::create(b, to, value).getResult()
                       : LLVM::FPExtOp::create(b, to, value).getResult());
  return wide;
}

static Value emitMultiplyAdd(ImplicitLocOpBuilder &b, Value x, Value y,
                             Value sum) {
  if (isa<IntegerType>(sum.getType()))
    return LLVM::AddOp::create(b, LLVM::MulOp::create(b, x, y), sum);
  return LLVM::FMAOp::create(b, x, y, sum);
}

namespace {

class DotLowering : public ConvertOpToLLVMPattern<tile::DotOp> {
public:
  DotLowering(const WarpTypeConverter &converter, const NvidiaTarget &target)
      : ConvertOpToLLVMPattern(converter), target(target) {}

  LogicalResult
  matchAndRewrite(tile::DotOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type element = getElementTypeOrSelf(op.getType());
    SmallVector<Value> lhs =
        emitWiden(b, target, adaptor.getA(),
                  getElementTypeOrSelf(op.getA().getType()), element);
    SmallVector<Value> rhs =
        emitWiden(b, target, adaptor.getB(),
                  getElementTypeOrSelf(op.getB().getType()), element);
    LinearLayout layout = getLayoutOrScalar(op.getType());
    RegisterTable tableA(getLayoutOrScalar(op.getA().getType()));
    RegisterTable tableB(getLayoutOrScalar(op.getB().getType()));
    SmallVector<Value> acc(adaptor.getAcc());
    int64_t depth = cast<RankedTensorType>(op.getA().getType()).getDimSize(1);
    for (int64_t k = 0; k < depth; ++k)
      for (auto [reg, sum] : llvm::enumerate(acc)) {
        SmallVector<int64_t> place =
            layout.getElement({{LayoutAxis::Register, reg}});
        auto a = tableA.find(place[0], k), c = tableB.find(k, place[1]);
        if (!a || !c)
          return op.emitOpError("has operands in layouts that do not hold "
                                "what the result's needs");
        sum = emitMultiplyAdd(b, lhs[*a], rhs[*c], sum);
      }
    rewriter.replaceOpWithMultiple(op, {acc});
    return success();
  }

private:
  const NvidiaTarget target;
};

} // namespace

void tilewright::populateFmaDotToLLVM(const WarpTypeConverter &converter,
                                      const NvidiaTarget &target,
                                      RewritePatternSet &patterns) {
  patterns.add<DotLowering>(converter, target);
}
