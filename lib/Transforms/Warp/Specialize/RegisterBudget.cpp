#include "lib/Transforms/Warp/Specialize/RegisterBudget.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Mma/ChainedDots.h"
#include "lib/Analysis/Target/Occupancy.h"
#include "lib/Analysis/Target/OccupancyParameters.h"
#include "lib/Layout/WgmmaTiling.h"
#include "lib/Transforms/Warp/Registers/RegisterUse.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

static int64_t getNumWarps(tile::FuncOp func) {
  return func->getAttrOfType<IntegerAttr>(WarpDialect::kNumWarpsAttr).getInt();
}

/// Returns the registers of accumulators that `loop` carries in addition to
/// those of wgmma, as scaled dots need.
static int64_t countLiveAccumulators(scf::ForOp loop) {
  int64_t registers = 0;
  for (auto [value, next] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues()))
    if (!next.getDefiningOp<WgmmaWaitOp>() && !next.getDefiningOp<WgmmaOp>())
      registers += countRegisters(value.getType());
  return registers;
}

/// Returns the registers per thread of an accumulator.
static int64_t countAccRegisters(Value acc) {
  return getLayout(acc.getType())->getInSize(LayoutAxis::Register);
}

/// Whether the accumulators leave no registers for a second CTA.
static bool takesAllRegisters(tile::FuncOp func, int32_t numGroups) {
  constexpr int64_t kTwoWarpgroups = 2 * kWarpsPerGroup;
  int64_t registers = 0;
  llvm::SmallPtrSet<Operation *, 4> loops;
  func.walk([&](WgmmaOp wgmma) {
    for (Value acc : wgmma.getAcc())
      registers += countAccRegisters(acc);
    auto loop = dyn_cast<scf::ForOp>(wgmma->getParentOp());
    if (loop && loops.insert(loop).second)
      registers += countLiveAccumulators(loop);
  });
  return registers >= OccupancyParameters::kMinTightRegisters &&
         numGroups * getNumWarps(func) >= kTwoWarpgroups;
}

/// Returns the registers per thread of all accumulators of a loop together, for
/// the loop that needs most.
static int64_t countAccumulators(tile::FuncOp func) {
  llvm::SmallDenseMap<Block *, int64_t> registers;
  func.walk([&](WgmmaOp wgmma) {
    if (!isa<scf::ForOp>(wgmma->getParentOp()))
      return;
    // Consecutive wgmmas of one accumulator count once.
    for (Value result : wgmma.getResults())
      if (llvm::none_of(result.getUsers(), llvm::IsaPred<WgmmaOp>))
        registers[wgmma->getBlock()] += countAccRegisters(result);
  });
  int64_t most = 0;
  for (auto [block, count] : registers)
    most = std::max(most, count);
  return most;
}

/// Whether a wgmma needs more registers than a thread starts with when two CTAs
/// of 256 threads share an SM. The assembler rejects such a wgmma, even if the
/// role raises its register count later.
static bool hasWideInstruction(tile::FuncOp func) {
  return func
      .walk([&](WgmmaOp wgmma) {
        return wgmma.getNumColumns() >= OccupancyParameters::kMinWideColumns
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

RegisterBudget::RegisterBudget(tile::FuncOp func, int32_t numGroups)
    : isChained(hasChainedDots(func)),
      isTight(takesAllRegisters(func, numGroups)) {
  constexpr int64_t kProducers = 1;
  const int64_t numWarps = getNumWarps(func);
  const int64_t accumulators = countAccumulators(func);
  const int64_t sharing = Occupancy::forEstimates().countCtasByRegisters(
      numWarps + kProducers, estimateRegisters(accumulators));
  isHalf =
      numGroups == 1 && numWarps == kWarpsPerGroup &&
      accumulators <= OccupancyParameters::kMaxHalvedRegisters &&
      (isChained ? sharing < 2
                 : accumulators >= OccupancyParameters::kMinHalvedRegisters) &&
      !hasWideInstruction(func);
  if (isHalf)
    numCtas = 2;
  else if (isChained && numGroups == 1)
    numCtas = std::max<int64_t>(sharing, 1);
}
