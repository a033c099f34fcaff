// Walks all paths through a function with the abstract state of each.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_PATHWALK_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_PATHWALK_H

#include "lib/Transforms/Warp/CheckRings/SlotRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/DenseSet.h"

namespace tilewright::warp {

/// Follows loops until their states repeat, and both regions of branches whose
/// condition is not known. A path ends if it breaks a rule.
class PathWalk {
public:
  explicit PathWalk(mlir::FunctionOpInterface function);

  /// Fails with errors if a rule is broken on some path.
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
  /// Ops that have broken rules. Each op is reported once, on however many
  /// paths.
  llvm::DenseSet<mlir::Operation *> broken;
  /// Ops to which rules apply, and the ops that contain them.
  llvm::DenseSet<mlir::Operation *> relevant;
  /// The values that slot indices are computed from.
  llvm::DenseSet<mlir::Value> counters;
  /// The slots of the deepest ring.
  int64_t mostSlots = 1;
};

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_PATHWALK_H
