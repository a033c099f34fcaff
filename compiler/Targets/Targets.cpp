// The list of back ends. A new one is added here and in one file beside this.

#include "compiler/Targets/Targets.h"

#include "compiler/Driver.h"

llvm::ArrayRef<const tilewright::Target *> tilewright::getTargets() {
  static const Target *const targets[] = {&getCpuTarget()};
  return targets;
}
