// Splits a function into roles.
//
// The consumer runs the function as it is, but for its loads from descriptors,
// which become waits for slots of rings. The producer runs the control flow
// around the loads, and the loads. Both walk through the same loops and
// branches, so both pass the slots of a ring in the same order, and the
// consumer's program order is an order in which the producer can always go on.

#include "lib/Transforms/Warp/Passes.h"

#include "lib/Analysis/Facts/HostValues.h"
#include "lib/Analysis/Memory/MapStaging.h"
#include "lib/Analysis/Memory/TmaStorePlan.h"
#include "lib/Analysis/SharedMemory/ProducerSlice.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Analysis/Target/RegisterFile.h"
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

/// The op of `block` that `op` is or stands in.
static Operation *getAncestor(Block *block, Operation *op) {
  return block->findAncestorOpInBlock(*op);
}

/// Puts other names of memory next to their first use, so that nobody waits for
/// a tile earlier than needed.
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

static void readInstead(ConvertLayoutOp convert, Value memory) {
  OpBuilder b(convert);
  Value read =
      LocalLoadOp::create(b, convert.getLoc(), convert.getType(), memory);
  convert.getResult().replaceAllUsesWith(read);
  convert.erase();
}

/// The tile of a slot, which `wait` gives, in place of a loaded one.
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

/// The first op of `block` that uses a tile of the group, or releases what was
/// read: the tile has arrived then.
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
  // Nothing releases between the loads; the last may stand behind `first`.
  Operation *op = group.loads.front().load;
  for (const TmaLoad &load : group.loads)
    if (load.load->isBeforeInBlock(op))
      op = load.load;
  for (; op && op != first; op = op->getNextNode())
    if (releases(op))
      return op;
  return first;
}

/// Waits for the group's tiles where they are first used and gives the slot
/// back after their last use.
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

