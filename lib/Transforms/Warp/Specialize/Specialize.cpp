// Splits a function into roles.
//
// The consumer runs the function, with waits for ring slots instead of loads
// from descriptors. The producer runs the loads and the control flow around
// them. Both run the same loops and branches, so both pass the slots of a ring
// in the same order. The program order of the consumer is therefore an order in
// which the producer never deadlocks.

#include "lib/Transforms/Warp/Passes.h"

#include "lib/Analysis/Facts/HostValues.h"
#include "lib/Analysis/Memory/MapStaging.h"
#include "lib/Analysis/Memory/TmaStorePlan.h"
#include "lib/Analysis/SharedMemory/ProducerSlice.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Analysis/Target/Occupancy.h"
#include "lib/Analysis/Target/OccupancyParameters.h"
#include "lib/Layout/WgmmaTiling.h"
#include "lib/Transforms/Warp/Specialize/PingPongPlan.h"
#include "lib/Transforms/Warp/Specialize/ProducerWriter.h"
#include "lib/Transforms/Warp/Specialize/SpecializePlan.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"

#include <array>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_SPECIALIZE
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

//===----------------------------------------------------------------------===//
// Consumer
//===----------------------------------------------------------------------===//

/// Returns the op of `block` that is `op` or contains it.
static Operation *getAncestor(Block *block, Operation *op) {
  return block->findAncestorOpInBlock(*op);
}

/// Sinks transposes of `memory` to their first use, so that no wait for a tile
/// moves up because of them.
static void sinkTransposes(Value memory) {
  for (Operation *user : memory.getUsers()) {
    auto transpose = dyn_cast<SharedTransposeOp>(user);
    if (!transpose)
      continue;
    sinkTransposes(transpose.getResult());
    Operation *first = nullptr;
    for (Operation *next : transpose->getUsers())
      if (Operation *here = getAncestor(transpose->getBlock(), next))
        if (!first || here->isBeforeInBlock(first))
          first = here;
    if (first)
      transpose->moveBefore(first);
  }
}

/// Replaces `convert` by a read of `memory` in the new layout.
static void readInstead(ConvertLayoutOp convert, Value memory) {
  OpBuilder b(convert);
  Value read =
      LocalLoadOp::create(b, convert.getLoc(), convert.getType(), memory);
  convert.getResult().replaceAllUsesWith(read);
  convert.erase();
}

/// Replaces a loaded tile by `memory`, a tile of the slot of `wait`.
static void replaceTile(const TmaLoad &load, Value memory, RingWaitOp wait) {
  for (AllocOp alloc : load.getServed()) {
    alloc.getResult().replaceAllUsesWith(memory);
    alloc.erase();
  }
  for (ConvertLayoutOp convert : load.getReadInstead())
    readInstead(convert, memory);
  if (!load.tile.use_empty()) {
    OpBuilder b(wait->getContext());
    b.setInsertionPointAfter(wait);
    Value read =
        LocalLoadOp::create(b, load.tile.getLoc(), load.tile.getType(), memory);
    Value tile = load.tile;
    tile.replaceAllUsesWith(read);
  }
  if (Operation *view = load.tile.getDefiningOp(); view != load.load)
    view->erase();
  tile::DescriptorLoadOp(load.load).erase();
}

/// Returns the first op in the block of `group` that uses one of its tiles or
/// releases memory to other CTAs. The tiles must have arrived before it.
static Operation *findFirstUse(const LoadGroup &group) {
  Block *block = group.getBlock();
  Operation *first = nullptr;
  auto add = [&](Operation *user) {
    Operation *here = getAncestor(block, user);
    if (here && (!first || here->isBeforeInBlock(first)))
      first = here;
  };
  for (const TmaLoad &load : group.loads) {
    SmallVector<AllocOp> served = load.getServed();
    for (AllocOp alloc : served) {
      sinkTransposes(alloc.getResult());
      llvm::for_each(alloc->getUsers(), add);
    }
    for (Operation *user : load.tile.getUsers())
      if (!llvm::is_contained(served, user))
        add(user);
  }
  // Nothing releases between the loads; the last may come after `first`.
  Operation *op = group.loads.front().load;
  for (const TmaLoad &load : group.loads)
    if (load.load->isBeforeInBlock(op))
      op = load.load;
  for (; op && op != first; op = op->getNextNode())
    if (releases(op))
      return op;
  return first;
}

/// Waits for the tiles of `group` before their first use and releases the slot
/// after their last use.
static void consume(const LoadGroup &group, Value ring) {
  Block *block = group.getBlock();
  Operation *first = findFirstUse(group);
  OpBuilder b(group.loads.back().load);
  if (first)
    b.setInsertionPoint(first);
  auto wait = RingWaitOp::create(b, group.loads.front().load->getLoc(), ring);
  for (auto [load, memory] : llvm::zip_equal(group.loads, wait.getTiles()))
    replaceTile(load, memory, wait);
  Operation *last = wait;
  for (Operation *user : getTileUsers(wait)) {
    Operation *here = getAncestor(block, user);
    if (here && last->isBeforeInBlock(here))
      last = here;
  }
  b.setInsertionPointAfter(last);
  RingReleaseOp::create(b, wait.getLoc(), wait.getSlot());
}

