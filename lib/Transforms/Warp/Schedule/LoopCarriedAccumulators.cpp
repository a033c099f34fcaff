#include "lib/Transforms/Warp/Schedule/LoopCarriedAccumulators.h"

#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Transforms/Warp/Schedule/ComputedOperands.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// Returns the number of wgmmas in the chain from `start` to `end`, or nothing
/// if an accumulator between them has another use.
static std::optional<unsigned> countDots(Value start, Value end) {
  unsigned count = 0;
  for (Value acc = start; acc != end; ++count) {
    if (!acc.hasOneUse())
      return std::nullopt;
    auto wgmma = dyn_cast<WgmmaOp>(*acc.user_begin());
    if (!wgmma || wgmma.getSingleAcc() != acc)
      return std::nullopt;
    acc = wgmma.getSingleResult();
  }
  return count;
}

std::optional<LoopCarriedAccumulators>
warp::findLoopCarriedAccumulators(scf::ForOp loop) {
  LoopCarriedAccumulators accs;
  accs.loop = loop;
  unsigned numDots = 0;
  loop.getBody()->walk([&](Operation *op) {
    if (auto wait = dyn_cast<WgmmaWaitOp>(op))
      accs.waits.push_back(wait);
    numDots += isa<WgmmaOp>(op);
  });
  for (WgmmaWaitOp wait : accs.waits) {
    if (wait->getBlock() != loop.getBody() ||
        wait.getAccumulators().size() != 1 || wait.getPendings() != 0)
      return std::nullopt;
    Value acc = wait.getResult(0);
    if (!acc.hasOneUse() || !isa<scf::YieldOp>(*acc.user_begin()))
      return std::nullopt;
    unsigned index = acc.use_begin()->getOperandNumber();
    auto count =
        countDots(loop.getRegionIterArg(index), wait.getAccumulators()[0]);
    if (!count)
      return std::nullopt;
    accs.indices.push_back(index);
    accs.numDots += *count;
  }
  if (accs.waits.empty() || accs.numDots != numDots)
    return std::nullopt;
  return accs;
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

/// Returns the waits for the slots that the wgmmas of a loop read, and sets
/// `computed`. Returns nothing if they read other data that the next iteration
/// may change: other registers, or other memory that is stored to.
static std::optional<llvm::SmallSetVector<Operation *, 4>>
findSlots(LoopCarriedAccumulators &accs) {
  scf::ForOp loop = accs.loop;
  llvm::SmallSetVector<Operation *, 4> slots;
  bool others = false;
  loop.getBody()->walk([&](WgmmaOp wgmma) {
    for (Value operand : wgmma.getMultiplicands()) {
      Value memory = getNamedMemory(operand);
      if (isa<SharedType>(memory.getType()) &&
          loop.isDefinedOutsideOfLoop(memory))
        continue;
      auto wait = memory.getDefiningOp<RingWaitOp>();
      if (wait && wait->getBlock() == loop.getBody() &&
          wait.getRing().getType().getNumSlots() > 1 &&
          (!isFilledByThreads(wait) || findFill(wait, loop)))
        slots.insert(wait);
      else if (Operation *op = findComputingOp(operand, loop))
        accs.computed.insert(op);
      else
        others = true;
    }
  });
  if (others || (slots.empty() && accs.computed.empty()))
    return std::nullopt;
  return slots;
}

std::optional<SmallVector<RingReleaseOp>>
warp::findReleases(LoopCarriedAccumulators &accs) {
  auto slots = findSlots(accs);
  if (!slots)
    return std::nullopt;
  SmallVector<RingReleaseOp> releases;
  for (Operation *op : *slots) {
    Value slot = cast<RingWaitOp>(op).getSlot();
    auto release = dyn_cast<RingReleaseOp>(*slot.user_begin());
    Operation *wait = accs.waits.front();
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
