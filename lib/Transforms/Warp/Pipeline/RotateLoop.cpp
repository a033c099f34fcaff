// Rotates a loop around a ring.
//
// With N slots the copies run N - 1 iterations ahead: those of the first N - 1
// iterations are issued before the loop, those of iteration i + N - 1 in
// iteration i, behind the barrier that tells that slot (i - 1) mod N has been
// read by all, and under the first products that tensor cores compute alone.
// Addresses are computed once more, ahead: the loop carries a second set of the
// values that they depend on. Copies of iterations that will not be are
// switched off, but their groups are committed all the same, so that the number
// of groups to wait for never changes.
//
// Rings of one slot are filled for the next iteration behind the last product
// of this one that needs it: the copies of one arrive under the work with the
// others.
//
// Where addresses depend on what is loaded (an index, the page of a table),
// these loads run one iteration further ahead and their results are carried, so
// that no copy waits for memory. Those of iterations that will not be are
// masked off. A few numbers that follow from them and that the loop itself
// needs are carried on to their iteration.

#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Transforms/Warp/Pipeline/NeededOps.h"
#include "lib/Transforms/Warp/Pipeline/PrefetchSlice.h"
#include "lib/Transforms/Warp/Registers/RegisterUse.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace {

/// All that runs ahead: what the copies see, what the loads see that their
/// addresses depend on, and what these have loaded for the copies. And what is
/// passed on to the iterations whose copies are on their way, the next first.
struct AheadOfLoop {
  Ahead copies, indices;
  SmallVector<Value> loaded;
  SmallVector<Value> passed;
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
  void emitIndices(Value enable, AheadOfLoop &ahead);
  IRMapping emitAddresses(Value enable, AheadOfLoop &ahead);
  void emitFill(Value ring, Value slot, ArrayRef<PipelinedLoad> loads,
                Value enable, const IRMapping &map);
  void emitCopies(Value slot, Value enable, AheadOfLoop &ahead);
  void moveOn(AheadOfLoop &ahead, const IRMapping &map);
  void emitCopy(const PipelinedLoad &load, Value memory, Value enable,
                const IRMapping &map);
  AheadOfLoop emitPrologue(Value trips);
  void append(const AheadOfLoop &ahead, SmallVectorImpl<Value> &values) const;
  AheadOfLoop takeAhead(ValueRange values) const;
  scf::ForOp createLoop(const AheadOfLoop &ahead, Value trips);
  Operation *findDot();
  Value emitEnable(Value left, int64_t iterations);
  void emitNextIndices(Value left, AheadOfLoop &ahead);
  void emitUses(ValueRange own, AheadOfLoop &ahead, IRMapping &map,
                SmallVectorImpl<Value> &next);
  void sinkRefilledReads();
  void sinkReadsToUsers();
  void emitRefilledUses(Value left, AheadOfLoop &ahead, IRMapping &map);
  void emitBody(scf::ForOp rotated);
  void replaceLoop(scf::ForOp rotated);

  PipelinePlan &plan;
  scf::ForOp loop;
  NeededOps needed;
  ImplicitLocOpBuilder b;
  int64_t distance;
  /// The ring, or those that are refilled.
  SmallVector<Value> rings;
  /// The carried values that are kept, by their old number.
  SmallVector<unsigned> kept;
};

} // namespace

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The number of iterations, as an unsigned integer.
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
// What runs ahead
//===----------------------------------------------------------------------===//

/// Loads what the copies of an iteration depend on, where `enable` holds.
void LoopRotation::emitIndices(Value enable, AheadOfLoop &ahead) {
  IRMapping map;
  emitSlice(b, loop, plan.indices, ahead.indices, enable, map);
  ahead.loaded.clear();
  for (Operation *load : plan.slice.loads)
    ahead.loaded.push_back(map.lookup(load->getResult(0)));
  ahead.indices = advance(b, loop, plan.indices, ahead.indices, map);
}

