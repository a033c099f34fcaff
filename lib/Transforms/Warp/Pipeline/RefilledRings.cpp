// Which loads of a loop share a slot that is filled again once it has been
// read.

#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Transforms/Warp/Pipeline/PipelinePlan.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// The first of the products that add to each other up to `product`.
static MmaOp getRoot(MmaOp product) {
  while (auto before = product.getAcc().getDefiningOp<MmaOp>()) {
    if (before->getBlock() != product->getBlock())
      break;
    product = before;
  }
  return product;
}

namespace {
/// The products that need one load.
struct Need {
  MmaOp root;
  Operation *first = nullptr, *last = nullptr;
};
} // namespace

static std::optional<Need> findNeed(const PipelinedLoad &load) {
  Need need;
  AllocOp alloc = load.alloc;
  for (Operation *read : getTileUsers(alloc)) {
    if (isa<SharedTransposeOp>(read))
      continue;
    if (!isa<LocalLoadOp>(read))
      return std::nullopt;
    for (Operation *user : read->getUsers()) {
      auto product = dyn_cast<MmaOp>(user);
      if (!product || product->getBlock() != alloc->getBlock() ||
          (need.root && need.root != getRoot(product)))
        return std::nullopt;
      need.root = getRoot(product);
      if (!need.first || product->isBeforeInBlock(need.first))
        need.first = product;
      if (!need.last || need.last->isBeforeInBlock(product))
        need.last = product;
    }
  }
  return need.root ? std::optional(need) : std::nullopt;
}

SmallVector<RefilledRing>
warp::planRefilledRings(ArrayRef<PipelinedLoad> loads) {
  llvm::MapVector<Operation *, RefilledRing> rings;
  for (const PipelinedLoad &load : loads) {
    std::optional<Need> need = findNeed(load);
    if (!need)
      return {};
    auto [entry, isNew] = rings.insert({need->root, {}});
    RefilledRing &ring = entry->second;
    ring.loads.push_back(load);
    if (isNew || need->first->isBeforeInBlock(ring.first))
      ring.first = need->first;
    if (isNew || ring.last->isBeforeInBlock(need->last))
      ring.last = need->last;
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
  // One alone would be filled while nothing is computed.
  if (result.size() < 2)
    return {};
  return result;
}
