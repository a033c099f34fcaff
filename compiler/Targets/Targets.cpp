// The list of back ends. A new one is added here and in one file beside this.

#include "compiler/Targets/Targets.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

llvm::ArrayRef<const tilewright::Target *> tilewright::getTargets() {
  static const Target *const targets[] = {&getCpuTarget(), &getNvidiaTarget()};
  return targets;
}

LogicalResult
tilewright::runPipeline(ModuleOp module,
                        llvm::function_ref<void(OpPassManager &)> build) {
  PassManager manager(module.getContext());
  build(manager);
  return manager.run(module);
}
