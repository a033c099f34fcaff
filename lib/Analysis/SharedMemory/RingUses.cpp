#include "lib/Analysis/SharedMemory/RingUses.h"

#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tilewright;

/// Whether `op` is in the only block of a function.
static bool runsOnce(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op->getParentOp());
  return function && function.getFunctionBody().hasOneBlock();
}

RingUses::RingUses(warp::RingOp ring) {
  warp::RingType type = ring.getType();
  if (type.getCompletion() != warp::Completion::Transactions ||
      type.getClusterSize() != 1 || !runsOnce(ring))
    return;
  warp::SpecializeOp found;
  std::optional<unsigned> role;
  SmallVector<Operation *> others;
  for (Operation *user : getTileUsers(ring)) {
    auto userRole = warp::SpecializeOp::getRole(user->getBlock());
    if (!userRole || (found && userRole->first != found))
      return;
    found = userRole->first;
    if (isa<warp::RingWaitOp>(user) &&
        role.value_or(userRole->second) == userRole->second)
      role = userRole->second;
    else if (!isa<warp::RingAcquireOp, warp::RingCommitOp, warp::TmaLoadOp>(
                 user))
      others.push_back(user);
  }
  auto isRead = [&](Operation *user) {
    return warp::SpecializeOp::getRole(user->getBlock())->second == *role;
  };
  if (!role || found.getPingPongGroups() > 1 || !runsOnce(found) ||
      !found.getRoles()[*role].hasOneBlock() || !llvm::all_of(others, isRead))
    return;
  roles = found;
  consumer = *role;
  for (Operation *user : getTileUsers(ring))
    if (isRead(user))
      reads.push_back(user);
}

/// Whether `op` is after `other` in a role that runs once, and no loop contains
/// both.
static bool isAfter(Operation *op, Operation *other) {
  Block *block = op->getBlock();
  while (!block->findAncestorOpInBlock(*other))
    block = block->getParentOp()->getBlock();
  Operation *first = block->findAncestorOpInBlock(*other);
  Operation *second = block->findAncestorOpInBlock(*op);
  if (first == second || !first->isBeforeInBlock(second))
    return false;
  Operation *around = block->getParentOp();
  while (isa<scf::IfOp, scf::IndexSwitchOp>(around))
    around = around->getParentOp();
  return isa<warp::SpecializeOp>(around);
}

bool RingUses::areDoneBefore(Operation *op) const {
  auto role = warp::SpecializeOp::getRole(op->getBlock());
  return roles && role && role->first == roles && role->second == consumer &&
         llvm::all_of(reads,
                      [&](Operation *read) { return isAfter(op, read); });
}
