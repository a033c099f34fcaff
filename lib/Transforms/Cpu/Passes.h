#ifndef TILEWRIGHT_LIB_TRANSFORMS_CPU_PASSES_H
#define TILEWRIGHT_LIB_TRANSFORMS_CPU_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace tilewright::cpu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Cpu/Passes.h.inc"

} // namespace tilewright::cpu

#endif // TILEWRIGHT_LIB_TRANSFORMS_CPU_PASSES_H
