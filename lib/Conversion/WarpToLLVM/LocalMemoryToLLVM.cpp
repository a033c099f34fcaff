// Tiles in shared memory: a handle is the address where the tile starts.

#include "lib/Conversion/WarpToLLVM/Patterns.h"
#include "lib/Conversion/WarpToLLVM/SharedMemory.h"
#include "lib/Conversion/WarpToLLVM/SharedTile.h"
#include "lib/Conversion/WarpToLLVM/ThreadIndices.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Support/LayoutInference.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tilewright;

namespace {

/// One tile in registers and the tile in shared memory it goes to or comes
/// from.
class Transfer {
public:
  Transfer(ImplicitLocOpBuilder &b, Type tile, warp::SharedType memory,
           Type element, Value base)
      : b(b), full(getLayoutOrScalar(tile)),
        registers(full.dropRedundantBits(LayoutAxis::Register)),
        access(getSharedAccess(registers, memory.getLayout().getLayout(),
                               warp::getElementBytes(memory.getElementType()))),
        shared(b, access, registers.getTotalOutBits(), element, base) {}

  void store(ValueRange values) {
    std::optional<LinearLayout> map = registerMap(full, registers);
    shared.store(/*round=*/0, select(*map, values), emitIsOwner(b, registers));
  }

  SmallVector<Value> load() {
    SmallVector<Value> values(registers.getInSize(LayoutAxis::Register));
    shared.load(/*round=*/0, values);
    std::optional<LinearLayout> map = registerMap(registers, full);
    return select(*map, values);
  }

private:
  /// Both layouts differ in copies only, so there always is a map.
  static SmallVector<Value> select(const LinearLayout &map, ValueRange values) {
    SmallVector<Value> selected;
    for (unsigned reg = 0, e = map.getInSize(LayoutAxis::Register); reg < e;
         ++reg)
      selected.push_back(values[map.applyFlat(reg)]);
    return selected;
  }

  ImplicitLocOpBuilder &b;
  LinearLayout full, registers;
  SharedAccess access;
  SharedTile shared;
};

struct AllocLowering : ConvertOpToLLVMPattern<warp::AllocOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::AllocOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<int64_t> offset = getSharedOffset(op);
    if (failed(offset))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value base = emitSharedAddress(b, *offset);
    if (Value source = op.getSource())
      Transfer(b, source.getType(), op.getType(),
               adaptor.getSource()[0].getType(), base)
          .store(adaptor.getSource());
    rewriter.replaceOp(op, base);
    return success();
  }
};

struct LocalLoadLowering : ConvertOpToLLVMPattern<warp::LocalLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::LocalLoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type element = getTypeConverter()->convertType(
        getElementTypeOrSelf(op.getResult().getType()));
    Transfer transfer(b, op.getResult().getType(), op.getMemory().getType(),
                      element, adaptor.getMemory()[0]);
    rewriter.replaceOpWithMultiple(op, {transfer.load()});
    return success();
  }
};

struct LocalStoreLowering : ConvertOpToLLVMPattern<warp::LocalStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::LocalStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Transfer(b, op.getSource().getType(), op.getMemory().getType(),
             adaptor.getSource()[0].getType(), adaptor.getMemory()[0])
        .store(adaptor.getSource());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilewright::populateLocalMemoryToLLVM(const WarpTypeConverter &converter,
                                           RewritePatternSet &patterns) {
  patterns.add<AllocLowering, LocalLoadLowering, LocalStoreLowering>(converter);
}
