// NVIDIA GPUs from sm_80 on.

#include "compiler/Pipelines/NvidiaPipeline.h"
#include "compiler/Targets/RecipeOfKernel.h"
#include "compiler/Targets/Targets.h"
#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpDialect.h"
#include "lib/Analysis/Facts/HostValues.h"
#include "lib/Analysis/Target/NvidiaTarget.h"
#include "lib/Analysis/Target/Occupancy.h"
#include "lib/Target/NVPTX/Assembler.h"
#include "lib/Target/NVPTX/DebugLines.h"
#include "lib/Target/NVPTX/GpuArch.h"
#include "lib/Target/NVPTX/OccupancyPolicy.h"
#include "lib/Target/NVPTX/Ptx.h"
#include "lib/Transforms/Warp/Registers/OccupancyAnalysis.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tilewright;

namespace {
class NvidiaBackEnd final : public Target {
public:
  bool accepts(llvm::StringRef name) const override {
    return name.starts_with("sm_");
  }
  llvm::StringRef describe() const override { return "sm_80, sm_90a, ..."; }
  LogicalResult compile(ModuleOp module, const CompileOptions &options,
                        Artifact &artifact) const override;
};
} // namespace

/// The newest PTX ISA that LLVM 22 writes.
static constexpr unsigned kNewestPtx = 90;

/// The largest cluster that every device with clusters runs.
static constexpr int kPortableCluster = 8;

/// The PTX ISA whose assemblers support all fields of a tensor map.
static constexpr unsigned kMapPtx = 86;

static AssemblerOptions getAssemblerOptions(const CompileOptions &options) {
  AssemblerOptions result;
  result.kind = options.assembler;
  result.paths = options.assemblerPaths;
  result.neededPtx = kMapPtx;
  if (std::optional<GpuArch> arch = GpuArch::parse(options.target))
    result.neededPtx = std::max(kMapPtx, arch->getLeastPtxVersion());
  return result;
}

/// Returns the PTX ISA to write: the requested one, else the newest that both
/// the assembler and this compiler support. Returns 0 if there is no limit.
static FailureOr<unsigned> choosePtxVersion(const CompileOptions &options,
                                            Location loc) {
  if (options.ptxVersion || options.stopAfter == "ptx")
    return options.ptxVersion;
  auto version = maxPtxVersion(getAssemblerOptions(options));
  if (!version)
    return emitError(loc) << llvm::toString(version.takeError());
  return std::min(*version, kNewestPtx);
}

/// Whether the assembler reads `kMapPtx`. Only for modules that may create a
/// tensor map, since it searches for the assembler.
static FailureOr<bool> canMakeMaps(ModuleOp module,
                                   const CompileOptions &options) {
  auto isMade = [](tile::MakeDescriptorOp desc) {
    return isHostKnown(desc) ? WalkResult::advance() : WalkResult::interrupt();
  };
  if (!module.walk(isMade).wasInterrupted())
    return false;
  if (!options.stopAfter.empty() && options.ptxVersion == 0)
    return true;
  FailureOr<unsigned> version = choosePtxVersion(options, module.getLoc());
  if (failed(version))
    return failure();
  return *version >= kMapPtx;
}

static LogicalResult emitStages(ModuleOp module, const CompileOptions &options,
                                Artifact &artifact) {
  FailureOr<unsigned> version = choosePtxVersion(options, module.getLoc());
  if (failed(version))
    return failure();
  PtxOptions ptx;
  ptx.arch = options.target;
  ptx.ptxVersion = *version;
  ptx.fuseMulAdd = options.fuseMulAdd;
  ptx.keepLlvmIr = options.keeps("llvm");
  ptx.check = options.debug;
  ptx.times = &artifact.times;
  FailureOr<PtxResult> result = emitPtx(module, ptx);
  if (failed(result))
    return failure();
  artifact.metadata["ptx_version"] = result->ptxVersion;
  if (ptx.keepLlvmIr)
    artifact.stages["llvm"] = std::move(result->llvmIr);
  artifact.stages["ptx"] = std::move(result->ptx);
  return success();
}

static LogicalResult assembleStage(ModuleOp module, OccupancyGoal goal,
                                   const CompileOptions &options,
                                   Artifact &artifact) {
  PhaseTimer timer(&artifact.times, "cubin", "assemble");
  std::string &ptx = artifact.stages["ptx"];
  AssemblerOptions assembler = getAssemblerOptions(options);
  auto assembly = assembleForOccupancy(ptx, options.target, assembler, goal);
  if (!assembly) {
    const std::string log = llvm::toString(assembly.takeError());
    LocationAttr refused = findRefusedLoc(module, ptx, log);
    return emitError(refused ? Location(refused) : module.getLoc()) << log;
  }
  artifact.metadata["assembler"] = assembly->assembler;
  artifact.metadata["assembler_log"] = llvm::json::fixUTF8(assembly->log);
  artifact.metadata["advice"] = llvm::json::Array(assembly->advice);
  // The driver assembles at load time and reports the resources then.
  if (assembly->kind == AssemblerKind::Driver)
    return success();
  // An assembler that found the code in a cache may report nothing.
  if (const AssemblyResources &used = assembly->resources; used.registers) {
    artifact.metadata["registers"] = used.registers;
    artifact.metadata["spills"] = used.spillStores + used.spillLoads;
  }
  artifact.stages["cubin"] = std::move(assembly->cubin);
  return success();
}

