#include "lib/Transforms/Warp/Registers/OccupancyAnalysis.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Layout/LayoutEdges.h"
#include "lib/Analysis/Mma/ChainedDots.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Analysis/Target/ExplicitRoles.h"
#include "lib/Analysis/Target/Occupancy.h"
#include "lib/Analysis/Target/OccupancyParameters.h"
#include "lib/Transforms/Warp/Registers/RegisterUse.h"

#include "mlir/Analysis/Liveness.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright;

using Parameters = OccupancyParameters;

//===----------------------------------------------------------------------===//
// Kernels without a goal
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

/// Whether `op` excludes its kernel by rule A4.
static bool excludes(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  return isa<tile::DotOp, warp::MmaOp, warp::WgmmaOp, warp::SpecializeOp>(op) ||
         (loop && countsPrograms(loop.getStep()) &&
          warp::countCarried(loop) != 0 &&
          !hasSeveralAxes(loop->getParentOfType<tile::FuncOp>())) ||
         (isa<tile::ScanOp>(op) && op->getParentOfType<LoopLikeOpInterface>());
}

static bool isExcluded(tile::FuncOp function) {
  return function
      ->walk([](Operation *op) {
        return excludes(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Dots that wait for threads
//===----------------------------------------------------------------------===//

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
        bool waits = isa<warp::WgmmaOp>(op) &&
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
  if (warp::SpecializeOp roles = warp::getRoles(function))
    return (!roles.getRegisters() || roles.getRegisters()->empty()) &&
           (hasStoredOperands(function) || computesInRegisters(function));
  return hasChainedDots(function) || hasStoredOperands(function) ||
         computesInRegisters(function);
}

//===----------------------------------------------------------------------===//
// Number of CTAs
//===----------------------------------------------------------------------===//

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
  return most * SmResources::kLanes * int64_t(sizeof(int32_t));
}

/// Returns the target number of warps per SM by rule A2.
static int64_t countWarps(tile::FuncOp function, int64_t warpsOfCta) {
  int64_t warps = warpsOfCta == Parameters::kLargeCtaWarps
                      ? Parameters::kFillingWarpsOfLargeCtas
                      : Parameters::kFillingWarps;
  if (int64_t bytes = countBytesOfIteration(function))
    warps = std::max(warps, std::min(Parameters::kBytesInFlight / bytes,
                                     Parameters::kMaxFillingWarps));
  return warps;
}

/// Returns the goal of a kernel without dots by rules A2 and A3.
static OccupancyGoal findGoalWithoutDots(tile::FuncOp function, int64_t warps,
                                         int64_t ctasBySharedMemory) {
  int64_t ctas =
      std::min(countWarps(function, warps) / warps, ctasBySharedMemory);
  int64_t live = std::max(countLive(function), countLoaded(function));
  while (ctas > 1 && Occupancy().getRegisters(ctas, warps) < live)
    --ctas;
  return {ctas, warps};
}

static int64_t getCount(tile::FuncOp function, StringRef name) {
  auto count = function->getAttrOfType<IntegerAttr>(name);
  return count ? count.getInt() : 0;
}

OccupancyGoal warp::findOccupancyGoal(ModuleOp module) {
  auto functions = module.getOps<tile::FuncOp>();
  if (!llvm::hasSingleElement(functions))
    return {};
  tile::FuncOp function = *functions.begin();
  int64_t warps = getCount(function, WarpDialect::kNumWarpsAttr);
  if (function->hasAttr(WarpDialect::kSingleWaveAttr) ||
      warps < Parameters::kMinBoundWarps)
    return {};
  int64_t ctasBySharedMemory =
      Occupancy::forEstimates().countCtasBySharedMemory(
          getCount(function, WarpDialect::kSharedSizeAttr));
  if (warps < Parameters::kDotWarps && waitsForThreads(function))
    return {std::min(Parameters::kDotWarps / warps, ctasBySharedMemory),
            getBlockWarps(function).getInt(),
            /*hasDots=*/true, isRefilled(function),
            computesInRegisters(function)};
  if (warps >= Parameters::kFillingWarps || isExcluded(function))
    return {};
  return findGoalWithoutDots(function, warps, ctasBySharedMemory);
}
