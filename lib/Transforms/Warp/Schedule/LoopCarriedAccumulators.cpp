#include "lib/Transforms/Warp/Schedule/LoopCarriedAccumulators.h"

#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Transforms/Warp/Schedule/ComputedOperands.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// How many products lead from `start` to `end`, or nothing if something else
/// uses a sum in between.
static std::optional<unsigned> countDots(Value start, Value end) {
  unsigned count = 0;
  for (Value sum = start; sum != end; ++count) {
    if (!sum.hasOneUse())
      return std::nullopt;
    auto product = dyn_cast<WgmmaOp>(*sum.user_begin());
    if (!product || product.getAcc() != sum)
      return std::nullopt;
    sum = product.getResult();
  }
  return count;
}

std::optional<LoopCarriedAccumulators>
warp::findLoopCarriedAccumulators(scf::ForOp loop) {
  LoopCarriedAccumulators sums;
  sums.loop = loop;
  unsigned numDots = 0;
  loop.getBody()->walk([&](Operation *op) {
    if (auto wait = dyn_cast<WgmmaWaitOp>(op))
      sums.waits.push_back(wait);
    numDots += isa<WgmmaOp>(op);
  });
  for (WgmmaWaitOp wait : sums.waits) {
    if (wait->getBlock() != loop.getBody() ||
        wait.getAccumulators().size() != 1 || wait.getPendings() != 0)
      return std::nullopt;
    Value sum = wait.getResult(0);
    if (!sum.hasOneUse() || !isa<scf::YieldOp>(*sum.user_begin()))
      return std::nullopt;
    unsigned index = sum.use_begin()->getOperandNumber();
    auto count =
        countDots(loop.getRegionIterArg(index), wait.getAccumulators()[0]);
    if (!count)
      return std::nullopt;
    sums.indices.push_back(index);
    sums.numDots += *count;
  }
  if (sums.waits.empty() || sums.numDots != numDots)
    return std::nullopt;
  return sums;
}

bool warp::isFilledByThreads(RingWaitOp wait) {
  return wait.getRing().getType().getCompletion() == Completion::AsyncGroups;
}

RingAcquireOp warp::findFill(RingWaitOp wait, scf::ForOp loop) {
  RingAcquireOp found;
  for (Operation *user : wait.getRing().getUsers()) {
    auto acquire = dyn_cast<RingAcquireOp>(user);
    if (!acquire || !loop->isAncestor(acquire))
      continue;
    if (found || acquire->getBlock() != loop.getBody() ||
        llvm::any_of(acquire->getUsers(), [&](Operation *fill) {
          return fill->getBlock() != loop.getBody() ||
                 !isa<AsyncCopyOp, RingCommitOp>(fill);
        }))
      return {};
    found = acquire;
  }
  return found;
}

/// The slots that the products of a loop read, and the operands that its
/// threads make; nothing if they read anything else that the next iteration may
/// change: other registers, or other memory that is stored to.
static std::optional<llvm::SmallSetVector<Operation *, 4>>
findSlots(LoopCarriedAccumulators &sums) {
  scf::ForOp loop = sums.loop;
  llvm::SmallSetVector<Operation *, 4> slots;
  bool others = false;
  loop.getBody()->walk([&](WgmmaOp product) {
    for (Value operand : {Value(product.getA()), Value(product.getB())}) {
      Value memory = getNamedMemory(operand);
      if (isa<SharedType>(memory.getType()) &&
          loop.isDefinedOutsideOfLoop(memory))
        continue;
      auto wait = memory.getDefiningOp<RingWaitOp>();
      if (wait && wait->getBlock() == loop.getBody() &&
          wait.getRing().getType().getNumSlots() > 1 &&
          (!isFilledByThreads(wait) || findFill(wait, loop)))
        slots.insert(wait);
      else if (Operation *maker = findMaker(operand, loop))
        sums.made.insert(maker);
      else
        others = true;
    }
  });
  if (others || (slots.empty() && sums.made.empty()))
    return std::nullopt;
  return slots;
}

std::optional<SmallVector<RingReleaseOp>>
warp::findReleases(LoopCarriedAccumulators &sums) {
  auto slots = findSlots(sums);
  if (!slots)
    return std::nullopt;
  SmallVector<RingReleaseOp> releases;
  for (Operation *op : *slots) {
    Value slot = cast<RingWaitOp>(op).getSlot();
    auto release = dyn_cast<RingReleaseOp>(*slot.user_begin());
    Operation *wait = sums.waits.front();
    if (!release || release.getCondition() ||
        release->getBlock() != wait->getBlock() ||
        !wait->isBeforeInBlock(release))
      return std::nullopt;
    releases.push_back(release);
  }
  llvm::sort(releases, [](RingReleaseOp a, RingReleaseOp b) {
    return a->isBeforeInBlock(b);
  });
  return releases;
}
