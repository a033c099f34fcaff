#include "test/lib/TestPasses.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Facts/IntegerRanges.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct TestIntegerRanges
    : PassWrapper<TestIntegerRanges, OperationPass<tile::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestIntegerRanges)

  StringRef getArgument() const final { return "test-integer-ranges"; }
  StringRef getDescription() const final {
    return "show the ranges of operands of tile.print";
  }

  void runOnOperation() override {
    IntegerRanges ranges;
    getOperation().walk([&](tile::PrintOp print) {
      for (Value value : print.getValues()) {
        IntegerRange range = ranges.get(value);
        print.emitRemark() << print.getPrefix() << '[' << range.least << ", "
                           << range.most << ']';
      }
    });
  }
};

} // namespace

void test::registerTestIntegerRanges() {
  PassRegistration<TestIntegerRanges>();
}