/// Hands over what an op gives, right behind it.
static void handOver(Operation *op, Value ring) {
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

/// Copies `value`, which is computed from arguments and constants, to the
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

/// Makes the descriptors of `groups` that the host knows at the builder, in
/// front of the roles.
static void hoistDescriptors(ArrayRef<LoadGroup> groups, OpBuilder &b) {
  IRMapping map;
  for (const LoadGroup &group : groups)
    for (TmaLoad load : group.loads)
      if (isHostKnown(
              load.load.getDesc().getDefiningOp<tile::MakeDescriptorOp>()))
        load.load.getDescMutable().assign(hoist(load.load.getDesc(), map, b));
}

/// What warpgroups of consumers and one of a producer take of a
/// multiprocessor's registers, or one of each of half of them. A producer that
/// makes tensor maps computes more than places.
static std::array<int32_t, 2> getBudgets(tile::FuncOp func, int32_t numWarps) {
  constexpr int32_t kProducers = 4;
  int32_t producer = getMapStagingBytes(func) != 0 ? 40 : 24;
  int32_t warps = numWarps + kProducers;
  int64_t all =
      warps * getFirstRegisters(warps, /*programs=*/numWarps == 4 ? 2 : 1);
  int64_t consumer = (all - kProducers * producer) / numWarps;
  return {int32_t(llvm::alignDown(consumer, RegisterFile::kUnit)), producer};
}

/// The consumer's warps and the producer's. One warp produces. But a
/// multiprocessor deals its registers to warps in fours, so where two
/// warpgroups consume, a producer of one warp leaves each thread 168; if that
/// is tight it gets a warpgroup, which gives its registers back. So does that
/// of one warpgroup of consumers, where two programs share a multiprocessor.
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

/// Before the plan is carried out.
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

static void remarkRingScalars(ArrayRef<RingScalar> handed) {
  for (const RingScalar &value : handed)
    remark::analysis(
        value.op->getLoc(),
        remark::RemarkOpts::name("HandedOver").category("warp-specialize"))
        << remark::add("its result is handed to the producer, which loads for "
                       "what comes after it then");
}

static void remarkRoles(SpecializeOp roles) {
  constexpr auto kRemark =
      remark::RemarkOpts::name("Roles").category("warp-specialize");
  ArrayRef<int32_t> warps = roles.getWarps();
  remark::detail::InFlightRemark remark =
      remark::analysis(roles.getLoc(), kRemark);
  remark << remark::add("{0} warps consume, {1} produce", warps[0], warps[1]);
  if (roles.getPingPongGroups() > 1)
    remark << remark::add(", {0} teams take tiles in turn",
                          roles.getPingPongGroups());
  remark << remark::metric("ConsumerWarps", warps[0])
         << remark::metric("ProducerWarps", warps[1]);
  if (auto registers = roles.getRegisters(); registers && !registers->empty())
    remark << remark::metric("ConsumerRegisters", (*registers)[0])
           << remark::metric("ProducerRegisters", (*registers)[1]);
}

/// The loops of a tile that wait for the slots of the groups, or the tile.
static SmallVector<SlotLoop> findSlotLoops(const PingPongPlan &teams,
                                           const SpecializePlan &plan,
                                           ArrayRef<Value> rings) {
  SmallVector<SlotLoop> slots;
  if (!teams.tiles)
    return slots;
  for (const LoadGroup &group : plan.groups) {
    auto loop = cast<scf::ForOp>(group.getBlock()->getParentOp());
    slots.push_back(
        {loop == teams.tiles ? scf::ForOp() : loop, rings[group.ring]});
  }
  return slots;
}

/// Why the tiles are not taken in turn, though that was asked for.
static void remarkNoPingPong(const PingPongPlan &teams) {
  remark::missed(
      teams.obstacleOp->getLoc(),
      remark::RemarkOpts::name("NoPingPong").category("warp-specialize"))
      << remark::add("no ping-pong, all warps share each tile: {0}",
                     teams.obstacle);
}

static void shrink(ArrayRef<std::pair<AllocOp, int64_t>> shrunk) {
  for (auto [alloc, bytes] : shrunk)
    alloc.getResult().setType(getStagingType(alloc.getContext(), bytes));
}

static void specialize(tile::FuncOp func, const SpecializePlan &plan,
                       const PingPongPlan &teams) {
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
  SmallVector<Value> numbers;
  for (const RingScalar &value : plan.handed)
    numbers.push_back(RingOp::create(b, value.op->getLoc(), value.ring));
  SmallVector<SlotLoop> slots = findSlotLoops(teams, plan, rings);
  SpecializeOp roles = createRoles(func, plan, b);
  remarkRoles(roles);

  Block &producer = roles.getRegion(1).front();
  b.setInsertionPoint(producer.getTerminator());
  ProducerWriter writer(b, plan.groups, rings, slice);
  for (auto [value, ring] : llvm::zip_equal(plan.handed, numbers))
    writer.takeFrom(value.op, ring);
  writer.write(llvm::make_range(firstOp->getIterator(),
                                body.getTerminator()->getIterator()));

  Block &consumer = roles.getRegion(0).front();
  consumer.getOperations().splice(consumer.begin(), body.getOperations(),
                                  firstOp->getIterator(),
                                  body.getTerminator()->getIterator());
  for (const LoadGroup &group : plan.groups)
    consume(group, rings[group.ring]);
  for (auto [value, ring] : llvm::zip_equal(plan.handed, numbers))
    handOver(value.op, ring);
  if (teams.tiles)
    formPingPong(teams, slots);
}

namespace {
struct Specialize : warp::impl::SpecializeBase<Specialize> {
  using SpecializeBase::SpecializeBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<tile::FuncOp>()) {
      if (isExplicit(func))
        continue;
      PingPongPlan teams;
      SpecializePlan plan = planSpecialization(func, numStages, limit,
                                               pingPong ? &teams : nullptr);
      if (plan.groups.empty())
        continue;
      if (teams.obstacleOp)
        remarkNoPingPong(teams);
      remarkPlan(func, plan);
      remarkRingScalars(plan.handed);
      specialize(func, plan, teams);
    }
  }
};
} // namespace
