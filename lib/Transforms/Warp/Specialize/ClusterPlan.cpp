#include "lib/Transforms/Warp/Specialize/ClusterPlan.h"

#include "lib/Analysis/Facts/HostValues.h"
#include "lib/Analysis/Facts/ProgramVariation.h"
#include "lib/Layout/TmaTiling.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Whether ops next to `value` can compute its value in another CTA of the
/// cluster.
static bool canRecompute(Value value, scf::ForOp programs,
                         ProgramVariation &variation) {
  if (variation.isCommon(value) ||
      (programs && value == programs.getInductionVar()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return canRecompute(operand, programs, variation);
  });
}

static bool hasParts(TmaLoadOp load, unsigned numParts) {
  SharedType memory = load.getMemory().getType();
  return planTma(memory.getLayout().getLayout(),
                 8 * getElementBytes(memory.getElementType()), numParts)
      .has_value();
}

/// Collects the loads of `role` that neighbouring programs share.
static void findLoads(const ClusterRole &role, unsigned clusterSize,
                      ProgramVariation &variation, ClusterPlan &plan) {
  role.region->walk([&](TmaLoadOp load) {
    auto acquire = load.getMemory().getDefiningOp<RingAcquireOp>();
    Variation most = variation.get(load.getMap());
    for (Value offset : load.getOffsets())
      most = std::max(most, variation.get(offset));
    if (!acquire || most == Variation::Often || !hasParts(load, clusterSize) ||
        !llvm::all_of(load.getOffsets(), [&](Value offset) {
          return canRecompute(offset, role.programs, variation);
        }))
      return;
    plan.loads.push_back({load, most == Variation::Never});
    plan.rings.insert(acquire.getRing());
  });
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Returns the only op of a role that handles slots, if it is a loop that
/// starts at the id of the CTA.
static scf::ForOp findPrograms(Region &role) {
  Operation *only = nullptr;
  for (Operation &op : role.front()) {
    bool handlesSlots = op.walk([](Operation *inner) {
                            return isa<RingAcquireOp, RingWaitOp>(inner)
                                       ? WalkResult::interrupt()
                                       : WalkResult::advance();
                          }).wasInterrupted();
    if (!handlesSlots)
      continue;
    if (only)
      return {};
    only = &op;
  }
  auto loop = dyn_cast_or_null<scf::ForOp>(only);
  auto id = loop ? loop.getLowerBound().getDefiningOp<tile::ProgramIdOp>()
                 : tile::ProgramIdOp();
  return id && id.getAxis() == tile::Axis::X ? loop : scf::ForOp();
}

/// Returns why the loop over programs of a role prevents clusters, or nothing.
static StringRef checkPrograms(const ClusterRole &role,
                               ProgramVariation &variation) {
  scf::ForOp loop = role.programs;
  if (!loop)
    return "";
  if (!variation.isCommon(loop.getUpperBound()) ||
      !variation.isCommon(loop.getStep()))
    return "the end and the step of the loop over tiles depend on the program";
  if (!llvm::all_of(loop.getResults(),
                    [](Value result) { return result.use_empty(); }))
    return "results of the loop over tiles are used after it";
  bool isUsed = false;
  role.region->walk([&](tile::ProgramIdOp id) {
    if (id.getAxis() == tile::Axis::X)
      for (OpOperand &use : id->getUses())
        isUsed |= use.getOwner() != loop || use.getOperandNumber() != 0;
  });
  return isUsed ? "the program id has other uses than the start of the loop "
                  "over tiles"
                : "";
}

/// Whether all CTAs of a cluster handle the same number of slots of shared
/// rings. The control flow around these ops must be the same in all of them.
static bool isInStep(const ClusterRole &role, const ClusterPlan &plan,
                     ProgramVariation &variation) {
  auto isCommonStep = [&](Operation *parent) {
    if (auto branch = dyn_cast<scf::IfOp>(parent))
      return variation.isCommon(branch.getCondition());
    auto loop = dyn_cast<scf::ForOp>(parent);
    return loop && (loop == role.programs ||
                    (variation.isCommon(loop.getLowerBound()) &&
                     variation.isCommon(loop.getUpperBound()) &&
                     variation.isCommon(loop.getStep())));
  };
  auto check = [&](Operation *op) {
    Value ring;
    if (auto acquire = dyn_cast<RingAcquireOp>(op))
      ring = acquire.getRing();
    else if (auto wait = dyn_cast<RingWaitOp>(op))
      ring = wait.getRing();
    if (!ring || !plan.rings.contains(ring))
      return WalkResult::advance();
    for (Operation *parent = op->getParentOp(); parent != plan.roles;
         parent = parent->getParentOp())
      if (!isCommonStep(parent))
        return WalkResult::interrupt();
    return WalkResult::advance();
  };
  return !role.region->walk(check).wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Whether `op` has effects that are visible outside of the CTA.
static bool isVisible(Operation *op) {
  // All CTAs wait for the preceding kernels, because all of them load.
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
      isa<tile::LaunchWaitOp, tile::LaunchDependentsOp>(op))
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return !isMemoryEffectFree(op);
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::any_of(instances,
                      [](const MemoryEffects::EffectInstance &effect) {
                        return isa<MemoryEffects::Write, MemoryEffects::Free>(
                                   effect.getEffect()) &&
                               !isa<SharedMemory>(effect.getResource());
                      });
}

/// Collects the stores of a role. Returns why they prevent clusters, or
/// nothing.
static StringRef findStores(ClusterRole &role) {
  StringRef reason;
  role.region->walk([&](Operation *op) {
    if (!isVisible(op))
      return;
    role.stores.push_back(op);
    if (isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op))
      reason = "its programs may wait for each other through atomic operations";
    else if (op->getNumResults() != 0 || op->getNumRegions() != 0)
      reason = "it has side effects with results";
  });
  return reason;
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

static StringRef fill(ClusterPlan &plan, tile::FuncOp func,
                      unsigned clusterSize) {
  if (func->hasAttr(WarpDialect::kClusterSizeAttr))
    return "the kernel forms its own clusters";
  for (auto roles : func.getBody().front().getOps<SpecializeOp>()) {
    if (plan.roles)
      return "it has more than one warp.specialize";
    plan.roles = roles;
  }
  if (!plan.roles)
    return "no producer loads through the tensor memory accelerator";
  auto hasDeviceMap = [](TmaLoadOp load) {
    auto desc = load.getMap().getDefiningOp<tile::MakeDescriptorOp>();
    return desc && !isHostKnown(desc) ? WalkResult::interrupt()
                                      : WalkResult::advance();
  };
  if (plan.roles.walk(hasDeviceMap).wasInterrupted())
    return "it loads through tensor maps that the device makes";
  ProgramVariation variation;
  for (Region &region : plan.roles.getRoles()) {
    ClusterRole role{&region, findPrograms(region), {}};
    if (StringRef reason = checkPrograms(role, variation); !reason.empty())
      return reason;
    if (StringRef reason = findStores(role); !reason.empty())
      return reason;
    findLoads(role, clusterSize, variation, plan);
    plan.parts.push_back(std::move(role));
  }
  if (plan.loads.empty())
    return "neighbouring programs load different blocks of all arrays";
  bool isPersistent = func->hasAttr(WarpDialect::kPersistentAttr);
  for (const ClusterRole &role : plan.parts) {
    if (bool(role.programs) != bool(plan.parts[0].programs) ||
        (isPersistent && !role.programs))
      return "producer and consumers iterate over tiles differently";
    if (!isInStep(role, plan, variation))
      return "neighbouring programs may load a different number of blocks";
  }
  return "";
}

ClusterPlan warp::planClusters(tile::FuncOp func, unsigned clusterSize) {
  ClusterPlan plan;
  plan.obstacle = fill(plan, func, clusterSize);
  return plan;
}
