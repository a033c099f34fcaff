// Rotates a loop around a ring.
//
// With N slots the copies run N - 1 iterations early:
// 1. The copies of the first N - 1 iterations are issued before the loop.
// 2. Iteration i issues those of iteration i + N - 1. It does so after the
//    barrier, when all threads have read slot (i - 1) mod N. If the iteration
//    has wgmmas, the copies overlap the first ones.
// 3. Copies of iterations past the end are masked off. Their groups are
//    committed all the same, so that the number of pending groups is constant.
// Addresses are computed early: the loop carries a second set of the values
// that they depend on.
//
// Rings of one slot are refilled for the next iteration after the last mma that
// reads them. The copies of one ring overlap the work on the others.
//
// Some addresses depend on loads, of an index or the page of a table. These
// loads run one iteration earlier than the copies, and the loop carries their
// results, so that no copy waits for memory. Past the end they are masked off.
// A few scalars that depend on them and that the loop itself uses are forwarded
// to their iteration.

#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Analysis/Target/OccupancyParameters.h"
#include "lib/Transforms/Warp/Pipeline/NeededOps.h"
#include "lib/Transforms/Warp/Pipeline/PrefetchSlice.h"
#include "lib/Transforms/Warp/Registers/RegisterUse.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace {

/// The early values: the inputs of the copies, the inputs of the loads that
/// addresses depend on, and the results of these loads. `forwarded` has the
/// scalars for iterations whose copies are in flight, next iteration first.
struct EarlyValues {
  SliceInputs copies, indices;
  SmallVector<Value> loaded;
  SmallVector<Value> forwarded;
};

class LoopRotation {
public:
  explicit LoopRotation(PipelinePlan &plan)
      : plan(plan), loop(plan.loop), needed(plan), b(loop.getLoc(), loop),
        distance(plan.getDistance()) {}

  void run();

private:
  Value i32(int64_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  }
  Value count(int64_t value) {
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(loop.getInductionVar().getType(), value));
  }

  bool hasIndices() const { return !plan.slice.loads.empty(); }
  bool isRefilled() const { return !plan.refilled.empty(); }

  Value emitTripCount();
  void emitIndices(Value enable, EarlyValues &early);
  IRMapping emitAddresses(Value enable, EarlyValues &early);
  void emitFill(Value ring, Value slot, ArrayRef<PipelinedLoad> loads,
                Value enable, const IRMapping &map);
  void emitCopies(Value slot, Value enable, EarlyValues &early);
  void moveOn(EarlyValues &early, const IRMapping &map);
  void emitCopy(const PipelinedLoad &load, Value memory, Value enable,
                const IRMapping &map);
  EarlyValues emitPrologue(Value trips);
  void append(const EarlyValues &early, SmallVectorImpl<Value> &values) const;
  EarlyValues takeEarly(ValueRange values) const;
  scf::ForOp createLoop(const EarlyValues &early, Value trips);
  Operation *findDot();
  Value emitEnable(Value left, int64_t iterations);
  void emitNextIndices(Value left, EarlyValues &early);
  void emitUses(ValueRange own, EarlyValues &early, IRMapping &map,
                SmallVectorImpl<Value> &next);
  void sinkRefilledReads();
  void sinkReadsToUsers();
  void emitRefilledUses(Value left, EarlyValues &early, IRMapping &map);
  void emitBody(scf::ForOp rotated);
  void replaceLoop(scf::ForOp rotated);

  PipelinePlan &plan;
  scf::ForOp loop;
  NeededOps needed;
  ImplicitLocOpBuilder b;
  int64_t distance;
  /// The ring, or the refilled rings.
  SmallVector<Value> rings;
  /// The loop-carried values that remain, by their old position.
  SmallVector<unsigned> remaining;
};

} // namespace

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Emits the number of iterations, as an unsigned integer.
Value LoopRotation::emitTripCount() {
  Value from = loop.getLowerBound(), to = loop.getUpperBound();
  Value runs =
      arith::CmpIOp::create(b,
                            loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                                  : arith::CmpIPredicate::slt,
                            from, to);
  Value span = arith::SubIOp::create(b, to, from);
  Value last = arith::DivUIOp::create(
      b, arith::SubIOp::create(b, span, count(1)), loop.getStep());
  Value trips = arith::AddIOp::create(b, last, count(1));
  return arith::SelectOp::create(b, runs, trips, count(0));
}

