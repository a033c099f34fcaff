#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_PASSES_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tilewright {

#define GEN_PASS_DECL
#include "lib/Conversion/WarpToLLVM/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Conversion/WarpToLLVM/Passes.h.inc"

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_PASSES_H
