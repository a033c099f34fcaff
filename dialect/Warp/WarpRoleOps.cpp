#include "dialect/Warp/WarpOps.h"
#include "lib/Layout/WgmmaTiling.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

#define GET_OP_CLASSES
#include "dialect/Warp/WarpRoleOps.cpp.inc"

void SpecializeOp::build(OpBuilder &builder, OperationState &state,
                         ArrayRef<int32_t> warps) {
  state.getOrAddProperties<Properties>().warps =
      builder.getDenseI32ArrayAttr(warps);
  for (size_t i = 0; i < warps.size(); ++i)
    ensureTerminator(*state.addRegion(), builder, state.location);
}

void SpecializeOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  if (!point.isParent()) {
    successors.push_back(
        RegionSuccessor(getOperation(), getOperation()->getResults()));
    return;
  }
  for (Region &role : getRoles())
    successors.push_back(RegionSuccessor(&role));
}

LogicalResult SpecializeOp::verifyRegions() { // C4
  ClusterBarrierOp some;
  Region *without = nullptr;
  for (Region &role : getRoles()) {
    bool waits = false;
    role.walk([&](ClusterBarrierOp barrier) {
      waits = true;
      some = barrier;
    });
    if (!waits)
      without = &role;
  }
  if (!some || !without)
    return success();
  auto error =
      some.emitOpError("waits for all threads of the cluster, but role ")
      << without->getRegionNumber() << " of the CTA has no such barrier";
  error.attachNote(getLoc()) << "the roles are defined here";
  return error;
}

LogicalResult SpecializeOp::verify() {
  if (getWarps().size() != getRoles().size()) // C1
    return emitOpError("gives warps to ")
           << getWarps().size() << " roles, but has " << getRoles().size();
  for (int32_t warps : getWarps())
    if (warps < 1)
      return emitOpError("has a role of ") << warps << " warps";
  int32_t groups = getPingPongGroups();
  if (groups > 1 &&
      (getWarps().empty() || getWarps()[0] != kWarpsPerGroup * groups)) // C3
    return emitOpError("has ")
           << groups << " ping-pong groups in a role of " << getWarps()[0]
           << " warps, expected 4 warps per group";
  auto budgets = getRegisters();
  if (!budgets)
    return success();
  if (budgets->size() != getRoles().size()) // C2
    return emitOpError("gives registers to ")
           << budgets->size() << " roles, but has " << getRoles().size();
  for (int32_t registers : *budgets)
    if (registers < 24 || registers > 256 || registers % 8 != 0)
      return emitOpError("needs budgets that are multiples of 8 from 24 to "
                         "256, got ")
             << registers;
  for (int32_t warps : getWarps())
    if (warps % kWarpsPerGroup != 0)
      return emitOpError("sets the registers of a role of ")
             << warps << " warps, which is not a multiple of 4";
  return success();
}

/// Checks C1, and C2 as far as one op shows it.
static LogicalResult verifyNamedBarrier(Operation *op, int32_t warps) {
  auto role = SpecializeOp::getRole(op->getBlock());
  if (!role)
    return op->emitOpError("must be in a role");
  // A role whose op is still being built has no warps yet.
  if (role->second >= role->first.getWarps().size())
    return success();
  int32_t own = role->first.getWarps()[role->second];
  if (warps < own)
    return op->emitOpError("waits for ")
           << warps << " warps in a role of " << own;
  return success();
}

LogicalResult NamedBarrierWaitOp::verify() {
  return verifyNamedBarrier(*this, getWarps());
}

LogicalResult NamedBarrierArriveOp::verify() {
  return verifyNamedBarrier(*this, getWarps());
}

int32_t SpecializeOp::getFirstWarp(unsigned role) {
  int32_t first = 0;
  for (int32_t warps : getWarps().take_front(role))
    first += warps;
  return first;
}

std::optional<std::pair<SpecializeOp, unsigned>>
SpecializeOp::getRole(Block *block) {
  for (Region *region = block->getParent(); region;
       region = region->getParentRegion())
    if (auto roles = dyn_cast<SpecializeOp>(region->getParentOp()))
      return std::pair(roles, region->getRegionNumber());
  return std::nullopt;
}
