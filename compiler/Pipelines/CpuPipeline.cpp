#include "compiler/Pipelines/CpuPipeline.h"

#include "compiler/Pipelines/Canonicalize.h"

#include "lib/Conversion/TileToVector/Passes.h"
#include "lib/Transforms/Cpu/Passes.h"
#include "lib/Transforms/Tile/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tilewright {

static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
}

static void addLLVMConversions(OpPassManager &pm) {
  pm.addPass(arith::createArithExpandOpsPass());
  pm.addPass(cpu::createLowerControlFlow());
  // Before vectors are lowered: it unrolls functions that have no LLVM
  // intrinsic.
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void buildCpuPipeline(OpPassManager &pm, const CpuOptions &options) {
  pm.addPass(tile::createTileExpandDescriptors());
  addCleanup(pm);
  pm.addPass(tile::createTileHoistInvariants());
  pm.addPass(cpu::createScalarizeLoopOffsets());
  addCleanup(pm);
  cpu::ConvertTileToVectorOptions vectors;
  vectors.vectorBits = options.vectorBits;
  pm.addPass(cpu::createConvertTileToVector(vectors));
  addCleanup(pm);
  pm.addPass(tile::createTileHoistInvariants());
  pm.addPass(tile::createTileGuardDivisions());
  cpu::ExpandVectorMathOptions math;
  math.vectorBits = options.vectorBits;
  pm.addPass(cpu::createExpandVectorMath(math));
  addCleanup(pm);
  addLLVMConversions(pm);
  addCleanup(pm);
}

void registerCpuPipeline() {
  PassPipelineRegistration<CpuOptions>(
      "cpu-pipeline", "lowers tile kernels to the LLVM dialect for the host",
      buildCpuPipeline);
}

} // namespace tilewright
