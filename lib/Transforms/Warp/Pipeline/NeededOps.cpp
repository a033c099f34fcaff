#include "lib/Transforms/Warp/Pipeline/NeededOps.h"

#include "lib/Analysis/Target/OccupancyParameters.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tilewright::warp;

NeededOps::NeededOps(const PipelinePlan &plan) : plan(plan), loop(plan.loop) {
  for (Operation &op : loop.getBody()->without_terminator())
    if (plan.slice.loads.contains(&op) ||
        (plan.slice.ops.contains(&op) &&
         llvm::any_of(op.getOperands(), [&](Value operand) {
           return loaded.contains(operand.getDefiningOp());
         })))
      loaded.insert(&op);
  collect();
  if (int64_t(forwarded.size()) * plan.getDistance() <=
      OccupancyParameters::kMaxForwarded)
    return;
  forwards = false;
  ops.clear();
  carried.clear();
  forwarded.clear();
  collect();
}

void NeededOps::collect() {
  for (const PipelinedLoad &load : plan.loads) {
    // Marked as visited, so that their operands are not.
    ops.insert(load.load);
    ops.insert(load.alloc);
  }
  for (Operation &op : loop.getBody()->without_terminator())
    if (!wouldOpBeTriviallyDead(&op) && ops.insert(&op).second)
      open.push_back(&op);
  for (auto [number, result] : llvm::enumerate(loop.getResults()))
    if (!result.use_empty())
      visit(loop.getRegionIterArgs()[number]);
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    for (Value operand : op->getOperands())
      visit(operand);
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value value : captured)
      visit(value);
  }
  for (const PipelinedLoad &load : plan.loads) {
    ops.erase(load.load);
    ops.erase(load.alloc);
  }
}

bool NeededOps::isForwarded(Value value) const {
  return forwards && !isa<RankedTensorType>(value.getType()) &&
         loaded.contains(value.getDefiningOp());
}

void NeededOps::visit(Value value) {
  if (isForwarded(value)) {
    forwarded.insert(value);
    return;
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.getBody() ||
        argument == loop.getInductionVar())
      return;
    unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
    if (carried.insert(number))
      visit(loop.getYieldedValues()[number]);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (op->getBlock() == loop.getBody() && ops.insert(op).second)
    open.push_back(op);
}
