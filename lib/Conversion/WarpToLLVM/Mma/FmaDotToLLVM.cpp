// Products that no tensor core computes: each thread multiplies and adds for
// its own elements of the result, with what its registers hold of the operands.
// See ThreadDot.h for how that gets there.

#include "lib/Conversion/WarpToLLVM/Arithmetic/CastEmission.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpTypes.h"
#include "lib/Analysis/Mma/ThreadDot.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tilewright;

namespace {

/// The registers of a thread by the element that thread 0 holds in them.
/// Layouts are linear, so what two registers have in common there they have
/// everywhere.
class RegisterTable {
public:
  explicit RegisterTable(const LinearLayout &layout) : rank(layout.getRank()) {
    for (unsigned reg = 0, e = layout.getInSize(LayoutAxis::Register); reg < e;
         ++reg)
      table.try_emplace(
          getKey(layout.getElement({{LayoutAxis::Register, reg}})), reg);
  }

  unsigned lookup(ArrayRef<int64_t> place) const {
    return table.lookup(getKey(place));
  }

private:
  /// The place in the batch (0 without one), the row and the column.
  std::tuple<int64_t, int64_t, int64_t> getKey(ArrayRef<int64_t> place) const {
    return {rank == 3 ? place[0] : 0, place[rank - 2], place[rank - 1]};
  }

  unsigned rank;
  DenseMap<std::tuple<int64_t, int64_t, int64_t>, unsigned> table;
};

} // namespace

/// The elements of an operand in the accumulator's type.
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
                             Value sum) {
  if (isa<IntegerType>(sum.getType()))
    return LLVM::AddOp::create(b, LLVM::MulOp::create(b, x, y), sum);
  return LLVM::FMAOp::create(b, x, y, sum);
}

/// acc += a . b in the registers of a thread, which hold what its elements
/// need.
static void emitDot(ImplicitLocOpBuilder &b, const LinearLayout &accLayout,
                    const LinearLayout &aLayout, const LinearLayout &bLayout,
                    ArrayRef<Value> lhs, ArrayRef<Value> rhs,
                    SmallVectorImpl<Value> &acc) {
  RegisterTable tableA(aLayout), tableB(bLayout);
  const unsigned rank = accLayout.getRank();
  int64_t depth = aLayout.getShape().back();
  for (int64_t k = 0; k < depth; ++k)
    for (auto [reg, sum] : llvm::enumerate(acc)) {
      SmallVector<int64_t> inA =
          accLayout.getElement({{LayoutAxis::Register, reg}});
      SmallVector<int64_t> inB(inA);
      inA[rank - 1] = inB[rank - 2] = k;
      sum = emitMultiplyAdd(b, lhs[tableA.lookup(inA)], rhs[tableB.lookup(inB)],
                            sum);
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
