#include "test/lib/TestPasses.h"

#include "lib/Analysis/Memory/WrittenArguments.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct TestWrittenArguments
    : PassWrapper<TestWrittenArguments, OperationPass<tile::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestWrittenArguments)

  StringRef getArgument() const final { return "test-written-arguments"; }
  StringRef getDescription() const final {
    return "show the arguments through which a function may write";
  }

  void runOnOperation() override {
    llvm::BitVector written = findWrittenArguments(getOperation());
    InFlightDiagnostic remark = getOperation().emitRemark("writes:");
    for (unsigned index : written.set_bits())
      remark << ' ' << index;
  }
};

} // namespace

void test::registerTestWrittenArguments() {
  PassRegistration<TestWrittenArguments>();
}
