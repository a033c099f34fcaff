// Lowers most scalar ops of a kernel: thousands of additions, multiplications
// and comparisons, one per register of a tile. Each has one LLVM op with the
// same operands. A plain walk converts them several times faster than the
// dialect conversion (benchmarks/notes/compile-time.md).

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ARITHMETIC_PLAINARITHMETIC_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ARITHMETIC_PLAINARITHMETIC_H

#include "mlir/IR/BuiltinOps.h"

namespace tilewright {

/// Replaces arithmetic on LLVM's floats and integers that one LLVM op computes,
/// and functions that one instruction approximates. The patterns lower the
/// rest, such as divisions, `index` and other types.
void convertPlainArithmetic(mlir::ModuleOp module);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ARITHMETIC_PLAINARITHMETIC_H
