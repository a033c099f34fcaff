#include "test/lib/TestPasses.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Facts/NonNegative.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct TestNonNegative
    : PassWrapper<TestNonNegative, OperationPass<tile::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestNonNegative)

  StringRef getArgument() const final { return "test-non-negative"; }
  StringRef getDescription() const final {
    return "show the sizes and limits among the arguments, and which operands "
           "of tile.print are proved to be non-negative";
  }

  void runOnOperation() override {
    tile::FuncOp func = getOperation();
    AffineTileAnalysis tiles;
    llvm::DenseSet<Value> sizes = findSizes(func, tiles);
    showArguments("sizes:", sizes);
    showArguments("limits:", findLimits(func, tiles));
    auto isSize = [&](Value value) { return sizes.contains(value); };
    func.walk([&](tile::PrintOp print) {
      for (Value value : print.getValues())
        print.emitRemark() << print.getPrefix()
                           << (isNonNegative(value, isSize) ? "non-negative"
                                                            : "unknown");
    });
  }

  void showArguments(StringRef title, const llvm::DenseSet<Value> &values) {
    InFlightDiagnostic remark = getOperation().emitRemark(title) << " [";
    auto sizes = llvm::make_filter_range(
        getOperation().getArguments(),
        [&](BlockArgument argument) { return values.contains(argument); });
    llvm::interleaveComma(sizes, remark, [&](BlockArgument argument) {
      remark << argument.getArgNumber();
    });
    remark << ']';
  }
};

} // namespace

void test::registerTestNonNegative() { PassRegistration<TestNonNegative>(); }
