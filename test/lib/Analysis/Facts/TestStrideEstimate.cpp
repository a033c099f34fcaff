#include "test/lib/TestPasses.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Facts/StrideEstimate.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct TestStrideEstimate
    : PassWrapper<TestStrideEstimate, OperationPass<tile::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestStrideEstimate)

  StringRef getArgument() const final { return "test-stride-estimate"; }
  StringRef getDescription() const final {
    return "show the estimated strides of operands of tile.print and of "
           "pointers of loads";
  }

  void runOnOperation() override {
    AxisInfoAnalysis axes(getOperation());
    StrideEstimate strides(axes);
    getOperation().walk([&](Operation *op) {
      if (auto print = dyn_cast<tile::PrintOp>(op))
        for (Value value : print.getValues())
          show(print, print.getPrefix(), value, strides);
      if (auto load = dyn_cast<tile::LoadOp>(op))
        show(load, "pointers: ", load.getPtr(), strides);
    });
  }

  static void show(Operation *op, StringRef title, Value tile,
                   StrideEstimate &strides) {
    InFlightDiagnostic remark = op->emitRemark(title);
    remark << '[';
    auto type = cast<RankedTensorType>(tile.getType());
    llvm::interleaveComma(llvm::seq(type.getRank()), remark, [&](int64_t dim) {
      int64_t step = strides.get(tile, dim);
      if (step == StrideEstimate::kAnywhere)
        remark << "anywhere";
      else if (step >= StrideEstimate::kFar)
        remark << "unknown from " << StrideEstimate::getLeast(step);
      else
        remark << step;
    });
    remark << ']';
  }
};

} // namespace

void test::registerTestStrideEstimate() {
  PassRegistration<TestStrideEstimate>();
}
