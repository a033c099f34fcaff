// The pass: tiles to registers, loops to branches, scalars to LLVM.

#include "lib/Analysis/Facts/AxisInfo.h"
#include "lib/Analysis/Facts/RepeatedRegisters.h"
#include "lib/Analysis/Memory/AccessWidths.h"
#include "lib/Conversion/LoopToBranches.h"
#include "lib/Conversion/WarpToLLVM/Arithmetic/PlainArithmetic.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Passes.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Tile/TileDialect.h"
#include "dialect/Warp/WarpOps.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tilewright {
#define GEN_PASS_DEF_CONVERTWARPTOLLVM
#include "lib/Conversion/WarpToLLVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

/// Converts tiles to registers; scalar arithmetic and structured loops remain.
static LogicalResult convertTiles(ModuleOp module, const NvidiaTarget &target) {
  if (failed(dropReleasesOfCopies(module)))
    return failure();
  MLIRContext *context = module.getContext();
  AxisInfoAnalysis analysis(module);
  AccessWidths widths(module, analysis);
  RepeatedRegisters repeated(module, analysis);
  CastRanges ranges = findCastRanges(module);
  WarpTypeConverter converter(context);
  RewritePatternSet patterns(context);
  ConversionTarget legality(*context);
  populateElementwiseToLLVM(converter, target, repeated, patterns);
  populateCastToLLVM(converter, target, repeated, ranges, patterns);
  populateShapeToLLVM(converter, patterns);
  populateMemoryToLLVM(converter, widths, repeated, patterns);
  populateAtomicToLLVM(converter, target, widths, patterns);
  populateDebugToLLVM(converter, target, patterns);
  populateReduceToLLVM(converter, patterns);
  populateScanToLLVM(converter, patterns);
  populateGatherToLLVM(converter, patterns);
  populateHistogramToLLVM(converter, patterns);
  populateInlineAsmToLLVM(converter, patterns);
  populateMapToLLVM(converter, patterns);
  populateConvertLayoutToLLVM(converter, target, patterns);
  populateMmaToLLVM(converter, target, patterns);
  populateWgmmaToLLVM(converter, target, patterns);
  populatePinnedAccumulatorsToLLVM(converter, patterns);
  populateFmaDotToLLVM(converter, target, patterns);
  populateSharedTileToLLVM(converter, target, patterns);
  populateRingToLLVM(converter, patterns);
  populateRingCopyToLLVM(converter, patterns);
  populateRingScalarToLLVM(converter, patterns);
  populateClusterToLLVM(converter, patterns);
  populateTmaStoreToLLVM(converter, patterns);
  populateMapMemoryToLLVM(converter, patterns);
  populateTensorMapToLLVM(converter, patterns);
  populatePingPongToLLVM(converter, patterns);
  populateProgramToLLVM(converter, patterns);
  populateTicketToLLVM(converter, patterns);
  populateLaunchToLLVM(converter, target, patterns);
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                       legality);
  legality.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
  legality.addIllegalDialect<tile::TileDialect, warp::WarpDialect>();
  legality.addLegalOp<ModuleOp, UnrealizedConversionCastOp, warp::SpecializeOp,
                      warp::RoleEndOp>();
  legality.addDynamicallyLegalDialect<arith::ArithDialect, math::MathDialect>(
      [&](Operation *op) {
        return converter.isLegal(op) && !castsThroughOddF32(op, target);
      });
  return applyPartialConversion(module, legality, std::move(patterns));
}

static LogicalResult convertLoops(ModuleOp module) {
  lowerRoles(module);
  // Loops with constant steps, such as the main loops of matmuls, have bounds
  // far from the limits of their type.
  return lowerToBranches(module, CheckedSteps::NotConstant);
}

static LogicalResult convertScalars(ModuleOp module, bool usesWgmma) {
  convertPlainArithmetic(module);
  MLIRContext *context = module.getContext();
  LLVMTypeConverter converter(context);
  RewritePatternSet patterns(context);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateDivisionToLLVM(converter, /*withoutCalls=*/usesWgmma, patterns);
  if (usesWgmma)
    populateCallFreeToLLVM(converter, patterns);
  populateRemainderToLLVM(converter, patterns);
  populateMathToLLVM(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  LLVMConversionTarget legality(*context);
  legality.addLegalDialect<NVVM::NVVMDialect>();
  legality.addLegalOp<ModuleOp, UnrealizedConversionCastOp>();
  // The conversion tests the legality of each op that it gets, and most are
  // legal already: pass only the others.
  SmallVector<Operation *> others;
  module.walk([&](Operation *op) {
    if (!isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()) &&
        op != module)
      others.push_back(op);
  });
  return applyPartialConversion(others, legality, std::move(patterns));
}

/// Whether `op` is a call, or becomes one in the assembler.
static bool isCall(Operation *op) {
  if (isa<LLVM::FDivOp, LLVM::SqrtOp>(op))
    return op->getResult(0).getType().isF64();
  auto call = dyn_cast<LLVM::CallOp>(op);
  // Calls of debug mode are known to cost and are not reported.
  return isa<LLVM::FRemOp>(op) ||
         (call && call.getCallee() && !call.getResultTypes().empty() &&
          !call.getAlwaysInline() && call.getCallee() != "vprintf");
}

/// Reports the lines whose calls slow down the wgmmas of a kernel.
static void remarkCalls(ModuleOp module) {
  module.walk<WalkOrder::PreOrder>([](Operation *op) {
    // The calls in an inlined function are reported at its call sites.
    if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
      return function.getAlwaysInline() ? WalkResult::skip()
                                        : WalkResult::advance();
    if (isCall(op))
      remark::missed(op->getLoc(), remark::RemarkOpts::name("Call").category(
                                       "convert-warp-to-llvm"))
          << remark::add("a call, which makes the assembler serialise every "
                         "wgmma of the kernel");
    return WalkResult::advance();
  });
}

namespace {

struct ConvertWarpToLLVM
    : tilewright::impl::ConvertWarpToLLVMBase<ConvertWarpToLLVM> {
  using ConvertWarpToLLVMBase::ConvertWarpToLLVMBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    NvidiaTarget target{computeCapability, archSpecific};
    bool usesWgmma =
        module.walk([](warp::WgmmaOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    mergeWaits(module);
    declareSharedMemory(module);
    if (failed(convertTiles(module, target)) || failed(convertLoops(module)) ||
        failed(convertScalars(module, usesWgmma)))
      return signalPassFailure();
    if (usesWgmma)
      remarkCalls(module);
    eraseUnusedSharedMemory(module);
  }
};

} // namespace
