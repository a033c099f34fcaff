#include "compiler/Targets/OccupancyPolicy.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Layout/LayoutEdges.h"
#include "lib/Analysis/Mma/ChainedDots.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Analysis/Target/RegisterFile.h"
#include "lib/Transforms/Warp/Registers/RegisterUse.h"

#include "mlir/Analysis/Liveness.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright;

//===----------------------------------------------------------------------===//
// Number of CTAs
//===----------------------------------------------------------------------===//

/// Whether `step` depends on the number of programs.
static bool countsPrograms(Value step) {
  Operation *op = step.getDefiningOp();
  return op &&
         (isa<tile::NumProgramsOp>(op) ||
          (isPure(op) && llvm::any_of(op->getOperands(), countsPrograms)));
}

/// Whether the programs of a kernel have several axes.
static bool hasSeveralAxes(tile::FuncOp function) {
  llvm::SmallDenseSet<tile::Axis> axes;
  function->walk([&](tile::ProgramIdOp id) { axes.insert(id.getAxis()); });
  return axes.size() > 1;
}

/// Whether `op` excludes its kernel from the policy:
///
/// 1. Dots of the other kinds keep the tensor cores busy at low occupancy.
/// 2. Roles have register budgets of their own.
/// 3. A scan in a loop carries a state from block to block. There are as many
///    programs as sequences, often one per multiprocessor, and they need
///    registers more than occupancy.
/// 4. A persistent loop along one axis that accumulates over rows: every
///    program computes a partial sum.
static bool decides(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  return isa<tile::DotOp, warp::MmaOp, warp::WgmmaOp, warp::WgmmaMergedOp,
             warp::SpecializeOp>(op) ||
         (loop && countsPrograms(loop.getStep()) &&
          warp::countCarried(loop) != 0 &&
          !hasSeveralAxes(loop->getParentOfType<tile::FuncOp>())) ||
         (isa<tile::ScanOp>(op) && op->getParentOfType<LoopLikeOpInterface>());
}

