#include "lib/Analysis/Facts/ProgramVariation.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;

ProgramVariation::ProgramVariation(ArrayRef<Value> common)
    : common(common.begin(), common.end()) {}

Variation ProgramVariation::get(Value value) {
  do {
    changed = false;
    seen.clear();
    visit(value);
  } while (changed);
  return known.lookup(value);
}

Variation ProgramVariation::visit(Value value) {
  if (common.contains(value))
    return Variation::Never;
  if (!seen.insert(value).second)
    return known.lookup(value);
  auto argument = dyn_cast<BlockArgument>(value);
  Variation found =
      argument ? visitArgument(argument) : visitResult(cast<OpResult>(value));
  Variation &variation = known[value];
  if (found > variation) {
    variation = found;
    changed = true;
  }
  return variation;
}

Variation ProgramVariation::join(ValueRange values) {
  Variation most = Variation::Never;
  for (Value value : values)
    most = std::max(most, visit(value));
  return most;
}

Variation ProgramVariation::visitArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (isa<tile::FuncOp>(parent))
    return argument.getOwner()->isEntryBlock() ? Variation::Never
                                               : Variation::Often;
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop)
    return Variation::Often;
  if (argument == loop.getInductionVar())
    return join({loop.getLowerBound(), loop.getStep()});
  return join({loop.getTiedLoopInit(argument)->get(),
               loop.getTiedLoopYieldedValue(argument)->get()});
}

/// Whether `op` has equal results for equal operands on every SM.
static bool isFunctionOfOperands(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return !load.getIsVolatile();
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         !isa<tile::InlineAsmOp, warp::ClusterRankOp>(op);
}

/// Whether most changes of the first operand do not change the result.
static bool isQuotient(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::ShRSIOp,
             arith::ShRUIOp>(op);
}

Variation ProgramVariation::visitResult(OpResult result) {
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    return id.getAxis() == tile::Axis::X ? Variation::Often : Variation::Never;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return join({loop.getRegionIterArg(number), loop.getLowerBound(),
                 loop.getUpperBound(), loop.getStep()});
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return join({branch.getCondition(), branch.thenYield()->getOperand(number),
                 branch.elseYield()->getOperand(number)});
  if (!isFunctionOfOperands(op))
    return Variation::Often;
  if (isQuotient(op))
    return std::max(std::min(visit(op->getOperand(0)), Variation::Seldom),
                    visit(op->getOperand(1)));
  return join(op->getOperands());
}

/// Whether `value` is computed from the program id by arithmetic alone, as a
/// row of tiles. Values that are loaded from a table do not count: they mostly
/// tell where the grid ends.
static bool isCountedFromProgram(Value value) {
  llvm::SetVector<Value> open;
  open.insert(value);
  for (unsigned i = 0; i < open.size(); ++i) {
    Operation *op = open[i].getDefiningOp();
    if (isa_and_present<tile::ProgramIdOp>(op))
      return true;
    if (op && op->getNumRegions() == 0 && isMemoryEffectFree(op))
      open.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

bool tilewright::variesOverGrid(Value condition) {
  Operation *op = condition.getDefiningOp();
  if (isa_and_present<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return llvm::any_of(op->getOperands(), variesOverGrid);
  return isa_and_present<arith::CmpIOp>(op) &&
         llvm::all_of(op->getOperands(), isCountedFromProgram);
}

bool tilewright::isUneven(scf::IfOp branch,
                          function_ref<bool(Operation *)> isDot) {
  if (!variesOverGrid(branch.getCondition()))
    return false;
  auto hasDots = [&](Region &region) {
    return region
        .walk([&](Operation *op) {
          return isDot(op) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  };
  return hasDots(branch.getThenRegion()) != hasDots(branch.getElseRegion());
}
