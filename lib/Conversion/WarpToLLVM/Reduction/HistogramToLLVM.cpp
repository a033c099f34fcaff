// Histograms: counters in shared memory, to which all threads add.

#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Memory/SharedTransfer.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Layout/TileLayouts.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tilewright;

namespace {

constexpr unsigned kCountBytes = 4;

struct HistogramLowering : ConvertOpToLLVMPattern<tile::HistogramOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(tile::HistogramOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<int64_t> offset = getSharedOffset(op);
    if (failed(offset))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value base = emitSharedAddress(b, *offset);
    SharedTransfer counts(b, getLayoutOrScalar(op.getType()),
                          sharedLayout(op.getType().getShape(), {0}),
                          b.getI32Type(), kCountBytes, base);
    counts.store(
        SmallVector<Value>(getNumRegisters(op.getType()), emitI32(b, 0)));
    emitBarrier(b);
    emitCounts(b, op, adaptor, base);
    emitBarrier(b);
    rewriter.replaceOpWithMultiple(op, {counts.load()});
    return success();
  }

private:
  /// Counts each element once, also if several registers hold copies of it.
  static void emitCounts(ImplicitLocOpBuilder &b, tile::HistogramOp op,
                         OneToNOpAdaptor adaptor, Value base) {
    LinearLayout layout = getLayoutOrScalar(op.getSource().getType());
    Value owner = emitIsOwner(b, layout);
    Value size = emitI32(b, op.getType().getDimSize(0));
    for (auto [reg, number] : llvm::enumerate(adaptor.getSource())) {
      if (!isOwnerRegister(layout, reg))
        continue;
      Value isCounted =
          LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, number, size);
      if (op.getMask())
        isCounted = LLVM::AndOp::create(b, isCounted, adaptor.getMask()[reg]);
      if (owner)
        isCounted = LLVM::AndOp::create(b, isCounted, owner);
      Value byte = LLVM::MulOp::create(b, number, emitI32(b, kCountBytes));
      InlinePtx ptx(b);
      std::string condition = ptx.predicate(isCounted);
      ptx.emit(condition + "red.shared.add.u32 [" +
                   ptx.in(emitByteOffset(b, base, byte)) + "], 1;",
               /*sideEffects=*/true);
    }
  }
};

} // namespace

void tilewright::populateHistogramToLLVM(const WarpTypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<HistogramLowering>(converter);
}
