#include "test/lib/TestPasses.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Facts/AxisInfo.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct TestAxisInfo : PassWrapper<TestAxisInfo, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestAxisInfo)

  StringRef getArgument() const final { return "test-axis-info"; }
  StringRef getDescription() const final {
    return "show the facts about operands of tile.print and the vectors of "
           "accesses";
  }

  void runOnOperation() override {
    AxisInfoAnalysis axes(getOperation());
    getOperation()->walk([&](Operation *op) {
      if (auto print = dyn_cast<tile::PrintOp>(op))
        for (Value value : print.getValues())
          print.emitRemark() << print.getPrefix() << toString(axes.get(value));
      if (auto load = dyn_cast<tile::LoadOp>(op))
        showVectors(op, axes, load.getPtr(), load.getMask());
      if (auto store = dyn_cast<tile::StoreOp>(op))
        showVectors(op, axes, store.getPtr(), store.getMask());
    });
  }

  static std::string toString(const AxisInfo &info) {
    std::string text;
    llvm::raw_string_ostream os(text);
    info.print(os);
    return text;
  }

  static void showVectors(Operation *op, const AxisInfoAnalysis &axes,
                          Value ptr, Value mask) {
    auto type = dyn_cast<RankedTensorType>(ptr.getType());
    if (!type)
      return;
    InFlightDiagnostic remark = op->emitRemark("vectors of ");
    llvm::interleaveComma(llvm::seq(type.getRank()), remark, [&](int64_t d) {
      remark << axes.getVectorSize(ptr, mask, d);
    });
  }
};

} // namespace

void test::registerTestAxisInfo() { PassRegistration<TestAxisInfo>(); }