/// Forwards the result of `op` to the producer right after `op`.
static void forwardScalar(Operation *op, Value ring) {
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  auto acquire = RingAcquireOp::create(b, op->getLoc(), ring);
  RingPutScalarOp::create(b, op->getLoc(), op->getResult(0),
                          acquire.getTiles().front());
  RingCommitOp::create(b, op->getLoc(), acquire.getSlot());
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// Clones the computation of `value` from arguments and constants at the
/// builder.
static Value hoist(Value value, IRMapping &map, OpBuilder &b) {
  if (Value known = map.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op)
    return value;
  for (Value operand : op->getOperands())
    hoist(operand, map, b);
  b.clone(*op, map);
  return map.lookup(value);
}

/// Hoists the descriptors of `groups` that the host knows to the builder,
/// before the roles.
static void hoistDescriptors(ArrayRef<LoadGroup> groups, OpBuilder &b) {
  IRMapping map;
  for (const LoadGroup &group : groups)
    for (TmaLoad load : group.loads)
      if (isHostKnown(
              load.load.getDesc().getDefiningOp<tile::MakeDescriptorOp>()))
        load.load.getDescMutable().assign(hoist(load.load.getDesc(), map, b));
}

/// Returns the registers per thread of consumer and producer warpgroups. They
/// divide all registers of an SM, or half of them with one consumer warpgroup.
/// A producer that makes tensor maps needs more than one that only computes
/// coordinates.
static std::array<int32_t, 2> getBudgets(tile::FuncOp func, int32_t numWarps) {
  constexpr int32_t kProducers = kWarpsPerGroup;
  int32_t producer = getMapStagingBytes(func) != 0
                         ? OccupancyParameters::kMapProducerRegisters
                         : OccupancyParameters::kProducerRegisters;
  int32_t warps = numWarps + kProducers;
  const int64_t numCtas = numWarps == kWarpsPerGroup ? 2 : 1;
  const Occupancy occupancy;
  int64_t all = warps * occupancy.getInitialRegisters(numCtas, warps);
  int64_t consumer = (all - kProducers * producer) / numWarps;
  return {
      int32_t(llvm::alignDown(consumer, occupancy.getResources().registerUnit)),
      producer};
}

/// Creates the consumer and the producer role. The producer has one warp,
/// except in two cases, in which it is a warpgroup that releases its registers:
///   1. Two consumer warpgroups need more than 168 registers per thread. An SM
///      allots registers to four warps at a time, so a ninth warp costs as much
///      as a third warpgroup.
///   2. Two CTAs of one consumer warpgroup share an SM and need more registers
///      than an even split gives.
static SpecializeOp createRoles(tile::FuncOp func, const SpecializePlan &plan,
                                OpBuilder &b) {
  int32_t numWarps =
      func->getAttrOfType<IntegerAttr>(WarpDialect::kNumWarpsAttr).getInt();
  numWarps *= plan.numGroups;
  bool givesBack = plan.isTight || plan.isHalved;
  int32_t producers = givesBack ? 4 : 1;
  auto roles = SpecializeOp::create(b, func.getLoc(), {numWarps, producers});
  roles.setPingPongGroups(plan.numGroups);
  if (givesBack)
    roles.setRegisters(getBudgets(func, numWarps));
  func->setAttr(WarpDialect::kBlockWarpsAttr,
                b.getI32IntegerAttr(numWarps + producers));
  return roles;
}

/// Remarks on the plan; runs before the plan changes the function.
static void remarkPlan(tile::FuncOp func, const SpecializePlan &plan) {
  constexpr auto kRemark =
      remark::RemarkOpts::name("Specialized").category("warp-specialize");
  for (const LoadGroup &group : plan.groups) {
    RingType ring = plan.rings[group.ring];
    for (const TmaLoad &load : group.loads)
      remark::passed(load.load->getLoc(), kRemark)
          << remark::add("loaded by a producer warp, into ring {0} of at "
                         "least {1} slots of {2} bytes",
                         group.ring, ring.getNumSlots(), ring.getSlotBytes());
    int64_t wanted = group.wantedSlots;
    if (ring.getNumSlots() < wanted)
      remark::missed(group.loads.front().load->getLoc(), kRemark)
          << remark::add("a ring of {0} slots instead of {1}: no more fit into "
                         "shared memory",
                         ring.getNumSlots(), wanted);
  }
}

static void remarkRingScalars(ArrayRef<RingScalar> scalars) {
  for (const RingScalar &value : scalars)
    remark::analysis(
        value.op->getLoc(),
        remark::RemarkOpts::name("Forwarded").category("warp-specialize"))
        << remark::add("its result is forwarded to the producer, which waits "
                       "for it before later loads");
}

static void remarkRoles(SpecializeOp roles) {
  constexpr auto kRemark =
      remark::RemarkOpts::name("Roles").category("warp-specialize");
  ArrayRef<int32_t> warps = roles.getWarps();
  remark::detail::InFlightRemark remark =
      remark::analysis(roles.getLoc(), kRemark);
  remark << remark::add("{0} warps consume, {1} produce", warps[0], warps[1]);
  if (roles.getPingPongGroups() > 1)
    remark << remark::add(", {0} ping-pong groups alternate between tiles",
                          roles.getPingPongGroups());
  remark << remark::metric("ConsumerWarps", warps[0])
         << remark::metric("ProducerWarps", warps[1]);
  if (auto registers = roles.getRegisters(); registers && !registers->empty())
    remark << remark::metric("ConsumerRegisters", (*registers)[0])
           << remark::metric("ProducerRegisters", (*registers)[1]);
}

/// Returns for each group the loop within a tile that waits for its slots.
static SmallVector<SlotLoop> findSlotLoops(const PingPongPlan &pingPong,
                                           const SpecializePlan &plan,
                                           ArrayRef<Value> rings) {
  SmallVector<SlotLoop> slots;
  if (!pingPong.tiles)
    return slots;
  for (const LoadGroup &group : plan.groups) {
    auto loop = cast<scf::ForOp>(group.getBlock()->getParentOp());
    slots.push_back(
        {loop == pingPong.tiles ? scf::ForOp() : loop, rings[group.ring]});
  }
  return slots;
}

/// Remarks why ping-pong is not possible though the user asked for it.
static void remarkNoPingPong(const PingPongPlan &pingPong) {
  remark::missed(
      pingPong.obstacleOp->getLoc(),
      remark::RemarkOpts::name("NoPingPong").category("warp-specialize"))
      << remark::add("no ping-pong, all warps share each tile: {0}",
                     pingPong.obstacle);
}

static void shrink(ArrayRef<std::pair<AllocOp, int64_t>> shrunk) {
  for (auto [alloc, bytes] : shrunk)
    alloc.getResult().setType(getStagingType(alloc.getContext(), bytes));
}

static void specialize(tile::FuncOp func, const SpecializePlan &plan,
                       const PingPongPlan &pingPong) {
  shrink(plan.shrunk);
  SmallVector<tile::DescriptorLoadOp> loads;
  for (const LoadGroup &group : plan.groups)
    for (const TmaLoad &load : group.loads)
      loads.push_back(load.load);
  ProducerSlice slice(func, loads);
  Block &body = func.getBody().front();
  Operation *firstOp = &body.front();
  OpBuilder b(func.getContext());
  b.setInsertionPointToStart(&body);
  hoistDescriptors(plan.groups, b);
  SmallVector<Value> rings;
  for (RingType ring : plan.rings)
    rings.push_back(RingOp::create(b, func.getLoc(), ring));
  SmallVector<Value> scalarRings;
  for (const RingScalar &value : plan.scalars)
    scalarRings.push_back(RingOp::create(b, value.op->getLoc(), value.ring));
  SmallVector<SlotLoop> slots = findSlotLoops(pingPong, plan, rings);
  SpecializeOp roles = createRoles(func, plan, b);
  remarkRoles(roles);

  Block &producer = roles.getRegion(1).front();
  b.setInsertionPoint(producer.getTerminator());
  ProducerWriter writer(b, plan.groups, rings, slice);
  for (auto [value, ring] : llvm::zip_equal(plan.scalars, scalarRings))
    writer.readFromRing(value.op, ring);
  writer.write(llvm::make_range(firstOp->getIterator(),
                                body.getTerminator()->getIterator()));

  Block &consumer = roles.getRegion(0).front();
  consumer.getOperations().splice(consumer.begin(), body.getOperations(),
                                  firstOp->getIterator(),
                                  body.getTerminator()->getIterator());
  for (const LoadGroup &group : plan.groups)
    consume(group, rings[group.ring]);
  for (auto [value, ring] : llvm::zip_equal(plan.scalars, scalarRings))
    forwardScalar(value.op, ring);
  if (pingPong.tiles)
    formPingPong(pingPong, slots);
}

namespace {
struct Specialize : warp::impl::SpecializeBase<Specialize> {
  using SpecializeBase::SpecializeBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<tile::FuncOp>()) {
      if (isExplicit(func))
        continue;
      PingPongPlan pingPongPlan;
      SpecializePlan plan = planSpecialization(
          func, numStages, limit, pingPong ? &pingPongPlan : nullptr);
      if (plan.groups.empty())
        continue;
      if (pingPongPlan.obstacleOp)
        remarkNoPingPong(pingPongPlan);
      remarkPlan(func, plan);
      remarkRingScalars(plan.scalars);
      specialize(func, plan, pingPongPlan);
    }
  }
};
} // namespace
