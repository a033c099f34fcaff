#include "lib/Target/NVPTX/LlvmIr.h"

#include "lib/Target/NVPTX/AssemblerFaults.h"
#include "lib/Target/NVPTX/MathLibrary.h"
#include "lib/Target/NVPTX/NarrowDivisions.h"
#include "lib/Target/NVPTX/PackHalfPhis.h"
#include "lib/Target/NVPTX/ShuffledConstants.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/Reassociate.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <mutex>

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

using namespace mlir;
using namespace tilewright;

static constexpr llvm::StringLiteral kTriple = "nvptx64-nvidia-cuda";

static void initializeNvptx() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // Pointers to shared and local memory take one register, not two. LLVM
    // offers this only as a command line option.
    auto *shortPointers = static_cast<llvm::cl::opt<bool> *>(
        llvm::cl::getRegisteredOptions().lookup("nvptx-short-ptr"));
    assert(shortPointers && "LLVM no longer has -nvptx-short-ptr");
    shortPointers->setValue(true);
  });
}

static FailureOr<std::unique_ptr<llvm::TargetMachine>>
createNvptxMachine(const GpuArch &arch, unsigned ptxVersion, Location loc) {
  initializeNvptx();
  llvm::Triple triple(kTriple);
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return emitError(loc) << "no code generator for NVIDIA GPUs: " << error;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, arch.getName(), "+ptx" + std::to_string(ptxVersion),
      llvm::TargetOptions(), std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return emitError(loc) << "no code generator for " << arch.getName();
  return machine;
}

FailureOr<llvm::TargetMachine *>
tilewright::getNvptxMachine(const GpuArch &arch, unsigned ptxVersion,
                            Location loc) {
  // The next kernel is usually for the same device.
  struct Cached {
    std::string arch;
    unsigned ptxVersion = 0;
    std::unique_ptr<llvm::TargetMachine> machine;
  };
  static thread_local Cached cached;
  if (cached.machine && cached.arch == arch.getName() &&
      cached.ptxVersion == ptxVersion)
    return cached.machine.get();
  auto made = createNvptxMachine(arch, ptxVersion, loc);
  if (failed(made))
    return failure();
  cached = {arch.getName(), ptxVersion, std::move(*made)};
  return cached.machine.get();
}

/// Allows contraction of a * b + c. Only in kernels: functions of the
/// mathematics library rely on the rounding of each operation.
static void allowContraction(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (isa<llvm::FPMathOperator>(instruction))
          instruction.setHasAllowContract(true);
}

/// Merges equal constants of a function: lowerings create one wherever they
/// need it, and each is an op to translate.
static void shareConstants(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    llvm::DenseMap<std::pair<Type, Attribute>, LLVM::ConstantOp> known;
    function.walk([&](LLVM::ConstantOp op) {
      auto [it, isNew] = known.try_emplace({op.getType(), op.getValue()}, op);
      if (isNew) {
        Block &entry = function.getBody().front();
        op->moveBefore(&entry, entry.begin());
        return;
      }
      op.replaceAllUsesWith(it->second.getResult());
      op.erase();
    });
  }
}

std::unique_ptr<llvm::Module>
tilewright::translateToLlvm(ModuleOp module, llvm::LLVMContext &context,
                            llvm::TargetMachine &machine, bool fuseMulAdd,
                            bool check) {
  shareConstants(module);
  std::unique_ptr<llvm::Module> result = translateModuleToLLVMIR(
      module, context, module.getName().value_or("kernel"),
      /*disableVerification=*/!check);
  if (!result) {
    module.emitError("cannot be translated to LLVM IR");
    return nullptr;
  }
  result->setTargetTriple(machine.getTargetTriple());
  result->setDataLayout(machine.createDataLayout());
  if (fuseMulAdd)
    allowContraction(*result);
  if (failed(linkMathLibrary(*result, module.getLoc())))
    return nullptr;
  return result;
}

static llvm::FunctionPassManager buildFunctionPasses() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(ShuffledConstants());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(NarrowDivisions());
  passes.addPass(llvm::ReassociatePass());
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LoopRotatePass());
  loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

void tilewright::optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  packHalfPhis(module);

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);

  llvm::ModulePassManager passes;
  // The target's own passes: ranges of special registers.
  builder.invokePipelineStartEPCallbacks(passes, llvm::OptimizationLevel::O3);
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(
      llvm::createModuleToFunctionPassAdaptor(buildFunctionPasses()));
  passes.addPass(llvm::GlobalDCEPass());
  passes.run(module, modules);
  avoidAssemblerFaults(module);
}
