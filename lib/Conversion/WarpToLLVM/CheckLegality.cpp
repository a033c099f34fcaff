// LLVM aborts on an op that it cannot select. This pass reports an error for
// every op that is not known to be selectable.

#include "lib/Conversion/WarpToLLVM/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringSet.h"

namespace tilewright {
#define GEN_PASS_DEF_CHECKNVIDIALEGALITY
#include "lib/Conversion/WarpToLLVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

/// Whether the NVPTX code generator selects the intrinsic for every scalar type
/// that kernels use.
static bool isSelectableIntrinsic(StringRef name) {
  static const llvm::StringSet<> selectable = {
      "abs",        "assume",
      "bitreverse", "bswap",
      "ceil",       "copysign",
      "ctlz",       "ctpop",
      "cttz",       "fabs",
      "floor",      "fma",
      "fmuladd",    "fshl",
      "fshr",       "is.fpclass",
      "maximum",    "maxnum",
      "minimum",    "minnum",
      "rint",       "round",
      "roundeven",  "smax",
      "smin",       "uadd.with.overflow",
      "sqrt",       "trap",
      "trunc",      "umax",
      "umin"};
  return selectable.contains(name);
}

/// Whether the driver or the math library, whose names are all mangled, defines
/// the function.
static bool isProvided(StringRef name) {
  return name == "vprintf" || name == "__assertfail" || name.starts_with("_Z");
}

static LogicalResult checkCall(LLVM::CallOp call) {
  std::optional<StringRef> callee = call.getCallee();
  if (!callee)
    return call.emitOpError(
        "calls through a pointer, which a GPU kernel cannot");
  auto function = SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(
      call, call.getCalleeAttr());
  if (!function || (function.isExternal() && !isProvided(*callee)))
    return call.emitOpError("calls '") << *callee << "', which is not defined";
  return success();
}

static LogicalResult check(Operation *op) {
  if (isa<ModuleOp>(op))
    return success();
  if (!isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()))
    return op->emitError("'")
           << op->getName() << "' cannot be compiled for NVIDIA GPUs here";
  if (auto call = dyn_cast<LLVM::CallOp>(op))
    return checkCall(call);
  if (isa<LLVM::FRemOp>(op))
    return op->emitError("a floating-point remainder of ")
           << op->getResult(0).getType() << " has no code on NVIDIA GPUs";
  StringRef name = op->getName().stripDialect();
  if (name.consume_front("intr.") && !isSelectableIntrinsic(name))
    return op->emitError("'") << name << "' of " << op->getResultTypes()
                              << " has no code on NVIDIA GPUs";
  return success();
}

namespace {

struct CheckNvidiaLegality
    : tilewright::impl::CheckNvidiaLegalityBase<CheckNvidiaLegality> {
  void runOnOperation() override {
    bool legal = true;
    getOperation().walk([&](Operation *op) { legal &= succeeded(check(op)); });
    if (!legal)
      signalPassFailure();
  }
};

} // namespace
