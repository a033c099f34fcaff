#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_PASSES_H
#define TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tilewright::cpu {

#define GEN_PASS_DECL_CONVERTTILETOVECTOR
#define GEN_PASS_REGISTRATION
#include "lib/Conversion/TileToVector/Passes.h.inc"

} // namespace tilewright::cpu

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_PASSES_H
