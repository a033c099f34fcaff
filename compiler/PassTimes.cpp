#include "compiler/PassTimes.h"

#include "mlir/Pass/Pass.h"

#include <optional>

using namespace mlir;
using namespace tilewright;

namespace {
/// Contexts that compile have no threads, so passes run one after the other.
class PassTimesInstrumentation final : public PassInstrumentation {
public:
  PassTimesInstrumentation(llvm::StringRef stage, PhaseTimes &times)
      : stage(stage), times(times) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (depth++ == 0) {
      name =
          (pass->getArgument().empty() ? pass->getName() : pass->getArgument())
              .str();
      timer.emplace(&times, stage, name);
    }
  }
  void runAfterPass(Pass *pass, Operation *op) override { end(); }
  void runAfterPassFailed(Pass *pass, Operation *op) override { end(); }

private:
  void end() {
    if (--depth == 0)
      timer.reset();
  }

  std::string stage, name;
  PhaseTimes &times;
  unsigned depth = 0;
  std::optional<PhaseTimer> timer;
};
} // namespace

std::unique_ptr<PassInstrumentation>
tilewright::createPassTimes(llvm::StringRef stage, PhaseTimes &times) {
  return std::make_unique<PassTimesInstrumentation>(stage, times);
}