void LoopRotation::emitCopy(const PipelinedLoad &load, Value memory,
                            Value enable, const IRMapping &map) {
  tile::LoadOp from = load.load;
  auto view = [&](Value tile) {
    for (tile::TransposeOp transpose : load.views)
      tile = tile::TransposeOp::create(b, tile, transpose.getOrder());
    return tile;
  };
  Value ptr = view(map.lookupOrDefault(from.getPtr()));
  Value mask = from.getMask();
  if (mask)
    mask = view(map.lookupOrDefault(mask));
  AsyncCopyOp::create(b, ptr, memory, mask, enable, load.vector);
}

//===----------------------------------------------------------------------===//
// Early values
//===----------------------------------------------------------------------===//

/// Emits the loads that the copies of an iteration depend on, masked off unless
/// `enable` holds.
void LoopRotation::emitIndices(Value enable, EarlyValues &early) {
  IRMapping map;
  emitSlice(b, loop, plan.indices, early.indices, enable, map);
  early.loaded.clear();
  for (Operation *load : plan.slice.loads)
    early.loaded.push_back(map.lookup(load->getResult(0)));
  early.indices = advance(b, loop, plan.indices, early.indices, map);
}

/// Emits the addresses of an iteration's copies.
IRMapping LoopRotation::emitAddresses(Value enable, EarlyValues &early) {
  IRMapping map;
  for (auto [load, value] : llvm::zip_equal(plan.slice.loads, early.loaded))
    map.map(load->getResult(0), value);
  emitSlice(b, loop, plan.slice, early.copies, enable, map);
  return map;
}

void LoopRotation::emitFill(Value ring, Value slot,
                            ArrayRef<PipelinedLoad> loads, Value enable,
                            const IRMapping &map) {
  auto acquire = RingAcquireOp::create(b, ring, slot);
  for (auto [load, memory] : llvm::zip_equal(loads, acquire.getTiles()))
    emitCopy(load, memory, enable, map);
  RingCommitOp::create(b, acquire.getSlot());
}

/// Fills the slot with index `slot` if `enable` holds.
void LoopRotation::emitCopies(Value slot, Value enable, EarlyValues &early) {
  IRMapping map = emitAddresses(enable, early);
  if (!isRefilled())
    emitFill(rings.front(), slot, plan.loads, enable, map);
  for (auto [ring, refilled] : llvm::zip(rings, plan.refilled))
    emitFill(ring, slot, refilled.loads, enable, map);
  moveOn(early, map);
}

/// Advances to the iteration after the one that `map` was computed for.
void LoopRotation::moveOn(EarlyValues &early, const IRMapping &map) {
  for (Value value : needed.getForwarded())
    early.forwarded.push_back(map.lookup(value));
  early.copies = advance(b, loop, plan.slice, early.copies, map);
}

/// Loads all indices before the first copy waits for one of them.
EarlyValues LoopRotation::emitPrologue(Value trips) {
  auto isRun = [&](int64_t iteration) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, trips,
                                 count(iteration));
  };
  EarlyValues early{getFirstInputs(loop, plan.slice),
                    getFirstInputs(loop, plan.indices),
                    {},
                    {}};
  SmallVector<SmallVector<Value>> loaded(distance + 1);
  if (hasIndices())
    for (int64_t i = 0; i <= distance; ++i) {
      emitIndices(isRun(i), early);
      loaded[i] = early.loaded;
    }
  for (int64_t i = 0; i < distance; ++i) {
    Value enable = isRun(i);
    early.loaded = loaded[i];
    emitCopies(i32(i), enable, early);
  }
  early.loaded = loaded[distance];
  return early;
}

void LoopRotation::append(const EarlyValues &early,
                          SmallVectorImpl<Value> &values) const {
  early.copies.appendTo(values);
  if (!hasIndices())
    return;
  early.indices.appendTo(values);
  llvm::append_range(values, early.loaded);
  llvm::append_range(values, early.forwarded);
}