static bool isLeftAlone(tile::FuncOp function) {
  return function
      ->walk([](Operation *op) {
        return decides(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether `value` is rematerialised at each use.
static bool isRepeated(Value value) {
  Operation *op = value.getDefiningOp();
  return op && (matchPattern(op, m_Constant()) ||
                isa<tile::SplatOp, tile::BroadcastOp>(op));
}

/// Returns the registers of a thread with values that are live across `op`.
static int64_t countLive(Operation *op, const Liveness &liveness) {
  llvm::SmallDenseSet<Value> live;
  for (; op && op->getBlock(); op = op->getParentOp())
    if (const LivenessBlockInfo *info = liveness.getLiveness(op->getBlock()))
      for (Value value : info->currentlyLiveValues(op))
        if (value.getDefiningOp() != op && !isRepeated(value) &&
            !liveness.isDeadAfter(value, op))
          live.insert(value);
  int64_t registers = 0;
  for (Value value : live)
    registers += warp::countRegisters(value.getType());
  return registers;
}

/// Returns the maximum number of registers that are live across an exchange
/// between threads. Code between two exchanges may be computed element by
/// element.
static int64_t countLive(tile::FuncOp function) {
  llvm::SmallVector<Operation *> exchanges;
  function->walk([&](Operation *op) {
    if (usesScratch(op))
      exchanges.push_back(op);
  });
  if (exchanges.empty())
    return 0;
  Liveness liveness(function);
  int64_t most = 0;
  for (Operation *op : exchanges)
    most = std::max(most, countLive(op, liveness));
  return most;
}

/// Returns the maximum number of registers of a thread that an iteration of a
/// loop loads at once, plus its loop-carried tiles; 0 without the latter.
/// Kernels that carry tiles have few programs, and with fewer registers their
/// loads wait for each other.
static int64_t countLoaded(tile::FuncOp function) {
  int64_t most = 0;
  function->walk([&](LoopLikeOpInterface loop) {
    int64_t registers = warp::countCarried(loop);
    if (registers == 0)
      return;
    for (Region *region : loop.getLoopRegions())
      for (auto load : region->getOps<tile::LoadOp>())
        registers += warp::countRegisters(load.getType());
    most = std::max(most, registers);
  });
  return most;
}

static int64_t getCount(tile::FuncOp function, StringRef name) {
  auto count = function->getAttrOfType<IntegerAttr>(name);
  return count ? count.getInt() : 0;
}

/// Returns the roles of `function`; null if it has none.
static warp::SpecializeOp findRoles(tile::FuncOp function) {
  warp::SpecializeOp found;
  function->walk([&](warp::SpecializeOp roles) {
    found = roles;
    return WalkResult::interrupt();
  });
  return found;
}

/// Whether threads store to `memory`, an operand of a wgmma, in a loop.
static bool isStoredInLoop(Value memory) {
  auto alloc = getNamedMemory(memory).getDefiningOp<warp::AllocOp>();
  auto isInLoop = [](Operation *op) {
    return op->getParentOfType<LoopLikeOpInterface>() != nullptr;
  };
  return alloc && ((alloc.getSource() && isInLoop(alloc)) ||
                   llvm::any_of(alloc->getUsers(), [&](Operation *user) {
                     return isa<warp::LocalStoreOp>(user) && isInLoop(user);
                   }));
}

/// Whether a wgmma waits for operands that threads load or compute.
static bool hasStoredOperands(tile::FuncOp function) {
  return function
      ->walk([](Operation *op) {
        bool waits = isa<warp::WgmmaOp, warp::WgmmaMergedOp>(op) &&
                     llvm::any_of(op->getOperands(), [](Value operand) {
                       return isa<warp::SharedType>(operand.getType()) &&
                              isStoredInLoop(operand);
                     });
        return waits ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether each iteration of a loop computes a register operand of a wgmma,
/// without use of other dots.
static bool computesInRegisters(tile::FuncOp function) {
  if (hasChainedDots(function))
    return false;
  return function
      ->walk([](warp::WgmmaOp wgmma) {
        Operation *producer = wgmma.getA().getDefiningOp();
        bool isComputed = isa<RankedTensorType>(wgmma.getA().getType()) &&
                          producer && isElementwise(producer) &&
                          producer->getParentOfType<LoopLikeOpInterface>();
        return isComputed ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a ring has a single slot, because a pass traded the other slots for
/// another CTA's shared memory.
static bool isRefilled(tile::FuncOp function) {
  return function
      ->walk([](warp::RingOp ring) {
        bool isOne =
            ring.getType().getNumSlots() == 1 &&
            ring.getType().getCompletion() == warp::Completion::AsyncGroups;
        return isOne ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the dots of `function` wait for work of threads, so that other CTAs
/// can fill the gaps. Excluded: roles with register budgets of their own, and
/// chained dots whose producer loads during the work between them.
static bool waitsForThreads(tile::FuncOp function) {
  if (warp::SpecializeOp roles = findRoles(function))
    return (!roles.getRegisters() || roles.getRegisters()->empty()) &&
           (hasStoredOperands(function) || computesInRegisters(function));
  return hasChainedDots(function) || hasStoredOperands(function) ||
         computesInRegisters(function);
}

/// Returns the maximum number of bytes per warp that an iteration of a loop
/// loads.
static int64_t countBytesOfIteration(tile::FuncOp function) {
  int64_t most = 0;
  function->walk([&](LoopLikeOpInterface loop) {
    int64_t registers = 0;
    for (Region *region : loop.getLoopRegions())
      for (auto load : region->getOps<tile::LoadOp>())
        if (isa<RankedTensorType>(load.getType()))
          registers += warp::countHeld(load.getType());
    most = std::max(most, registers);
  });
  return most * RegisterFile::kLanes * int64_t(sizeof(int32_t));
}

/// Returns the target number of warps per multiprocessor.
///
/// CTAs of 16 warps get a third CTA: with two, both often wait at a barrier.
/// Smaller CTAs lose by more warps. If iterations load few bytes, it takes more
/// warps to keep enough loads in flight. benchmarks/published.py decides; see
/// benchmarks/notes/occupancy.md.
static int64_t countWarps(tile::FuncOp function, int64_t warpsOfProgram) {
  constexpr int64_t kBytesInFlight = 32 * 1024, kMaxWarps = 64;
  int64_t warps = warpsOfProgram == 16 ? 48 : kFillingWarps;
  if (int64_t bytes = countBytesOfIteration(function))
    warps = std::max(warps, std::min(kBytesInFlight / bytes, kMaxWarps));
  return warps;
}

OccupancyPolicy tilewright::findOccupancyPolicy(ModuleOp module) {
  constexpr int64_t kDotWarps = 16, kMinWarps = 4;
  using warp::WarpDialect;
  auto functions = module.getOps<tile::FuncOp>();
  if (!llvm::hasSingleElement(functions))
    return {};
  tile::FuncOp function = *functions.begin();
  if (function->hasAttr(WarpDialect::kSingleWaveAttr))
    return {};
  int64_t warps = getCount(function, WarpDialect::kNumWarpsAttr);
  int64_t bytes = getCount(function, WarpDialect::kSharedSizeAttr);
  if (warps >= kMinWarps && warps < kDotWarps && waitsForThreads(function))
    return {std::min(kDotWarps / warps, countCtas(bytes)),
            warp::getBlockWarps(function).getInt(),
            /*hasDots=*/true, isRefilled(function),
            computesInRegisters(function)};
  if (warps < kMinWarps || warps >= kFillingWarps || isLeftAlone(function))
    return {};
  int64_t ctas =
      std::min(countWarps(function, warps) / warps, countCtas(bytes));
  int64_t live = std::max(countLive(function), countLoaded(function));
  while (ctas > 1 && getRegisterShare(ctas * warps) < live)
    --ctas;
  return {ctas, warps};
}

//===----------------------------------------------------------------------===//
// Assembling
//===----------------------------------------------------------------------===//

/// The PTX directives for the threads of a CTA and, on the next line, the CTAs
/// per multiprocessor.
static constexpr StringLiteral kThreads(".reqntid "),
    kMinCtas(".minnctapersm ");

/// Returns the `ptx` of one kernel with a directive for so many CTAs per
/// multiprocessor.
static std::string bindOccupancy(StringRef ptx, int64_t ctas) {
  size_t at = ptx.find(kThreads);
  if (at == StringRef::npos)
    return "";
  at = ptx.find('\n', at) + 1;
  StringRef rest = ptx.drop_front(at);
  if (rest.starts_with(kMinCtas))
    rest = rest.drop_front(rest.find('\n') + 1);
  return (ptx.take_front(at) + kMinCtas + Twine(ctas) + "\n" + rest).str();
}

/// Returns the number of CTAs that fit on a multiprocessor with so many
/// registers, at most those of `share`.
static int64_t countFitting(OccupancyPolicy share, unsigned registers) {
  int64_t fitting = 1;
  while (fitting < share.ctas &&
         getRegisterShare((fitting + 1) * share.warps) >= registers)
    ++fitting;
  return fitting;
}

/// Whether `share` gains enough occupancy over `fitting`: at least half, since
/// smaller steps slowed some kernels down. One more CTA is enough if operands
/// are computed in registers. See benchmarks/notes/occupancy.md.
static bool gains(OccupancyPolicy share, int64_t fitting) {
  return share.computesInRegisters ? share.ctas > fitting
                                   : 2 * share.ctas >= 3 * fitting;
}

static unsigned countSpilled(const AssemblyResources &resources) {
  return resources.spillStores + resources.spillLoads;
}

/// Whether spills cost more than the added occupancy gains. The limits come
/// from benchmarks/notes/occupancy.md:
///
/// 1. Kernels with dots, occupancies above 16 warps and gains below a factor of
///    two allow no spills.
/// 2. Otherwise a thread may spill one and a half bytes per register.
static bool spillsMuch(OccupancyPolicy share, int64_t fitting,
                       const AssemblyResources &resources) {
  constexpr int64_t kFewWarps = 16;
  unsigned bytes = countSpilled(resources);
  return share.hasDots || share.ctas * share.warps > kFewWarps ||
                 share.ctas < 2 * fitting
             ? bytes != 0
             : 2 * bytes > 3 * resources.registers;
}

/// Whether a thread may fit in the registers that `share` leaves it. Below
/// three fifths of its natural use, all measured attention kernels spilled:
/// benchmarks/notes/occupancy.md.
static bool mayFit(OccupancyPolicy share, unsigned registers) {
  return 5 * getRegisterShare(share.ctas * share.warps) >= 3 * registers;
}

/// Returns the registers available to a thread of the kernel in `ptx`; 0 if the
/// PTX limits them itself.
static int64_t getRegistersOfFew(StringRef ptx) {
  size_t at = ptx.find(kThreads);
  int64_t threads = 0;
  if (at == StringRef::npos || ptx.contains(kMinCtas) ||
      ptx.contains(".maxnreg ") ||
      ptx.drop_front(at + kThreads.size()).consumeInteger(10, threads))
    return 0;
  return std::min(getRegisterShare(threads / RegisterFile::kLanes),
                  RegisterFile::kOfThread);
}

/// Whether the assembler spilled although registers were left. Releases up to
/// 13.0 do that for large spills if the PTX states no occupancy:
/// benchmarks/notes/occupancy.md.
static bool gaveUp(const Assembly &assembly, int64_t available) {
  return assembly.kind != AssemblerKind::Driver &&
         assembly.resources.spillStores != 0 &&
         assembly.resources.registers + RegisterFile::kUnit < available;
}

/// Assembles `ptx`. Uses all available registers if that spills a quarter less.
static llvm::Expected<Assembly>
assembleNaturally(std::string &ptx, StringRef arch,
                  const AssemblerOptions &options) {
  auto natural = assemble(ptx, arch, options);
  if (!natural || !gaveUp(*natural, getRegistersOfFew(ptx)))
    return natural;
  std::string alone = bindOccupancy(ptx, 1);
  auto assembly = assemble(alone, arch, options);
  if (assembly && 4 * countSpilled(assembly->resources) <
                      3 * countSpilled(natural->resources)) {
    ptx = std::move(alone);
    return assembly;
  }
  llvm::consumeError(assembly.takeError());
  return natural;
}

llvm::Expected<Assembly>
tilewright::assembleShared(std::string &ptx, StringRef arch,
                           const AssemblerOptions &options,
                           OccupancyPolicy share) {
  auto natural = assembleNaturally(ptx, arch, options);
  // Longer kernels take long to assemble even once.
  constexpr size_t kMaxText = 72 * 1024, kMaxTextOfDots = 160 * 1024;
  if (!natural || !share ||
      ptx.size() > (share.hasDots ? kMaxTextOfDots : kMaxText))
    return natural;
  // The driver does not report resources and chooses the registers itself.
  const AssemblyResources &resources = natural->resources;
  if (natural->kind == AssemblerKind::Driver ||
      (resources.spillStores != 0 && !share.isPlanned))
    return natural;
  // Kernels without dots, and those planned for several CTAs, are assembled
  // with a bound at any natural use of registers.
  bool isAsked = !share.hasDots || share.isPlanned;
  const int64_t fitting = countFitting(share, resources.registers);
  for (; share && gains(share, fitting); --share.ctas) {
    bool isMany = share.ctas * share.warps > kFillingWarps;
    if ((!isAsked || isMany) && !mayFit(share, resources.registers))
      continue;
    isAsked = share.isPlanned;
    std::string bound = bindOccupancy(ptx, share.ctas);
    if (bound.empty())
      return natural;
    auto assembly = assemble(bound, arch, options);
    if (assembly && !spillsMuch(share, fitting, assembly->resources)) {
      ptx = std::move(bound);
      return assembly;
    }
    llvm::consumeError(assembly.takeError());
  }
  return natural;
}
