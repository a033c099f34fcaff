#include "test/lib/TestPasses.h"

#include "dialect/Warp/WarpDialect.h"
#include "lib/Analysis/Layout/LayoutAssignment.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct TestLayoutAssignment
    : PassWrapper<TestLayoutAssignment, OperationPass<tile::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestLayoutAssignment)

  StringRef getArgument() const final { return "test-layout-assignment"; }
  StringRef getDescription() const final {
    return "show the layouts of loaded and stored tiles and of operands of "
           "tile.print";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<warp::WarpDialect>();
  }

  void runOnOperation() override {
    constexpr int64_t kNumWarps = 4;
    const NvidiaTarget target{80, /*archSpecific=*/false};
    StagedVectors rows;
    LayoutAssignment layouts(getOperation(), kNumWarps, target, rows);
    getOperation().walk([&](Operation *op) {
      if (auto print = dyn_cast<tile::PrintOp>(op))
        for (OpOperand &use : print->getOpOperands())
          showOperand(use, print.getPrefix(), layouts);
      if (auto load = dyn_cast<tile::LoadOp>(op))
        show(op, layouts.isAnchored(op) ? "anchored: " : "free: ",
             layouts.getLayout(load.getResult()));
      if (auto store = dyn_cast<tile::StoreOp>(op))
        showOperand(store.getValueMutable(), "stored: ", layouts);
    });
  }

  static void showOperand(OpOperand &use, StringRef title,
                          const LayoutAssignment &layouts) {
    warp::LinearAttr layout = layouts.getLayout(use.get());
    warp::LinearAttr demand = layouts.getDemand(use);
    show(use.getOwner(), title, layout);
    if (demand != layout)
      show(use.getOwner(), "converted to ", demand);
  }

  static void show(Operation *op, StringRef title, warp::LinearAttr layout) {
    op->emitRemark(title) << layout;
  }
};

} // namespace

void test::registerTestLayoutAssignment() {
  PassRegistration<TestLayoutAssignment>();
}
