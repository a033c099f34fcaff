// Dots without tensor cores: each thread computes its own elements of the
// result by multiply-adds on its registers. See ThreadDot.h for the layout of
// the operands.

#include "lib/Conversion/WarpToLLVM/Arithmetic/CastEmission.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpTypes.h"
#include "lib/Analysis/Mma/ThreadDot.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tilewright;

namespace {

/// The registers of a layout by the element that thread 0 holds in them.
/// Layouts are linear, so registers that share a coordinate in thread 0 share
/// it in every thread.
class RegisterTable {
public:
  explicit RegisterTable(const LinearLayout &layout) : rank(layout.getRank()) {
    for (unsigned reg = 0, e = layout.getInSize(LayoutAxis::Register); reg < e;
         ++reg)
      table.try_emplace(
          getKey(layout.getElement({{LayoutAxis::Register, reg}})), reg);
  }

  unsigned lookup(ArrayRef<int64_t> coords) const {
    return table.lookup(getKey(coords));
  }

private:
  /// The batch index (0 without a batch), the row and the column.
  std::tuple<int64_t, int64_t, int64_t> getKey(ArrayRef<int64_t> coords) const {
    return {rank == 3 ? coords[0] : 0, coords[rank - 2], coords[rank - 1]};
  }

  unsigned rank;
  DenseMap<std::tuple<int64_t, int64_t, int64_t>, unsigned> table;
};

} // namespace

/// Converts the registers of an operand to the accumulator's type.
static SmallVector<Value> emitWiden(ImplicitLocOpBuilder &b,
                                    const NvidiaTarget &target,
                                    ValueRange registers, Type from, Type to) {
  if (tile::isFloat8(from))
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
                             Value acc) {
  if (isa<IntegerType>(acc.getType()))
    return LLVM::AddOp::create(b, LLVM::MulOp::create(b, x, y), acc);
  return LLVM::FMAOp::create(b, x, y, acc);
}

/// Emits acc += a . b on the registers of one thread, which hold all operand
/// elements that its accumulators need.
static void emitDot(ImplicitLocOpBuilder &b, const LinearLayout &accLayout,
                    const LinearLayout &aLayout, const LinearLayout &bLayout,
                    ArrayRef<Value> lhs, ArrayRef<Value> rhs,
                    SmallVectorImpl<Value> &acc) {
  RegisterTable tableA(aLayout), tableB(bLayout);
  const unsigned rank = accLayout.getRank();
  int64_t depth = aLayout.getShape().back();
  for (int64_t k = 0; k < depth; ++k)
    for (auto [reg, element] : llvm::enumerate(acc)) {
      SmallVector<int64_t> inA =
          accLayout.getElement({{LayoutAxis::Register, reg}});
      SmallVector<int64_t> inB(inA);
      inA[rank - 1] = inB[rank - 2] = k;
      element = emitMultiplyAdd(b, lhs[tableA.lookup(inA)],
                                rhs[tableB.lookup(inB)], element);
    }
}

namespace {

struct DotLowering : ConvertOpToLLVMPattern<tile::DotOp> {
  DotLowering(const WarpTypeConverter &converter, const NvidiaTarget &target)
      : ConvertOpToLLVMPattern(converter), target(target) {}

  LogicalResult
  matchAndRewrite(tile::DotOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!holdsOperands(op))
      return rewriter.notifyMatchFailure(
          op, "threads do not hold what they need of the operands");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> acc(adaptor.getAcc());
    emitDot(b, getLayoutOrScalar(op.getType()),
            getLayoutOrScalar(op.getA().getType()),
            getLayoutOrScalar(op.getB().getType()),
            widen(b, op, op.getA(), adaptor.getA()),
            widen(b, op, op.getB(), adaptor.getB()), acc);
    rewriter.replaceOpWithMultiple(op, {acc});
    return success();
  }

private:
  SmallVector<Value> widen(ImplicitLocOpBuilder &b, tile::DotOp op,
                           Value operand, ValueRange registers) const {
    return emitWiden(b, target, registers,
                     getElementTypeOrSelf(operand.getType()),
                     getElementTypeOrSelf(op.getType()));
  }

  const NvidiaTarget target;
};

} // namespace

void tilewright::populateFmaDotToLLVM(const WarpTypeConverter &converter,
                                      const NvidiaTarget &target,
                                      RewritePatternSet &patterns) {
  patterns.add<DotLowering>(converter, target);
}
