#include "test/lib/TestPasses.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/SharedMemory/RingUses.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct TestRingUses : PassWrapper<TestRingUses, OperationPass<tile::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestRingUses)

  StringRef getArgument() const final { return "test-ring-uses"; }
  StringRef getDescription() const final {
    return "show the rings whose slots are unused from a warp.alloc on";
  }

  void runOnOperation() override {
    SmallVector<RingUses> rings;
    getOperation().walk([&](warp::RingOp ring) { rings.emplace_back(ring); });
    getOperation().walk([&](warp::AllocOp alloc) {
      InFlightDiagnostic remark = alloc.emitRemark("unused rings: [");
      llvm::interleaveComma(
          llvm::make_filter_range(
              llvm::seq(rings.size()),
              [&](size_t i) { return rings[i].areDoneBefore(alloc); }),
          remark, [&](size_t i) { remark << i; });
      remark << ']';
    });
  }
};

} // namespace

void test::registerTestRingUses() { PassRegistration<TestRingUses>(); }
