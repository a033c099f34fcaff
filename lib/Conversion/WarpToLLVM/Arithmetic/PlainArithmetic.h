// The bulk of a kernel's scalars: thousands of sums, products and comparisons,
// one for each register of a tile. Each has one LLVM op of the same operands,
// which a walk finds in a third of the time of the conversion that knows every
// op.

#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tilewright {

/// Replaces arithmetic on floats and integers that LLVM has, where one op of
/// LLVM does the same, and functions that one instruction approximates. What is
/// left, such as divisions, `index`, and what is computed in other types, is
/// for the patterns.
void convertPlainArithmetic(mlir::ModuleOp module);

} // namespace tilewright
