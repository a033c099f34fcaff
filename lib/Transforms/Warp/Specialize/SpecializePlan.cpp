#include "lib/Transforms/Warp/Specialize/SpecializePlan.h"

#include "lib/Analysis/SharedMemory/ProducerSlice.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Transforms/Warp/Specialize/PingPongPlan.h"
#include "lib/Transforms/Warp/Specialize/RegisterBudget.h"
#include "lib/Transforms/Warp/Specialize/SpecializeMemory.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

//===----------------------------------------------------------------------===//
// Values that consumers hand over
//===----------------------------------------------------------------------===//

/// A ring through which one number goes at a time.
static RingType getNumberRing(Type number) {
  MLIRContext *context = number.getContext();
  auto layout =
      LinearAttr::get(context, LinearLayout::identity(LayoutAxis::Offset,
                                                      dimAxis(0), /*bits=*/1));
  return RingType::get(context, /*numSlots=*/1,
                       {SharedType::get(context, {2}, number, layout)},
                       Completion::Transactions);
}

/// What the consumers have to hand over.
static SmallVector<RingScalar> findRingScalars(tile::FuncOp func,
                                               ArrayRef<LoadGroup> groups) {
  SmallVector<tile::DescriptorLoadOp> loads;
  for (const LoadGroup &group : groups)
    for (const TmaLoad &load : group.loads)
      loads.push_back(load.load);
  SmallVector<RingScalar> handed;
  ProducerSlice slice(func, loads);
  for (Operation *op : slice.getRingScalars())
    handed.push_back({op, getNumberRing(op->getResult(0).getType())});
  return handed;
}

//===----------------------------------------------------------------------===//
// Programs of a multiprocessor
//===----------------------------------------------------------------------===//

/// The memory of stores behind all that needs what was loaded: it lies in the
/// slots of rings.
static SmallVector<Operation *> findBehind(tile::FuncOp func,
                                           const SpecializePlan &plan) {
  Block *body = &func.getBody().front();
  Operation *last = &body->front();
  auto add = [&](Operation *user) {
    Operation *here = body->findAncestorOpInBlock(*user);
    if (here && last->isBeforeInBlock(here))
      last = here;
  };
  for (const LoadGroup &group : plan.groups)
    for (const TmaLoad &load : group.loads) {
      add(load.load);
      llvm::for_each(load.tile.getUsers(), add);
      for (AllocOp alloc : load.getServed())
        llvm::for_each(getTileUsers(alloc), add);
    }
  SmallVector<Operation *> behind;
  func.walk([&](AllocOp alloc) {
    bool isBehind = llvm::all_of(getTileUsers(alloc), [&](Operation *user) {
      Operation *here = body->findAncestorOpInBlock(*user);
      return here && last->isBeforeInBlock(here);
    });
    if (isBehind && !alloc.getSource())
      behind.push_back(alloc);
  });
  return behind;
}

/// The plan with memory for that many programs, if rings then have slots
/// enough.
static std::optional<SpecializePlan>
planPrograms(SpecializePlan plan, tile::FuncOp func, int64_t numStages,
             int64_t limit, int64_t programs, int64_t leastSlots) {
  limit = (limit + kReservedSharedBytes) / programs - kReservedSharedBytes;
  plan.behind = findBehind(func, plan);
  if (planMemory(plan, func, numStages, limit) == 0 ||
      !areDeep(plan, leastSlots))
    return std::nullopt;
  return plan;
}

SpecializePlan warp::planSpecialization(tile::FuncOp func, int64_t numStages,
                                        int64_t limit, PingPongPlan *teams) {
  // Copies run ahead while an iteration holds the slots of the one before; of
  // chained products a second slot is enough if there are programs beside.
  constexpr int64_t kDeep = 3, kLeastDeep = 2;
  SpecializePlan plan;
  plan.groups = collectGroups(func);
  if (plan.groups.empty())
    return plan;
  assignRings(plan, numStages);
  plan.handed = findRingScalars(func, plan.groups);
  if (teams) {
    *teams = planPingPong(func, plan);
    plan.numGroups = teams->tiles ? PingPongPlan::kNumPingPongGroups : 1;
  }
  const RegisterBudget registers(func, plan.numGroups);
  plan.isTight = registers.areTight();
  const bool chained = registers.areChained();
  int64_t wanted = registers.countPrograms();
  SpecializePlan start = plan;
  int64_t programs = planMemory(plan, func, numStages, limit);
  for (; wanted > programs; --wanted)
    if (auto more = planPrograms(start, func, numStages, limit, wanted,
                                 chained ? kLeastDeep : kDeep)) {
      plan = std::move(*more);
      programs = wanted;
    }
  plan.isHalved = registers.needHalf() && programs >= 2;
  return plan;
}