/// Splits the loop's arguments as `append` appended them.
EarlyValues LoopRotation::takeEarly(ValueRange values) const {
  auto take = [&](size_t count) {
    SmallVector<Value> taken(values.take_front(count));
    values = values.drop_front(count);
    return taken;
  };
  EarlyValues early;
  early.copies = {take(1).front(), take(plan.slice.carried.size())};
  if (!hasIndices())
    return early;
  early.indices = {take(1).front(), take(plan.indices.carried.size())};
  early.loaded = take(plan.slice.loads.size());
  early.forwarded = take(needed.getForwarded().size() * distance);
  return early;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Creates the loop, which carries:
/// 1. the remaining loop-carried values;
/// 2. the slot to read and the slot to fill, unless rings are refilled;
/// 3. the number of iterations left;
/// 4. the early values.
scf::ForOp LoopRotation::createLoop(const EarlyValues &early, Value trips) {
  SmallVector<Value> inits;
  for (unsigned number = 0; number < loop.getInits().size(); ++number)
    if (needed.carries(number)) {
      remaining.push_back(number);
      inits.push_back(loop.getInits()[number]);
    }
  if (!isRefilled())
    inits.append({i32(0), i32(distance)});
  inits.push_back(trips);
  append(early, inits);
  auto rotated =
      scf::ForOp::create(b, loop.getLowerBound(), loop.getUpperBound(),
                         loop.getStep(), inits, nullptr, loop.getUnsignedCmp());
  rotated->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  return rotated;
}

/// Returns the last of the wgmmas before the first wait, or null. The tensor
/// cores compute them while the early ops are issued.
Operation *LoopRotation::findDot() {
  Operation *last = nullptr;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<WgmmaOp>(op) && needed.contains(&op))
      last = &op;
    else if (isa<WgmmaWaitOp>(op))
      break;
  }
  return last;
}

Value LoopRotation::emitEnable(Value left, int64_t iterations) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, left,
                               count(iterations));
}

void LoopRotation::emitNextIndices(Value left, EarlyValues &early) {
  if (hasIndices())
    emitIndices(emitEnable(left, distance + 1), early);
}

/// `own` is the slot to read, the slot to fill, and the number of iterations
/// left. Adds the first two of the next iteration to `next`.
void LoopRotation::emitUses(ValueRange own, EarlyValues &early, IRMapping &map,
                            SmallVectorImpl<Value> &next) {
  Value read = own[0], fill = own[1], left = own[2];
  auto wait = RingWaitOp::create(b, rings.front(), read, distance - 1);
  // All threads have completed their copies, and have read the slot to fill.
  BarrierOp::create(b);
  auto emitEarly = [&] {
    emitCopies(fill, emitEnable(left, distance), early);
    emitNextIndices(left, early);
  };
  Operation *wgmma = findDot();
  if (!wgmma)
    emitEarly();
  for (auto [load, memory] : llvm::zip_equal(plan.loads, wait.getTiles()))
    map.map(AllocOp(load.alloc).getResult(), memory);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (needed.contains(&op))
      b.clone(op, map);
    if (&op == wgmma)
      emitEarly();
  }
  RingReleaseOp::create(b, wait.getSlot());
  Value after = arith::AddIOp::create(b, read, i32(1));
  Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, after,
                                      i32(distance + 1));
  after = arith::SelectOp::create(b, wraps, i32(0), after);
  // The slot that was read is filled next.
  next.append({after, read});
}

/// Moves reads of a refilled slot to before the first mma that uses them.
void LoopRotation::sinkRefilledReads() {
  for (RefilledRing &ring : plan.refilled) {
    Operation *mma = ring.first;
    for (const PipelinedLoad &load : ring.loads) {
      AllocOp alloc = load.alloc;
      for (Operation *read : getTileUsers(alloc)) {
        read->moveBefore(mma);
        if (ring.first == mma)
          ring.first = read;
      }
    }
  }
}