/// What the copies of an iteration see.
IRMapping LoopRotation::emitAddresses(Value enable, AheadOfLoop &ahead) {
  IRMapping map;
  for (auto [load, value] : llvm::zip_equal(plan.slice.loads, ahead.loaded))
    map.map(load->getResult(0), value);
  emitSlice(b, loop, plan.slice, ahead.copies, enable, map);
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

/// Fills slot number `slot` where `enable` holds.
void LoopRotation::emitCopies(Value slot, Value enable, AheadOfLoop &ahead) {
  IRMapping map = emitAddresses(enable, ahead);
  if (!isRefilled())
    emitFill(rings.front(), slot, plan.loads, enable, map);
  for (auto [ring, refilled] : llvm::zip(rings, plan.refilled))
    emitFill(ring, slot, refilled.loads, enable, map);
  moveOn(ahead, map);
}

/// To the iteration behind the one that `map` was computed for.
void LoopRotation::moveOn(AheadOfLoop &ahead, const IRMapping &map) {
  for (Value value : needed.getPassed())
    ahead.passed.push_back(map.lookup(value));
  ahead.copies = advance(b, loop, plan.slice, ahead.copies, map);
}

/// All indices are loaded before the first copy waits for one of them.
AheadOfLoop LoopRotation::emitPrologue(Value trips) {
  auto isRun = [&](int64_t iteration) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, trips,
                                 count(iteration));
  };
  AheadOfLoop ahead{
      getFirst(loop, plan.slice), getFirst(loop, plan.indices), {}, {}};
  SmallVector<SmallVector<Value>> loaded(distance + 1);
  if (hasIndices())
    for (int64_t i = 0; i <= distance; ++i) {
      emitIndices(isRun(i), ahead);
      loaded[i] = ahead.loaded;
    }
  for (int64_t i = 0; i < distance; ++i) {
    Value enable = isRun(i);
    ahead.loaded = loaded[i];
    emitCopies(i32(i), enable, ahead);
  }
  ahead.loaded = loaded[distance];
  return ahead;
}

void LoopRotation::append(const AheadOfLoop &ahead,
                          SmallVectorImpl<Value> &values) const {
  ahead.copies.appendTo(values);
  if (!hasIndices())
    return;
  ahead.indices.appendTo(values);
  llvm::append_range(values, ahead.loaded);
  llvm::append_range(values, ahead.passed);
}

/// What `append` has appended, as the loop's arguments.
AheadOfLoop LoopRotation::takeAhead(ValueRange values) const {
  auto take = [&](size_t count) {
    SmallVector<Value> taken(values.take_front(count));
    values = values.drop_front(count);
    return taken;
  };
  AheadOfLoop ahead;
  ahead.copies = {take(1).front(), take(plan.slice.carried.size())};
  if (!hasIndices())
    return ahead;
  ahead.indices = {take(1).front(), take(plan.indices.carried.size())};
  ahead.loaded = take(plan.slice.loads.size());
  ahead.passed = take(needed.getPassed().size() * distance);
  return ahead;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Carries: what was carried and is kept; the slot to read and the slot to
/// fill, if there are several; the iterations that are left; what runs ahead.
scf::ForOp LoopRotation::createLoop(const AheadOfLoop &ahead, Value trips) {
  SmallVector<Value> inits;
  for (unsigned number = 0; number < loop.getInits().size(); ++number)
    if (needed.carries(number)) {
      kept.push_back(number);
      inits.push_back(loop.getInits()[number]);
    }
  if (!isRefilled())
    inits.append({i32(0), i32(distance)});
  inits.push_back(trips);
  append(ahead, inits);
  auto rotated =
      scf::ForOp::create(b, loop.getLowerBound(), loop.getUpperBound(),
                         loop.getStep(), inits, nullptr, loop.getUnsignedCmp());
  rotated->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  return rotated;
}

/// The last of the products that tensor cores start to compute first, on their
/// own: what runs ahead is issued meanwhile. Null for none.
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

void LoopRotation::emitNextIndices(Value left, AheadOfLoop &ahead) {
  if (hasIndices())
    emitIndices(emitEnable(left, distance + 1), ahead);
}

/// `own` is the slot to read, the slot to fill, and the iterations that are
/// left; the first two of the next iteration are added to `next`.
void LoopRotation::emitUses(ValueRange own, AheadOfLoop &ahead, IRMapping &map,
                            SmallVectorImpl<Value> &next) {
  Value read = own[0], fill = own[1], left = own[2];
  auto wait = RingWaitOp::create(b, rings.front(), read, distance - 1);
  // What all threads have copied is there, and all have read the slot to fill.
  BarrierOp::create(b);
  auto emitAhead = [&] {
    emitCopies(fill, emitEnable(left, distance), ahead);
    emitNextIndices(left, ahead);
  };
  Operation *product = findDot();
  if (!product)
    emitAhead();
  for (auto [load, memory] : llvm::zip_equal(plan.loads, wait.getTiles()))
    map.map(AllocOp(load.alloc).getResult(), memory);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (needed.contains(&op))
      b.clone(op, map);
    if (&op == product)
      emitAhead();
  }
  RingReleaseOp::create(b, wait.getSlot());
  Value after = arith::AddIOp::create(b, read, i32(1));
  Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, after,
                                      i32(distance + 1));
  after = arith::SelectOp::create(b, wraps, i32(0), after);
  // The slot that was read is the next to be filled.
  next.append({after, read});
}

