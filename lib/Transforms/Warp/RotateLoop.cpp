// Rotates a loop around a ring.
//
// With N slots the copies run N - 1 iterations ahead: those of the first N - 1
// iterations are issued before the loop, those of iteration i + N - 1 in
// iteration i, behind the barrier that tells that slot (i - 1) mod N has been
// read by all. Addresses are computed once more, ahead: the loop carries a
// second set of the values that they depend on. Copies of iterations that will
// not be are switched off, but their groups are committed all the same, so that
// the number of groups to wait for never changes.

#include "lib/Transforms/Warp/PipelinePlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace {

/// What of a loop's body is still needed once its loads are copies.
class NeededOps {
public:
  explicit NeededOps(const PipelinePlan &plan);

  bool contains(Operation *op) const { return ops.contains(op); }
  bool carries(unsigned number) const { return carried.contains(number); }

private:
  void visit(Value value);

  scf::ForOp loop;
  llvm::SmallPtrSet<Operation *, 32> ops;
  llvm::SmallSetVector<unsigned, 8> carried;
  SmallVector<Operation *> open;
};

/// The values that run ahead of the loop, as the copies of one iteration see
/// them.
struct Ahead {
  Value index;
  SmallVector<Value> carried;
};

class LoopRotation {
public:
  explicit LoopRotation(PipelinePlan &plan)
      : plan(plan), loop(plan.loop), needed(plan), b(loop.getLoc(), loop),
        distance(plan.ring.getNumSlots() - 1) {}

  void run();

private:
  Value i32(int64_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  }
  Value count(int64_t value) {
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(loop.getInductionVar().getType(), value));
  }

  Value emitTripCount();
  Ahead emitCopies(Value slot, Value enable, const Ahead &ahead);
  void emitCopy(const PipelinedLoad &load, Value memory, Value enable,
                const IRMapping &map);
  Ahead emitPrologue(Value trips);
  scf::ForOp createLoop(const Ahead &ahead, Value trips);
  void emitBody(scf::ForOp rotated);
  void replaceLoop(scf::ForOp rotated);

  PipelinePlan &plan;
  scf::ForOp loop;
  NeededOps needed;
  ImplicitLocOpBuilder b;
  int64_t distance;
  Value ring;
  /// The carried values that are kept, by their old number.
  SmallVector<unsigned> kept;
};

} // namespace

//===----------------------------------------------------------------------===//
// What is needed
//===----------------------------------------------------------------------===//

NeededOps::NeededOps(const PipelinePlan &plan) : loop(plan.loop) {
  for (const PipelinedLoad &load : plan.loads) {
    // Visited already, as it were.
    ops.insert(load.load);
    ops.insert(load.alloc);
  }
  for (Operation &op : loop.getBody()->without_terminator())
    if (!isMemoryEffectFree(&op) && ops.insert(&op).second)
      open.push_back(&op);
  for (auto [number, result] : llvm::enumerate(loop.getResults()))
    if (!result.use_empty())
      visit(loop.getRegionIterArgs()[number]);
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    for (Value operand : op->getOperands())
      visit(operand);
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value value : captured)
      visit(value);
  }
  for (const PipelinedLoad &load : plan.loads) {
    ops.erase(load.load);
    ops.erase(load.alloc);
  }
}

void NeededOps::visit(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.getBody() ||
        argument == loop.getInductionVar())
      return;
    unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
    if (carried.insert(number))
      visit(loop.getYieldedValues()[number]);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (op->getBlock() == loop.getBody() && ops.insert(op).second)
    open.push_back(op);
}

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

/// Fills slot number `slot` where `enable` holds, and gives what the copies
/// of the next iteration see.
Ahead LoopRotation::emitCopies(Value slot, Value enable, const Ahead &ahead) {
  IRMapping map;
  map.map(loop.getInductionVar(), ahead.index);
  for (auto [number, value] :
       llvm::zip_equal(plan.slice.carried, ahead.carried))
    map.map(loop.getRegionIterArgs()[number], value);
  for (Operation &op : loop.getBody()->without_terminator())
    if (plan.slice.ops.contains(&op))
      b.clone(op, map);
  auto acquire = RingAcquireOp::create(b, ring, slot);
  for (auto [load, memory] : llvm::zip_equal(plan.loads, acquire.getTiles()))
    emitCopy(load, memory, enable, map);
  RingCommitOp::create(b, acquire.getSlot());
  Ahead next;
  next.index = arith::AddIOp::create(b, ahead.index, loop.getStep());
  for (unsigned number : plan.slice.carried)
    next.carried.push_back(
        map.lookupOrDefault(loop.getYieldedValues()[number]));
  return next;
}

