#include "test/lib/TestPasses.h"

#include "lib/Analysis/Memory/TmaAccess.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct TestTmaAccess : PassWrapper<TestTmaAccess, OperationPass<tile::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestTmaAccess)

  StringRef getArgument() const final { return "test-tma-access"; }
  StringRef getDescription() const final {
    return "show which accesses through descriptors TMA performs, and why not";
  }

  void runOnOperation() override {
    constexpr int64_t kNumWarps = 4;
    const NvidiaTarget target{90, /*archSpecific=*/true};
    SmallVector<TmaObstacle> obstacles;
    for (tile::DescriptorLoadOp load :
         findTmaLoads(getOperation(), kNumWarps, target, obstacles))
      load.emitRemark("copied by TMA");
    for (TmaStore store : findTmaStores(getOperation(), target, obstacles))
      store.op.emitRemark(store.asks ? "stored by TMA, checks rows at run time"
                                     : "stored by TMA, whole rows");
    for (const TmaObstacle &obstacle : obstacles)
      obstacle.op->emitRemark(obstacle.reason);
  }
};

} // namespace

void test::registerTestTmaAccess() { PassRegistration<TestTmaAccess>(); }
