#include "test/lib/TestPasses.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Memory/GlobalHazards.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct TestGlobalHazards
    : PassWrapper<TestGlobalHazards, OperationPass<tile::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestGlobalHazards)

  StringRef getArgument() const final { return "test-global-hazards"; }
  StringRef getDescription() const final {
    return "show which earlier accesses to global memory need a barrier before "
           "an access";
  }

  /// Numbers the accesses in the order of the text. Each one is compared with
  /// the earlier ones, and with those of the previous iteration of its loop.
  void runOnOperation() override {
    GlobalHazards hazards(getOperation());
    SmallVector<Operation *> accesses;
    getOperation().walk([&](Operation *op) {
      if (accessesGlobalMemory(op))
        accesses.push_back(op);
    });
    for (auto [number, op] : llvm::enumerate(accesses))
      for (auto [other, earlier] : llvm::enumerate(accesses)) {
        GlobalUse use{earlier, nullptr, {}};
        if (other < number)
          show(op, other, "", hazards.getDisjointCondition(use, op));
        Operation *loop = op->getParentOfType<LoopLikeOpInterface>();
        if (!loop || !loop->isAncestor(earlier))
          continue;
        if (std::optional<GlobalUse> around = carryAround(use, loop))
          show(op, other, " of the previous iteration",
               hazards.getDisjointCondition(*around, op));
      }
  }

  static void show(Operation *op, size_t earlier, StringRef when,
                   const std::optional<DisjointCondition> &condition) {
    StringRef barrier = !condition           ? "always"
                        : condition->empty() ? "never"
                                             : "if rows overlap";
    op->emitRemark("after access ") << earlier << when << ": " << barrier;
  }
};

} // namespace

void test::registerTestGlobalHazards() {
  PassRegistration<TestGlobalHazards>();
}