/// Moves what reads a slot that is refilled in front of the first product that
/// needs it.
void LoopRotation::sinkRefilledReads() {
  for (RefilledRing &ring : plan.refilled) {
    Operation *product = ring.first;
    for (const PipelinedLoad &load : ring.loads) {
      AllocOp alloc = load.alloc;
      for (Operation *read : getTileUsers(alloc)) {
        read->moveBefore(product);
        if (ring.first == product)
          ring.first = read;
      }
    }
  }
}

/// Moves what reads a slot right in front of what needs it, where registers are
/// few: the slot holds it until the end of the iteration.
void LoopRotation::sinkReadsToUsers() {
  auto function = loop->getParentOfType<FunctionOpInterface>();
  if (countMostHeld(loop) + kBesideTiles <= getRegisterLimit(function, 0))
    return;
  for (const PipelinedLoad &load : plan.loads) {
    AllocOp alloc = load.alloc;
    for (Operation *read : getTileUsers(alloc))
      if (isa<LocalLoadOp>(read) && read->getBlock() == loop.getBody())
        if (Operation *user = findFirstUser(read))
          read->moveBefore(user);
  }
}

void LoopRotation::emitRefilledUses(Value left, AheadOfLoop &ahead,
                                    IRMapping &map) {
  Value enable = emitEnable(left, distance);
  unsigned number = 0;
  RingWaitOp wait;
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool isLeft = number < plan.refilled.size();
    if (isLeft && &op == plan.refilled[number].first) {
      // Each of the others has been filled since.
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
    // All have read the slot.
    BarrierOp::create(b);
    IRMapping addresses = emitAddresses(enable, ahead);
    emitFill(rings[number], i32(0), plan.refilled[number].loads, enable,
             addresses);
    if (++number == rings.size()) {
      moveOn(ahead, addresses);
      emitNextIndices(left, ahead);
    }
  }
}

void LoopRotation::emitBody(scf::ForOp rotated) {
  b.setInsertionPointToStart(rotated.getBody());
  auto arguments = rotated.getRegionIterArgs();
  IRMapping map;
  map.map(loop.getInductionVar(), rotated.getInductionVar());
  for (auto [number, argument] : llvm::zip(kept, arguments))
    map.map(loop.getRegionIterArgs()[number], argument);
  auto own = arguments.drop_front(kept.size());
  size_t numOwn = isRefilled() ? 1 : 3;
  AheadOfLoop ahead = takeAhead(own.drop_front(numOwn));
  for (auto [value, own] : llvm::zip(needed.getPassed(), ahead.passed))
    map.map(value, own);
  ahead.passed.erase(ahead.passed.begin(),
                     ahead.passed.begin() + needed.getPassed().size());
  Value left = own[numOwn - 1];
  SmallVector<Value> slots;
  if (isRefilled())
    emitRefilledUses(left, ahead, map);
  else
    emitUses(own.take_front(numOwn), ahead, map, slots);

  SmallVector<Value> yielded;
  for (unsigned number : kept)
    yielded.push_back(map.lookupOrDefault(loop.getYieldedValues()[number]));
  llvm::append_range(yielded, slots);
  yielded.push_back(arith::SubIOp::create(b, left, count(1)));
  append(ahead, yielded);
  scf::YieldOp::create(b, yielded);
}

void LoopRotation::replaceLoop(scf::ForOp rotated) {
  for (auto [number, result] : llvm::zip(kept, rotated.getResults()))
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
  AheadOfLoop ahead = emitPrologue(trips);
  scf::ForOp rotated = createLoop(ahead, trips);
  emitBody(rotated);
  replaceLoop(rotated);
}

void warp::rotateLoop(PipelinePlan &plan) { LoopRotation(plan).run(); }
