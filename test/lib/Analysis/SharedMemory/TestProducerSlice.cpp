#include "test/lib/TestPasses.h"

#include "lib/Analysis/SharedMemory/ProducerSlice.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct TestProducerSlice
    : PassWrapper<TestProducerSlice, OperationPass<tile::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestProducerSlice)

  StringRef getArgument() const final { return "test-producer-slice"; }
  StringRef getDescription() const final {
    return "show what a producer of all descriptor loads executes, or why "
           "there is none";
  }

  void runOnOperation() override {
    SmallVector<tile::DescriptorLoadOp> loads;
    getOperation().walk(
        [&](tile::DescriptorLoadOp load) { loads.push_back(load); });
    ProducerSlice slice(getOperation(), loads);
    if (Operation *obstacle = slice.getObstacleOp()) {
      obstacle->emitRemark(slice.getObstacle());
      return;
    }
    getOperation().walk([&](Operation *op) {
      if (slice.isForwarded(op))
        op->emitRemark("forwarded by the consumers");
      else if (slice.keeps(op) && !op->hasTrait<OpTrait::ConstantLike>())
        op->emitRemark("executed by the producer");
    });
  }
};

} // namespace

void test::registerTestProducerSlice() {
  PassRegistration<TestProducerSlice>();
}
