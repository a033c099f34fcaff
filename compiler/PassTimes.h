// Measuring passes.

#pragma once

#include "lib/Target/PhaseTimes.h"

#include "mlir/Pass/PassInstrumentation.h"

#include <memory>

namespace tilewright {

/// Adds an entry to `times` for each pass that a pass manager runs on the way
/// to `stage`. Passes that another one runs count as part of it.
std::unique_ptr<mlir::PassInstrumentation>
createPassTimes(llvm::StringRef stage, PhaseTimes &times);

} // namespace tilewright
