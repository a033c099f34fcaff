#include "lib/Transforms/Warp/Specialize/SpecializePlan.h"

#include "lib/Analysis/SharedMemory/ProducerSlice.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Analysis/Target/Occupancy.h"
#include "lib/Analysis/Target/OccupancyParameters.h"
#include "lib/Transforms/Warp/Specialize/PingPongPlan.h"
#include "lib/Transforms/Warp/Specialize/RegisterBudget.h"
#include "lib/Transforms/Warp/Specialize/SpecializeMemory.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

//===----------------------------------------------------------------------===//
// Scalars that consumers forward
//===----------------------------------------------------------------------===//

/// Returns the type of a ring that forwards one scalar at a time.
static RingType getScalarRing(Type scalar) {
  MLIRContext *context = scalar.getContext();
  auto layout =
      LinearAttr::get(context, LinearLayout::identity(LayoutAxis::Offset,
                                                      dimAxis(0), /*bits=*/1));
  return RingType::get(context, /*numSlots=*/1,
                       {SharedType::get(context, {2}, scalar, layout)},
                       Completion::Transactions);
}

/// Returns the scalars that the consumers have to forward to the producer.
static SmallVector<RingScalar> findRingScalars(tile::FuncOp func,
                                               ArrayRef<LoadGroup> groups) {
  SmallVector<tile::DescriptorLoadOp> loads;
  for (const LoadGroup &group : groups)
    for (const TmaLoad &load : group.loads)
      loads.push_back(load.load);
  SmallVector<RingScalar> scalars;
  ProducerSlice slice(func, loads);
  for (Operation *op : slice.getRingScalars())
    scalars.push_back({op, getScalarRing(op->getResult(0).getType())});
  return scalars;
}

//===----------------------------------------------------------------------===//
// CTAs per SM
//===----------------------------------------------------------------------===//

/// Returns the staging buffers of stores that come after the last use of every
/// loaded tile. They can reuse the ring slots.
static SmallVector<Operation *> findSlotReuses(tile::FuncOp func,
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
  SmallVector<Operation *> reuses;
  func.walk([&](AllocOp alloc) {
    bool isAfterLast = llvm::all_of(getTileUsers(alloc), [&](Operation *user) {
      Operation *here = body->findAncestorOpInBlock(*user);
      return here && last->isBeforeInBlock(here);
    });
    if (isAfterLast && !alloc.getSource())
      reuses.push_back(alloc);
  });
  return reuses;
}

/// Returns the plan with memory for `numCtas` CTAs per SM, or nothing if a ring
/// then has fewer than `leastSlots` slots.
static std::optional<SpecializePlan>
planOccupancy(SpecializePlan plan, tile::FuncOp func, int64_t numStages,
              int64_t limit, int64_t numCtas, int64_t leastSlots) {
  limit = Occupancy::forEstimates(limit).getSharedBytes(numCtas);
  plan.reusesSlots = findSlotReuses(func, plan);
  if (planMemory(plan, func, numStages, limit) == 0 ||
      !areDeep(plan, leastSlots))
    return std::nullopt;
  return plan;
}

SpecializePlan warp::planSpecialization(tile::FuncOp func, int64_t numStages,
                                        int64_t limit, PingPongPlan *pingPong) {
  // Prefetching needs three slots, because an iteration still holds the slot of
  // the one before. Chained dots get by with two if occupancy hides latency.
  constexpr int64_t kMinSlots = OccupancyParameters::kMinSlots,
                    kMinChainedSlots = OccupancyParameters::kMinChainedSlots;
  SpecializePlan plan;
  plan.groups = collectGroups(func);
  if (plan.groups.empty())
    return plan;
  assignRings(plan, numStages);
  plan.scalars = findRingScalars(func, plan.groups);
  if (pingPong) {
    *pingPong = planPingPong(func, plan);
    plan.numGroups = pingPong->tiles ? PingPongPlan::kNumPingPongGroups : 1;
  }
  const RegisterBudget registers(func, plan.numGroups);
  plan.isTight = registers.areTight();
  const bool chained = registers.areChained();
  int64_t wanted = registers.countCtas();
  SpecializePlan start = plan;
  int64_t numCtas = planMemory(plan, func, numStages, limit);
  for (; wanted > numCtas; --wanted)
    if (auto more = planOccupancy(start, func, numStages, limit, wanted,
                                  chained ? kMinChainedSlots : kMinSlots)) {
      plan = std::move(*more);
      numCtas = wanted;
    }
  plan.isHalved = registers.needHalf() && numCtas >= 2;
  return plan;
}
