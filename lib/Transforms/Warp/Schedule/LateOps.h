// Ops before a loop or a branch that are needed only after it.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_LATEOPS_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_LATEOPS_H

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::warp {

using OpSet = llvm::SmallSetVector<mlir::Operation *, 16>;

/// Whether `op` has the same results wherever it is. Constants are left to
/// canonicalisation.
inline bool isMovable(mlir::Operation *op) {
  return op->getNumRegions() == 0 && op->getNumResults() != 0 &&
         !op->hasTrait<mlir::OpTrait::ConstantLike>() &&
         mlir::isMemoryEffectFree(op);
}

/// Whether all users of `op` are in `late` or after `passed`, and there is one.
inline bool isNeededLate(mlir::Operation *op, mlir::Operation *passed,
                         const OpSet &late) {
  return !op->use_empty() &&
         llvm::all_of(op->getUsers(), [&](mlir::Operation *user) {
           mlir::Operation *here =
               passed->getBlock()->findAncestorOpInBlock(*user);
           return late.contains(user) ||
                  (here && passed->isBeforeInBlock(here));
         });
}

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_LATEOPS_H
