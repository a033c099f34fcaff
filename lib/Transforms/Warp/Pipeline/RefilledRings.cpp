// Groups the loads of a loop that share a slot which is refilled once it has
// been read.

#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Transforms/Warp/Pipeline/PipelinePlan.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// Returns the first mma of the accumulation chain that ends in `mma`.
static MmaOp getRoot(MmaOp mma) {
  while (auto before = mma.getAcc().getDefiningOp<MmaOp>()) {
    if (before->getBlock() != mma->getBlock())
      break;
    mma = before;
  }
  return mma;
}

namespace {
/// The mmas that read one load.
struct Readers {
  MmaOp root;
  Operation *first = nullptr, *last = nullptr;
};
} // namespace

static std::optional<Readers> findReaders(const PipelinedLoad &load) {
  Readers readers;
  AllocOp alloc = load.alloc;
  for (Operation *read : getTileUsers(alloc)) {
    if (isa<SharedTransposeOp>(read))
      continue;
    if (!isa<LocalLoadOp>(read))
      return std::nullopt;
    for (Operation *user : read->getUsers()) {
      auto mma = dyn_cast<MmaOp>(user);
      if (!mma || mma->getBlock() != alloc->getBlock() ||
          (readers.root && readers.root != getRoot(mma)))
        return std::nullopt;
      readers.root = getRoot(mma);
      if (!readers.first || mma->isBeforeInBlock(readers.first))
        readers.first = mma;
      if (!readers.last || readers.last->isBeforeInBlock(mma))
        readers.last = mma;
    }
  }
  return readers.root ? std::optional(readers) : std::nullopt;
}

SmallVector<RefilledRing>
warp::planRefilledRings(ArrayRef<PipelinedLoad> loads) {
  llvm::MapVector<Operation *, RefilledRing> rings;
  for (const PipelinedLoad &load : loads) {
    std::optional<Readers> readers = findReaders(load);
    if (!readers)
      return {};
    auto [entry, isNew] = rings.insert({readers->root, {}});
    RefilledRing &ring = entry->second;
    ring.loads.push_back(load);
    if (isNew || readers->first->isBeforeInBlock(ring.first))
      ring.first = readers->first;
    if (isNew || ring.last->isBeforeInBlock(readers->last))
      ring.last = readers->last;
  }
  SmallVector<RefilledRing> result;
  for (auto &[root, ring] : rings)
    result.push_back(std::move(ring));
  llvm::sort(result, [](const RefilledRing &a, const RefilledRing &b) {
    return a.first->isBeforeInBlock(b.first);
  });
  for (size_t i = 1; i < result.size(); ++i)
    if (!result[i - 1].last->isBeforeInBlock(result[i].first))
      return {};
  // A single ring would be filled while nothing is computed.
  if (result.size() < 2)
    return {};
  return result;
}
