#include "lib/Transforms/Warp/Specialize/RegisterBudget.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Mma/ChainedDots.h"
#include "lib/Analysis/Target/RegisterFile.h"
#include "lib/Transforms/Warp/Registers/RegisterUse.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

static int64_t getNumWarps(tile::FuncOp func) {
  return func->getAttrOfType<IntegerAttr>(WarpDialect::kNumWarpsAttr).getInt();
}

/// The registers of what `loop` adds up beside its products, as scaled ones.
static int64_t countLiveAccumulators(scf::ForOp loop) {
  int64_t registers = 0;
  for (auto [value, next] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues()))
    if (!next.getDefiningOp<WgmmaWaitOp>() && !next.getDefiningOp<WgmmaOp>())
      registers += countRegisters(value.getType());
  return registers;
}

/// Whether the sums of products leave no registers for another program.
static bool takesAllRegisters(tile::FuncOp func, int32_t numGroups) {
  constexpr int64_t kTightRegisters = 96, kTwoWarpgroups = 8;
  int64_t registers = 0;
  llvm::SmallPtrSet<Operation *, 4> loops;
  func.walk([&](WgmmaOp product) {
    registers += getLayout(product.getType())->getInSize(LayoutAxis::Register);
    auto loop = dyn_cast<scf::ForOp>(product->getParentOp());
    if (loop && loops.insert(loop).second)
      registers += countLiveAccumulators(loop);
  });
  return registers >= kTightRegisters &&
         numGroups * getNumWarps(func) >= kTwoWarpgroups;
}

/// The registers of a thread that the sums of a loop's products take if all of
/// them are there at once, for the loop that takes most.
static int64_t countAccumulators(tile::FuncOp func) {
  llvm::SmallDenseMap<Block *, int64_t> registers;
  func.walk([&](WgmmaOp product) {
    // Products of a chain have one sum.
    Operation *user = *product->user_begin();
    if (!isa<WgmmaOp>(user) && isa<scf::ForOp>(product->getParentOp()))
      registers[product->getBlock()] +=
          getLayout(product.getType())->getInSize(LayoutAxis::Register);
  });
  int64_t most = 0;
  for (auto [block, count] : registers)
    most = std::max(most, count);
  return most;
}

/// Whether an instruction takes more registers than the half of a
/// multiprocessor that each of 256 threads is started with: the assembler
/// refuses it, however many a role asks for later.
static bool hasWideInstruction(tile::FuncOp func) {
  constexpr int64_t kWidest = 256;
  return func
      .walk([&](WgmmaOp product) {
        return product.getType().getShape().back() >= kWidest
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

RegisterBudget::RegisterBudget(tile::FuncOp func, int32_t numGroups)
    : isChained(hasChainedDots(func)),
      isTight(takesAllRegisters(func, numGroups)) {
  constexpr int64_t kTight = 160, kMost = 232, kWarpgroup = 4, kProducers = 1;
  const int64_t numWarps = getNumWarps(func), sums = countAccumulators(func);
  const int64_t sharing =
      countSharing(estimateRegisters(sums), numWarps + kProducers);
  isHalf = numGroups == 1 && numWarps == kWarpgroup && sums <= kMost &&
           (isChained ? sharing < 2 : sums >= kTight) &&
           !hasWideInstruction(func);
  if (isHalf)
    programs = 2;
  else if (isChained && numGroups == 1)
    programs = std::max<int64_t>(sharing, 1);
}
