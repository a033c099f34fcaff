#include "test/lib/TestPasses.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Facts/ProgramVariation.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct TestProgramVariation
    : PassWrapper<TestProgramVariation, OperationPass<tile::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestProgramVariation)

  StringRef getArgument() const final { return "test-program-variation"; }
  StringRef getDescription() const final {
    return "show how stored values differ between neighbouring programs";
  }

  void runOnOperation() override {
    ProgramVariation variation;
    getOperation().walk([&](tile::StoreOp store) {
      constexpr StringRef names[] = {"never", "seldom", "often"};
      store.emitRemark(names[unsigned(variation.get(store.getValue()))]);
    });
  }
};

} // namespace

void test::registerTestProgramVariation() {
  PassRegistration<TestProgramVariation>();
}
