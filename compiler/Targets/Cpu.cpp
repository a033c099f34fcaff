// This machine's processor: the CPU pipeline, then a host object.

#include "compiler/CompileKernel.h"
#include "compiler/Pipelines/CpuPipeline.h"
#include "compiler/Targets/Targets.h"

#include "lib/Analysis/Memory/ProgramOrder.h"
#include "lib/Target/Host/HostObject.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"

using namespace mlir;

namespace tilewright {

/// Returns the width in bits of the target's widest vector register.
static unsigned getVectorBits(const host::HostTarget &target) {
  llvm::SmallVector<llvm::StringRef> features;
  llvm::StringRef(target.features).split(features, ',');
  const auto has = [&](llvm::StringRef name) {
    return llvm::is_contained(features, name);
  };
  if (has("+avx512f") && has("+avx512bw") && has("+avx512vl"))
    return 512;
  return has("+avx2") ? 256 : 128;
}

/// Emits the module as LLVM IR and as an object.
static LogicalResult emitObject(ModuleOp module,
                                const host::HostObjectOptions &options,
                                const CompileOptions &request,
                                Artifact &artifact) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> ir;
  {
    PhaseTimer timer(&artifact.times, "llvm", "translate to LLVM IR");
    ir = translateModuleToLLVMIR(module, context);
  }
  if (!ir)
    return module.emitError("cannot be translated to LLVM IR");
  const bool isLast = request.stopAfter == "llvm";
  if (request.keeps("llvm"))
    llvm::raw_string_ostream(artifact.stages["llvm"]) << *ir;
  if (isLast)
    return success();
  auto object = host::emitHostObject(*ir, options);
  if (!object)
    return module.emitError("cannot generate code for this machine: ")
           << llvm::toString(object.takeError());
  artifact.stages["obj"] = std::string(object->begin(), object->end());
  return success();
}

/// Prefix of the names of other processors.
static constexpr llvm::StringLiteral kNamedProcessor = "cpu:";

static FailureOr<host::HostTarget> getMachine(ModuleOp module,
                                              llvm::StringRef target) {
  if (!target.consume_front(kNamedProcessor))
    return host::HostTarget::detect();
  auto machine = host::HostTarget::forProcessor(target);
  if (!machine)
    return module.emitError(llvm::toString(machine.takeError()));
  return *machine;
}

/// Returns the features that the processor must have to run the code, without
/// their signs.
static llvm::json::Array enabledFeatures(const host::HostTarget &target) {
  llvm::SmallVector<llvm::StringRef> features;
  llvm::StringRef(target.features).split(features, ',');
  llvm::json::Array enabled;
  for (llvm::StringRef feature : features)
    if (feature.consume_front("+"))
      enabled.push_back(feature.str());
  return enabled;
}

/// Returns the order in which launches must run the programs, by the launcher's
/// name for it.
static llvm::StringRef getProgramOrder(ModuleOp module, bool isDeterministic) {
  auto contains = [&](llvm::function_ref<bool(Operation *)> is) {
    return module
        .walk([&](Operation *op) {
          return is(op) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  };
  if (isDeterministic && contains(dependsOnProgramOrder))
    return "in_order";
  bool waits = contains([](Operation *op) {
    auto loop = dyn_cast<scf::WhileOp>(op);
    return loop && mayWaitForPrograms(loop);
  });
  return waits ? "waiting" : "any";
}

namespace {
class CpuTarget final : public Target {
public:
  bool accepts(llvm::StringRef name) const override {
    return name == "cpu" || name.starts_with(kNamedProcessor);
  }
  llvm::StringRef describe() const override { return "'cpu'"; }

  LogicalResult compile(ModuleOp module, const CompileOptions &options,
                        Artifact &artifact) const override {
    if (failed(runTilePipeline(module, options, artifact)))
      return failure();
    if (options.stopAfter == "tile")
      return success();
    FailureOr<host::HostTarget> machine = getMachine(module, options.target);
    if (failed(machine))
      return failure();
    artifact.metadata["program_order"] =
        getProgramOrder(module, options.deterministic);
    artifact.metadata["triple"] = machine->triple;
    artifact.metadata["features"] = enabledFeatures(*machine);
    host::HostObjectOptions object;
    object.target = *machine;
    object.preferredVectorBits = getVectorBits(object.target);
    object.times = &artifact.times;
    CpuOptions cpu;
    cpu.vectorBits = object.preferredVectorBits;
    if (failed(
            runPipeline(module, "llvm", options, artifact,
                        [&](OpPassManager &pm) { buildCpuPipeline(pm, cpu); })))
      return failure();
    return emitObject(module, object, options, artifact);
  }
};
} // namespace

const Target &getCpuTarget() {
  static const CpuTarget target;
  return target;
}

} // namespace tilewright
