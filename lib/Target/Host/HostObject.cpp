#include "lib/Target/Host/HostObject.h"

#include "lib/Target/Host/MaskedStores.h"
#include "lib/Target/Host/VectorMath.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"

#include <optional>

using namespace llvm;

namespace tilewright::host {

namespace {
/// Collects the errors that LLVM reports through a context during its lifetime.
/// LLVM's own handler would end the process.
class ErrorCollector {
public:
  explicit ErrorCollector(LLVMContext &context)
      : context(context), previous(context.getDiagnosticHandler()) {
    context.setDiagnosticHandler(std::make_unique<Handler>(errors));
  }
  ~ErrorCollector() { context.setDiagnosticHandler(std::move(previous)); }

  Error takeError() {
    return errors.empty() ? Error::success() : createStringError(errors);
  }

private:
  struct Handler : DiagnosticHandler {
    explicit Handler(std::string &errors) : errors(errors) {}
    bool handleDiagnostics(const DiagnosticInfo &info) override {
      if (info.getSeverity() != DS_Error)
        return true;
      raw_string_ostream stream(errors);
      DiagnosticPrinterRawOStream printer(stream);
      if (!errors.empty())
        stream << '\n';
      info.print(printer);
      return true;
    }
    std::string &errors;
  };

  LLVMContext &context;
  std::unique_ptr<DiagnosticHandler> previous;
  std::string errors;
};
} // namespace

void configureModule(Module &module, const TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
}

static Error verify(const Module &module) {
  std::string reason;
  raw_string_ostream stream(reason);
  if (verifyModule(module, &stream))
    return createStringError("invalid LLVM IR: " + reason);
  return Error::success();
}

static void preferVectors(Module &module, unsigned bits) {
  for (Function &function : module) {
    function.addFnAttr("prefer-vector-width", std::to_string(bits));
    function.addFnAttr("min-legal-vector-width", std::to_string(bits));
  }
}

/// Forbids reciprocal estimates: LLVM's expansion under `arcp` returns NaN for
/// 1 / sqrt(0) and 1 / sqrt(infinity).
static void forbidEstimates(Module &module) {
  for (Function &function : module)
    function.addFnAttr("reciprocal-estimates", "none");
}

/// Whether a function has too many loops to unroll each in reasonable time.
/// LLVM reanalyses all enclosing loops after each one, and the loop over
/// programs encloses all. The bound lies between attention and a sort of 128
/// numbers: benchmarks/notes/compile-time.md.
static bool hasManyLoops(Module &module) {
  constexpr size_t kMaxUnrolled = 64;
  return llvm::any_of(module, [](Function &function) {
    if (function.isDeclaration())
      return false;
    DominatorTree tree(function);
    return LoopInfo(tree).getLoopsInPreorder().size() > kMaxUnrolled;
  });
}

/// Keeps loops rolled that copy rows of several registers each. LLVM would
/// unroll a nest over a block into thousands of loads and stores, which costs
/// seconds of code generation and gains nothing. Returns the number of
/// registers that all iterations of the loop load and store. Vectors of one
/// register are left to LLVM's own limits.
static uint64_t keepCopiesRolled(Loop &loop, ScalarEvolution &evolution,
                                 unsigned vectorBits) {
  constexpr uint64_t kMaxAccesses = 64;
  uint64_t accesses = 0;
  for (Loop *inner : loop)
    accesses += keepCopiesRolled(*inner, evolution, vectorBits);
  for (BasicBlock *block : loop.blocks()) {
    if (llvm::any_of(loop, [&](Loop *inner) { return inner->contains(block); }))
      continue;
    for (Instruction &instruction : *block) {
      if (!isa<LoadInst, StoreInst>(instruction))
        continue;
      auto *type = dyn_cast<FixedVectorType>(getLoadStoreType(&instruction));
      const uint64_t bits = type ? type->getPrimitiveSizeInBits() : 0;
      if (bits > vectorBits)
        accesses += bits / vectorBits;
    }
  }
  accesses *= std::max(1u, evolution.getSmallConstantTripCount(&loop));
  if (accesses > kMaxAccesses)
    loop.setLoopAlreadyUnrolled();
  return accesses;
}

static void keepCopiesRolled(Module &module, const TargetLibraryInfoImpl &info,
                             unsigned vectorBits) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree tree(function);
    LoopInfo loops(tree);
    AssumptionCache assumptions(function);
    TargetLibraryInfo library(info, &function);
    ScalarEvolution evolution(function, library, assumptions, tree, loops);
    for (Loop *loop : loops)
      keepCopiesRolled(*loop, evolution, vectorBits);
  }
}

static void optimize(Module &module, TargetMachine &machine,
                     const TargetLibraryInfoImpl &libraryInfo) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  tuning.LoopInterleaving = true;
  tuning.LoopUnrolling = !hasManyLoops(module);
  PassBuilder builder(&machine, tuning);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  // Registered before the builder's own analysis, which does not know the
  // vector mathematics library.
  functions.registerPass([&] { return TargetLibraryAnalysis(libraryInfo); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(module, modules);
  storeKnownLanes(module);
}

/// Disables scheduling after register allocation. Processors reorder
/// instructions themselves, and the second scheduler takes time quadratic in
/// the block size.
static void skipSecondScheduling() {
  static RegisterTargetPassConfigCallback once(
      [](TargetMachine &, legacy::PassManagerBase &, TargetPassConfig *config) {
        config->disablePass(&PostRASchedulerID);
      });
}

static Expected<SmallVector<char, 0>>
generate(Module &module, TargetMachine &machine,
         const TargetLibraryInfoImpl &libraryInfo) {
  SmallVector<char, 0> object;
  raw_svector_ostream stream(object);
  legacy::PassManager passes;
  // Code generation also needs the library, for explicit vectors that call
  // mathematics functions.
  passes.add(new TargetLibraryInfoWrapperPass(libraryInfo));
  skipSecondScheduling();
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  CodeGenFileType::ObjectFile))
    return createStringError("cannot generate object files for '" +
                             machine.getTargetTriple().str() + "'");
  passes.run(module);
  return object;
}

Expected<SmallVector<char, 0>>
emitHostObject(Module &module, const HostObjectOptions &options) {
  Expected<TargetMachine *> machine = getTargetMachine(options.target);
  if (!machine)
    return machine.takeError();
  configureModule(module, **machine);
  if (Error invalid = verify(module))
    return invalid;
  forbidEstimates(module);
  if (options.preferredVectorBits)
    preferVectors(module, options.preferredVectorBits);

  const Triple &triple = (*machine)->getTargetTriple();
  TargetLibraryInfoImpl libraryInfo(triple);
  std::optional<VectorMath> vectorMath;
  if (options.target.useVectorMath)
    vectorMath.emplace(triple, *(*machine)->getMCSubtargetInfo())
        .addTo(libraryInfo);

  ErrorCollector errors(module.getContext());
  {
    PhaseTimer timer(options.times, "obj", "optimise LLVM IR");
    if (options.preferredVectorBits)
      keepCopiesRolled(module, libraryInfo, options.preferredVectorBits);
    optimize(module, **machine, libraryInfo);
  }
  PhaseTimer timer(options.times, "obj", "generate machine code");
  Expected<SmallVector<char, 0>> object =
      generate(module, **machine, libraryInfo);
  if (Error reported = errors.takeError()) {
    consumeError(object.takeError());
    return reported;
  }
  return object;
}

} // namespace tilewright::host
