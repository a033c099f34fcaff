#include "lib/Transforms/Warp/CheckRings/PathState.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

template <typename MapT, typename PredicateT>
static void eraseIf(MapT &map, PredicateT predicate) {
  for (auto at = map.begin(); at != map.end();)
    at = predicate(*at) ? map.erase(at) : std::next(at);
}

Known PathState::get(Value value) const {
  auto found = values.find(value.getAsOpaquePointer());
  return found == values.end() ? Known() : found->second;
}

void PathState::set(Value value, Known known) {
  if (known.kind == Known::Nothing)
    values.erase(value.getAsOpaquePointer());
  else
    values[value.getAsOpaquePointer()] = known;
}

void PathState::leave(Region &region) {
  eraseIf(values, [&](const auto &entry) {
    Value value = Value::getFromOpaquePointer(entry.first);
    return region.isAncestor(value.getParentRegion());
  });
}

void PathState::forget(Operation *ring) {
  rings.erase(ring);
  auto isOfRing = [&](const Memory &memory) { return memory.origin == ring; };
  eraseIf(filled, isOfRing);
  eraseIf(readByThreads, isOfRing);
  eraseIf(written, [&](const auto &entry) { return isOfRing(entry.first); });
  for (CopyGroup &group : copies)
    if (group.ring == ring)
      group = {nullptr, 0, group.hasCopies};
  while (!copies.empty() && !copies.front().ring && !copies.front().hasCopies)
    copies.pop_front();
}

void PathState::synchronize() {
  eraseIf(written, [](const auto &entry) { return entry.second; });
  eraseIf(storing, [](const auto &entry) { return entry.second; });
}

bool PathState::isRead(const Memory &memory) const {
  return llvm::any_of(running, [&](const std::vector<Memory> &reads) {
    return llvm::is_contained(reads, memory);
  });
}

/// Returns the number of slots of a ring that a state may forget. It is a
/// multiple of the ring size if the code addresses slots by an index.
static int64_t countPassed(RingOp ring, const RingProgress &progress) {
  int64_t passed = progress.reads ? progress.released : progress.committed;
  if (ring.getType().getCompletion() == Completion::AsyncGroups)
    passed -= passed % ring.getType().getNumSlots();
  return passed;
}

namespace {

/// Subtracts finished slots and wgmmas from all sequence numbers.
class Renumbering {
public:
  explicit Renumbering(const PathState &state)
      : numDone(state.numWgmmas - int64_t(state.running.size())) {
    for (const auto &[ring, progress] : state.rings)
      passed[ring] = countPassed(cast<RingOp>(ring), progress);
  }

  int64_t ofSlot(Operation *ring, int64_t sequence) const {
    auto found = passed.find(ring);
    return found == passed.end()
               ? sequence
               : std::max<int64_t>(sequence - found->second, -1);
  }
  Memory of(Memory memory) const {
    memory.sequence = ofSlot(memory.origin, memory.sequence);
    return memory;
  }
  Known of(Known known) const {
    known.memory = of(known.memory);
    if (known.kind == Known::Accumulator)
      known.number = std::max<int64_t>(known.number - numDone, -1);
    return known;
  }
  RingProgress of(Operation *ring, RingProgress progress) const {
    int64_t by = passed.at(ring);
    for (int64_t *count : {&progress.acquired, &progress.committed,
                           &progress.waited, &progress.released})
      *count = std::max<int64_t>(*count - by, 0);
    return progress;
  }

  /// The number of wgmmas that are done.
  const int64_t numDone;

private:
  std::map<Operation *, int64_t> passed;
};

} // namespace

void PathState::normalize() {
  Renumbering renumbered(*this);
  for (auto &[value, known] : values)
    known = renumbered.of(known);
  for (auto &[ring, progress] : rings)
    progress = renumbered.of(ring, progress);
  for (CopyGroup &group : copies)
    group.sequence = renumbered.ofSlot(group.ring, group.sequence);
  for (std::vector<Memory> &reads : running)
    for (Memory &memory : reads)
      memory = renumbered.of(memory);
  numWgmmas -= renumbered.numDone;
  auto renumberSet = [&](std::set<Memory> &set) {
    std::set<Memory> result;
    for (const Memory &memory : set)
      result.insert(renumbered.of(memory));
    set = std::move(result);
  };
  renumberSet(filled);
  renumberSet(readByThreads);
  std::map<Memory, bool> stores;
  for (const auto &[memory, isFenced] : written)
    stores[renumbered.of(memory)] = isFenced;
  written = std::move(stores);
}