/// Moves reads of a slot to just before their users if registers are scarce.
/// The slot is valid until the end of the iteration.
void LoopRotation::sinkReadsToUsers() {
  auto function = loop->getParentOfType<FunctionOpInterface>();
  if (countPeakRegisters(loop) + OccupancyParameters::kNonTileRegisters <=
      getRegisterLimit(function, 0))
    return;
  for (const PipelinedLoad &load : plan.loads) {
    AllocOp alloc = load.alloc;
    for (Operation *read : getTileUsers(alloc))
      if (isa<LocalLoadOp>(read) && read->getBlock() == loop.getBody())
        if (Operation *user = findFirstUser(read))
          read->moveBefore(user);
  }
}

void LoopRotation::emitRefilledUses(Value left, EarlyValues &early,
                                    IRMapping &map) {
  Value enable = emitEnable(left, distance);
  unsigned number = 0;
  RingWaitOp wait;
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool isLeft = number < plan.refilled.size();
    if (isLeft && &op == plan.refilled[number].first) {
      // Each of the other rings has been filled since.
      wait = RingWaitOp::create(b, rings[number], i32(0), rings.size() - 1);
      BarrierOp::create(b);
      for (auto [load, memory] :
           llvm::zip_equal(plan.refilled[number].loads, wait.getTiles()))
        map.map(AllocOp(load.alloc).getResult(), memory);
    }
    if (needed.contains(&op))
      b.clone(op, map);
    if (!isLeft || &op != plan.refilled[number].last)
      continue;
    RingReleaseOp::create(b, wait.getSlot());
    // All threads have read the slot.
    BarrierOp::create(b);
    IRMapping addresses = emitAddresses(enable, early);
    emitFill(rings[number], i32(0), plan.refilled[number].loads, enable,
             addresses);
    if (++number == rings.size()) {
      moveOn(early, addresses);
      emitNextIndices(left, early);
    }
  }
}

void LoopRotation::emitBody(scf::ForOp rotated) {
  b.setInsertionPointToStart(rotated.getBody());
  auto arguments = rotated.getRegionIterArgs();
  IRMapping map;
  map.map(loop.getInductionVar(), rotated.getInductionVar());
  for (auto [number, argument] : llvm::zip(remaining, arguments))
    map.map(loop.getRegionIterArgs()[number], argument);
  auto own = arguments.drop_front(remaining.size());
  size_t numOwn = isRefilled() ? 1 : 3;
  EarlyValues early = takeEarly(own.drop_front(numOwn));
  for (auto [value, own] : llvm::zip(needed.getForwarded(), early.forwarded))
    map.map(value, own);
  early.forwarded.erase(early.forwarded.begin(),
                        early.forwarded.begin() + needed.getForwarded().size());
  Value left = own[numOwn - 1];
  SmallVector<Value> slots;
  if (isRefilled())
    emitRefilledUses(left, early, map);
  else
    emitUses(own.take_front(numOwn), early, map, slots);

  SmallVector<Value> yielded;
  for (unsigned number : remaining)
    yielded.push_back(map.lookupOrDefault(loop.getYieldedValues()[number]));
  llvm::append_range(yielded, slots);
  yielded.push_back(arith::SubIOp::create(b, left, count(1)));
  append(early, yielded);
  scf::YieldOp::create(b, yielded);
}

void LoopRotation::replaceLoop(scf::ForOp rotated) {
  for (auto [number, result] : llvm::zip(remaining, rotated.getResults()))
    loop.getResult(number).replaceAllUsesWith(result);
  loop.erase();
}

void LoopRotation::run() {
  if (isRefilled()) {
    sinkRefilledReads();
  } else {
    sinkReadsToUsers();
    rings.push_back(RingOp::create(b, plan.ring));
  }
  for (const RefilledRing &ring : plan.refilled)
    rings.push_back(RingOp::create(b, ring.type));
  Value trips = emitTripCount();
  EarlyValues early = emitPrologue(trips);
  scf::ForOp rotated = createLoop(early, trips);
  emitBody(rotated);
  replaceLoop(rotated);
}

void warp::rotateLoop(PipelinePlan &plan) { LoopRotation(plan).run(); }
