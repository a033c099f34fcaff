#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Facts/AxisInfo.h"
#include "lib/Analysis/Memory/ProgramOrder.h"
#include "lib/Transforms/Tile/ExpandDescriptors.h"

#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_ORDERPROGRAMS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

/// Returns the ops of `func` that combine values into global memory.
static SmallVector<Operation *> findAtomics(tile::FuncOp func) {
  SmallVector<Operation *> atomics;
  func.walk([&](Operation *op) {
    auto store = dyn_cast<tile::DescriptorStoreOp>(op);
    if (isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op) ||
        (store && store.getReduction()))
      atomics.push_back(op);
  });
  return atomics;
}

/// Whether two elements of the pointers of `atomic` may be equal.
static bool mayRepeat(Operation *atomic, const AxisInfoAnalysis &axes) {
  Value pointers = atomic->getOperand(0);
  auto type = dyn_cast<RankedTensorType>(pointers.getType());
  if (!type)
    return false;
  // The addresses are consecutive along one dimension.
  AxisInfo info = axes.get(pointers);
  for (unsigned dim = 0; info.isSeen() && dim < info.getRank(); ++dim)
    if (info[dim].contiguity >= type.getNumElements() &&
        type.getDimSize(dim) == type.getNumElements())
      return false;
  return type.getNumElements() > 1;
}

namespace {

/// Makes the programs of one kernel run their atomics in ticket order.
class TicketOrder {
public:
  TicketOrder(tile::FuncOp func, ArrayRef<Operation *> atomics)
      : func(func), atomics(atomics), b(func.getContext()), dominance(func) {}

  LogicalResult run();

private:
  void markAtomics();
  void waitBefore(Operation *op);

  tile::FuncOp func;
  ArrayRef<Operation *> atomics;
  OpBuilder b;
  DominanceInfo dominance;
  Value counterSlot;
  SmallVector<TicketWaitOp> waits;
};

} // namespace

static LogicalResult refuseRoles(ArrayRef<Operation *> atomics) {
  for (Operation *op : atomics)
    if (SpecializeOp::getRole(op->getBlock()))
      return op->emitError("an atomic operation in a role, which has no order "
                           "among programs, in a kernel that is compiled with "
                           "deterministic=True; move it after the roles");
  return success();
}

void TicketOrder::markAtomics() {
  AxisInfoAnalysis axes(func);
  for (Operation *op : atomics) {
    op->setAttr(WarpDialect::kOrderedAttr, b.getUnitAttr());
    if (dependsOnProgramOrder(op) && mayRepeat(op, axes))
      op->setAttr(WarpDialect::kByElementAttr, b.getUnitAttr());
  }
}

/// Waits for the ticket of the program, unless a wait dominates `op` already: a
/// program keeps its ticket until it ends.
void TicketOrder::waitBefore(Operation *op) {
  if (llvm::any_of(waits, [&](TicketWaitOp wait) {
        return dominance.properlyDominates(wait.getOperation(), op);
      }))
    return;
  b.setInsertionPoint(op);
  waits.push_back(TicketWaitOp::create(b, op->getLoc(), counterSlot));
}

LogicalResult TicketOrder::run() {
  if (failed(refuseRoles(atomics)))
    return failure();
  markAtomics();
  unsigned number = func.getNumArguments();
  (void)func.insertArgument(number, b.getI32Type(), {}, func.getLoc());
  counterSlot = func.getArgument(number);
  func->setAttr(WarpDialect::kOrderedAttr, b.getUnitAttr());
  for (Operation *op : atomics)
    waitBefore(op);
  for (auto end : llvm::make_early_inc_range(func.getOps<tile::ReturnOp>())) {
    waitBefore(end);
    b.setInsertionPoint(end);
    TicketPassOp::create(b, end.getLoc(), counterSlot);
  }
  return success();
}

/// Turns TMA reductions into atomics, because TMA is asynchronous and cannot
/// follow the ticket order.
static LogicalResult expandReductions(ArrayRef<Operation *> atomics) {
  for (Operation *op : atomics)
    if (isa<tile::DescriptorStoreOp>(op) &&
        failed(tile::expandDescriptorOp(op)))
      return op->emitError("the descriptor must be made in the same kernel, "
                           "not chosen by a branch or a loop");
  return success();
}

namespace {
struct OrderPrograms : warp::impl::OrderProgramsBase<OrderPrograms> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<tile::FuncOp>())
      if (failed(order(func)))
        return signalPassFailure();
  }

  LogicalResult order(tile::FuncOp func) {
    SmallVector<Operation *> atomics = findAtomics(func);
    if (llvm::none_of(atomics, dependsOnProgramOrder))
      return success();
    if (failed(expandReductions(atomics)))
      return failure();
    atomics = findAtomics(func);
    return TicketOrder(func, atomics).run();
  }
};
} // namespace