Ahead LoopRotation::emitPrologue(Value trips) {
  Ahead ahead;
  ahead.index = loop.getLowerBound();
  for (unsigned number : plan.slice.carried)
    ahead.carried.push_back(loop.getInits()[number]);
  for (int64_t i = 0; i < distance; ++i) {
    Value enable =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, trips, count(i));
    ahead = emitCopies(i32(i), enable, ahead);
  }
  return ahead;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Carries: what was carried and is kept; the slot to read; the slot to fill;
/// the iterations that are left; what runs ahead.
scf::ForOp LoopRotation::createLoop(const Ahead &ahead, Value trips) {
  SmallVector<Value> inits;
  for (unsigned number = 0; number < loop.getInits().size(); ++number)
    if (needed.carries(number)) {
      kept.push_back(number);
      inits.push_back(loop.getInits()[number]);
    }
  inits.append({i32(0), i32(distance), trips, ahead.index});
  llvm::append_range(inits, ahead.carried);
  auto rotated =
      scf::ForOp::create(b, loop.getLowerBound(), loop.getUpperBound(),
                         loop.getStep(), inits, nullptr, loop.getUnsignedCmp());
  rotated->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  return rotated;
}

void LoopRotation::emitBody(scf::ForOp rotated) {
  b.setInsertionPointToStart(rotated.getBody());
  auto arguments = rotated.getRegionIterArgs();
  IRMapping map;
  map.map(loop.getInductionVar(), rotated.getInductionVar());
  for (auto [number, argument] : llvm::zip(kept, arguments))
    map.map(loop.getRegionIterArgs()[number], argument);
  auto own = arguments.drop_front(kept.size());
  Value read = own[0], fill = own[1], left = own[2];

  auto wait = RingWaitOp::create(b, ring, read, distance - 1);
  // What all threads have copied is there, and all have read the slot to fill.
  BarrierOp::create(b);
  Value enable = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, left,
                                       count(distance));
  Ahead ahead =
      emitCopies(fill, enable, {own[3], SmallVector<Value>(own.drop_front(4))});
  for (auto [load, memory] : llvm::zip_equal(plan.loads, wait.getTiles()))
    map.map(AllocOp(load.alloc).getResult(), memory);
  for (Operation &op : loop.getBody()->without_terminator())
    if (needed.contains(&op))
      b.clone(op, map);
  RingReleaseOp::create(b, wait.getSlot());

  SmallVector<Value> yielded;
  for (unsigned number : kept)
    yielded.push_back(map.lookupOrDefault(loop.getYieldedValues()[number]));
  Value next = arith::AddIOp::create(b, read, i32(1));
  Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next,
                                      i32(distance + 1));
  next = arith::SelectOp::create(b, wraps, i32(0), next);
  // The slot that was read is the next to be filled.
  yielded.append(
      {next, read, arith::SubIOp::create(b, left, count(1)), ahead.index});
  llvm::append_range(yielded, ahead.carried);
  scf::YieldOp::create(b, yielded);
}

void LoopRotation::replaceLoop(scf::ForOp rotated) {
  for (auto [number, result] : llvm::zip(kept, rotated.getResults()))
    loop.getResult(number).replaceAllUsesWith(result);
  loop.erase();
}

void LoopRotation::run() {
  ring = RingOp::create(b, plan.ring);
  Value trips = emitTripCount();
  Ahead ahead = emitPrologue(trips);
  scf::ForOp rotated = createLoop(ahead, trips);
  emitBody(rotated);
  replaceLoop(rotated);
}

void warp::rotateLoop(PipelinePlan &plan) { LoopRotation(plan).run(); }