/// Adds the metadata that a launch of the kernel needs.
static void describeLaunch(FunctionOpInterface function,
                           llvm::json::Object &metadata) {
  using warp::WarpDialect;
  auto getInt = [&](llvm::StringRef name) {
    return function->getAttrOfType<IntegerAttr>(name);
  };
  if (auto size = getInt(WarpDialect::kSharedSizeAttr))
    metadata["shared"] = size.getInt();
  auto warps = getInt(WarpDialect::kBlockWarpsAttr);
  if (!warps)
    warps = getInt(WarpDialect::kNumWarpsAttr);
  if (warps)
    metadata["num_threads"] = SmResources::kLanes * warps.getInt();
  if (auto size = getInt(WarpDialect::kClusterSizeAttr))
    metadata["cluster"] = size.getInt();
  if (llvm::json::Array recipe = getLaunchRecipe(function); !recipe.empty())
    metadata["launch_recipe"] = std::move(recipe);
}

/// Whether the kernel may start before earlier kernels on its stream end: it
/// has an op that waits for them. Ordered kernels may not, since two launches
/// on one stream share a ticket counter.
static bool waitsForLaunches(ModuleOp module, const NvidiaOptions &options) {
  NvidiaTarget target{options.computeCapability, options.archSpecific};
  auto isOrdered = [](FunctionOpInterface function) {
    return function->hasAttr(warp::WarpDialect::kOrderedAttr);
  };
  return target.hasDependentLaunches() &&
         llvm::none_of(module.getOps<FunctionOpInterface>(), isOrdered) &&
         module.walk([](tile::LaunchWaitOp) { return WalkResult::interrupt(); })
             .wasInterrupted();
}

/// Bounds the registers of kernels whose roles have no budgets of their own.
/// The bound is `registers`, or the register file divided by the kernel's
/// warps.
static void boundRegisters(ModuleOp module, int64_t registers) {
  OpBuilder b(module.getContext());
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()) ||
        function->hasAttr(NVVM::NVVMDialect::getMinctasmAttrName()))
      continue;
    const Occupancy occupancy;
    int64_t most = occupancy.getMaxRegisters();
    if (auto threads = function->getAttrOfType<DenseI32ArrayAttr>(
            NVVM::NVVMDialect::getReqntidAttrName()))
      most = occupancy.getRegisters(/*numCtas=*/1,
                                    threads[0] / SmResources::kLanes);
    function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                      b.getI32IntegerAttr(std::min(registers, most)));
  }
}

LogicalResult NvidiaBackEnd::compile(ModuleOp module,
                                     const CompileOptions &options,
                                     Artifact &artifact) const {
  FailureOr<GpuArch> arch = GpuArch::get(options.target, module.getLoc());
  if (failed(arch) || failed(runTilePipeline(module, options, artifact)))
    return failure();
  if (options.stopAfter == "tile")
    return success();
  NvidiaOptions nvidia;
  nvidia.computeCapability = arch->computeCapability;
  nvidia.archSpecific = arch->suffix == 'a';
  FailureOr<bool> makesMaps = canMakeMaps(module, options);
  if (failed(makesMaps))
    return failure();
  nvidia.makesMaps = *makesMaps;
  nvidia.numWarps = options.numWarps;
  nvidia.numStages = options.numStages;
  nvidia.clusterSize = std::min(options.numCtas, kPortableCluster);
  nvidia.pingPong = options.pingPong;
  nvidia.singleWave = options.singleWave;
  nvidia.deterministic = options.deterministic;
  nvidia.check = options.debug;
  nvidia.maxRegisters = options.maxRegisters;
  nvidia.fitRegisters = options.fitRegisters;
  nvidia.cutTf32 = options.cutTf32;
  if (failed(runPipeline(
          module, "warp", options, artifact,
          [&](OpPassManager &pm) { buildTileToWarpPipeline(pm, nvidia); })))
    return failure();
  keepStage(module, "warp", options, artifact);
  for (auto function : module.getOps<FunctionOpInterface>())
    describeLaunch(function, artifact.metadata);
  if (waitsForLaunches(module, nvidia))
    artifact.metadata["waits_for_launches"] = true;
  if (options.stopAfter == "warp")
    return success();
  OccupancyGoal goal;
  if (options.stopAfter.empty() && options.maxRegisters == 0)
    goal = warp::findOccupancyGoal(module);
  if (failed(runPipeline(
          module, "llvm", options, artifact,
          [&](OpPassManager &pm) { buildWarpToLlvmPipeline(pm, nvidia); })))
    return failure();
  if (options.maxRegisters)
    boundRegisters(module, options.maxRegisters);
  if (failed(emitStages(module, options, artifact)))
    return failure();
  if (options.stopAfter == "llvm" || options.stopAfter == "ptx")
    return success();
  return assembleStage(module, goal, options, artifact);
}

const Target &tilewright::getNvidiaTarget() {
  static const NvidiaBackEnd target;
  return target;
}
