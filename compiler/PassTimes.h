// Measures the times of passes.

#ifndef TILEWRIGHT_COMPILER_PASSTIMES_H
#define TILEWRIGHT_COMPILER_PASSTIMES_H

#include "lib/Target/PhaseTimes.h"

#include "mlir/Pass/PassInstrumentation.h"

#include <memory>

namespace tilewright {

/// Adds an entry to `times` for each pass that runs for `stage`. Nested passes
/// count as part of the outer one.
std::unique_ptr<mlir::PassInstrumentation>
createPassTimes(llvm::StringRef stage, PhaseTimes &times);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_PASSTIMES_H
