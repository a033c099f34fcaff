// Goes all ways through a function, with what is known on each.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_PATHWALK_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_PATHWALK_H

#include "lib/Transforms/Warp/CheckRings/SlotRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/DenseSet.h"

namespace tilewright::warp {

/// Follows loops until their states repeat, and both sides of branches whose
/// condition is not known. A way ends where it breaks a rule.
class PathWalk {
public:
  explicit PathWalk(mlir::FunctionOpInterface function);

  /// Fails, with errors, if a rule is broken on some way.
  llvm::LogicalResult run();

private:
  PathStates walk(mlir::Region &region, PathStates states);
  PathStates visit(mlir::Operation *op, PathStates states);
  PathStates visit(mlir::scf::ForOp loop, const PathStates &states);
  PathStates next(mlir::scf::ForOp loop, const PathStates &ends) const;
  int64_t countSure(mlir::scf::ForOp loop) const;
  PathStates visit(mlir::scf::WhileOp loop, const PathStates &states);
  PathStates visit(mlir::scf::IfOp branch, const PathStates &states);
  PathStates visit(mlir::scf::IndexSwitchOp branch, const PathStates &states);
  PathStates visit(SpecializeOp roles, const PathStates &states);
  PathStates release(RingReleaseOp op, const PathStates &states);
  bool step(mlir::Operation *op, PathState &state, bool released = true);
  bool check(mlir::Operation *op,
             llvm::function_ref<llvm::LogicalResult()> rule);
  void finish(mlir::Operation *end, const PathStates &states);
  bool limit(mlir::Operation *loop, size_t numStates);

  bool isRelevant(mlir::Operation *op) const { return relevant.contains(op); }
  void pass(PathState &state, mlir::ValueRange from, mlir::ValueRange to) const;
  void collectRelevant();
  void collectCounters();

  mlir::FunctionOpInterface function;
  SlotRules rules;
  /// Where rules have been broken. Each op is reported once, however many ways
  /// lead to it.
  llvm::DenseSet<mlir::Operation *> broken;
  /// Ops with regions in which something happens to rings or products.
  llvm::DenseSet<mlir::Operation *> relevant;
  /// What indices of slots are computed from.
  llvm::DenseSet<mlir::Value> counters;
  /// Of the deepest ring.
  int64_t mostSlots = 1;
};

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_PATHWALK_H
