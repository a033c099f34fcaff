#include "compiler/Registration.h"

#include "compiler/Pipelines/Canonicalize.h"
#include "compiler/Pipelines/CpuPipeline.h"
#include "compiler/Pipelines/NvidiaPipeline.h"
#include "compiler/Pipelines/TilePipeline.h"
#include "dialect/Tile/TileDialect.h"
#include "dialect/Warp/WarpDialect.h"
#include "lib/Conversion/TileToVector/Passes.h"
#include "lib/Conversion/TileToWarp/Passes.h"
#include "lib/Conversion/WarpToLLVM/Passes.h"
#include "lib/Transforms/Cpu/Passes.h"
#include "lib/Transforms/Tile/Passes.h"
#include "lib/Transforms/TileGpu/Passes.h"
#include "lib/Transforms/Warp/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// Registers interface implementations that upstream dialects keep in separate
/// libraries.
static void registerUpstreamInterfaces(DialectRegistry &registry) {
  func::registerInlinerExtension(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

void tilewright::registerDialects(DialectRegistry &registry) {
  registry.insert<tile::TileDialect, warp::WarpDialect>();
  registry
      .insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
              index::IndexDialect, LLVM::LLVMDialect, math::MathDialect,
              NVVM::NVVMDialect, scf::SCFDialect, tensor::TensorDialect,
              ub::UBDialect, vector::VectorDialect>();
  registerUpstreamInterfaces(registry);
  registerCanonicalizer(registry);
}

void tilewright::registerPasses() {
  registerTransformsPasses();
  tile::registerTileTransformsPasses();
  tile_gpu::registerTileGpuPasses();
  warp::registerTileToWarpPasses();
  registerTilePipeline();
  warp::registerWarpTransformsPasses();
  registerWarpToLLVMPasses();
  registerNvidiaPipelines();
  cpu::registerCpuTransformsPasses();
  cpu::registerTileToVectorPasses();
  registerCpuPipeline();
}
