#include "lib/Analysis/SharedMemory/ProducerSlice.h"

#include "lib/Analysis/Facts/HostValues.h"
#include "lib/Analysis/Facts/PointerOrigins.h"
#include "lib/Analysis/Memory/GlobalHazards.h"
#include "lib/Analysis/Memory/WrittenArguments.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using llvm::StringRef;

ProducerSlice::ProducerSlice(tile::FuncOp func,
                             ArrayRef<tile::DescriptorLoadOp> loads)
    : func(func), loads(loads) {
  if (!func.getBody().hasOneBlock()) {
    refuse(func, "the kernel has unstructured control flow");
    return;
  }
  for (tile::DescriptorLoadOp load : loads) {
    keep(load);
    llvm::append_range(open, load.getOffsets());
    // The producer computes descriptors that the host does not know.
    auto desc = load.getDesc().getDefiningOp<tile::MakeDescriptorOp>();
    if (desc && !isHostKnown(desc))
      open.push_back(desc);
  }
  // The producer also waits for earlier kernels.
  func.walk([&](tile::LaunchWaitOp wait) { keep(wait); });
  checkOrder(loads);
  while (!open.empty() && obstacle.empty())
    visit(open.pop_back_val());
}

void ProducerSlice::refuse(Operation *op, StringRef reason) {
  if (!obstacle.empty())
    return;
  obstacle = reason;
  obstacleOp = op;
}

/// Adds `op` and the control flow around it to the slice.
void ProducerSlice::keep(Operation *op) {
  for (; op != func && ops.insert(op).second; op = op->getParentOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      open.append({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      open.push_back(branch.getCondition());
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      open.push_back(loop.getConditionOp().getCondition());
    else if (op->getNumRegions() != 0)
      refuse(op, "a load or a wait for other kernels is in a region that "
                 "a producer does not run");
  }
}

/// Whether the condition region of an `scf.while` contains `op`. Results there
/// are not forwarded, as its executions are not counted.
static bool isInCondition(Operation *op) {
  for (auto loop = op->getParentOfType<scf::WhileOp>(); loop;
       loop = loop->getParentOfType<scf::WhileOp>())
    if (loop.getBefore().isAncestor(op->getParentRegion()))
      return true;
  return false;
}

/// Has the consumers forward the result of `op`, a scalar atomic operation of
/// the program, and returns whether that is possible. In a counted loop with
/// loads in each iteration the producer could not prefetch, so the result is
/// false.
bool ProducerSlice::forward(Operation *op) {
  if (!tile::getProgramOrder(op) || isInCondition(op))
    return false;
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  if (isa_and_present<scf::ForOp>(loop.getOperation()) &&
      llvm::any_of(loads, [&](tile::DescriptorLoadOp load) {
        return load->getParentOfType<LoopLikeOpInterface>() == loop;
      }))
    return false;
  unsigned bits = op->getResult(0).getType().getIntOrFloatBitWidth();
  if (bits != 32 && bits != 64)
    return false;
  forwarded.insert(op);
  keep(op);
  return true;
}

void ProducerSlice::visit(Value value) {
  if (!values.insert(value).second)
    return;
  if (isa<ShapedType>(value.getType())) {
    Operation *op = value.getDefiningOp();
    return refuse(op ? op : func,
                  "the address of a load depends on the elements of a tile");
  }
  if (auto argument = dyn_cast<BlockArgument>(value))
    return visitArgument(argument);
  visitResult(cast<OpResult>(value));
}

void ProducerSlice::visitArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (parent == func)
    return;
  keep(parent);
  unsigned number = argument.getArgNumber();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (argument == loop.getInductionVar())
      return;
    open.push_back(loop.getTiedLoopInit(argument)->get());
    open.push_back(loop.getTiedLoopYieldedValue(argument)->get());
  } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    if (argument.getOwner() == loop.getAfterBody()) {
      open.push_back(loop.getConditionOp().getArgs()[number]);
    } else {
      open.push_back(loop.getInits()[number]);
      open.push_back(loop.getYieldOp().getResults()[number]);
    }
  }
}

/// Whether the kernel may write the memory that `load` reads, as far as the
/// origins of pointers tell. The order of loads and stores relies on these,
/// too.
static bool mayBeWritten(tile::LoadOp load, tile::FuncOp func) {
  Value pointer = load.getPtr();
  while (auto add = pointer.getDefiningOp<tile::AddPtrOp>())
    pointer = add.getPtr();
  auto base = dyn_cast<BlockArgument>(pointer);
  return load.getIsVolatile() || !base ||
         base.getOwner()->getParentOp() != func ||
         findWrittenArguments(func).test(base.getArgNumber());
}

void ProducerSlice::visitResult(OpResult result) {
  Operation *op = result.getOwner();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    open.push_back(loop.getRegionIterArg(result.getResultNumber()));
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    open.push_back(loop.getConditionOp().getArgs()[result.getResultNumber()]);
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    open.push_back(branch.thenYield()->getOperand(result.getResultNumber()));
    open.push_back(branch.elseYield()->getOperand(result.getResultNumber()));
  } else if (isa<tile::ReduceOp>(op)) {
    return refuse(op, "a load or its address depends on a reduction of a tile");
  } else if (op->getNumRegions() != 0) {
    return refuse(op, "the address of a load depends on control flow");
  } else if (auto load = dyn_cast<tile::LoadOp>(op)) {
    if (mayBeWritten(load, func))
      return refuse(op, "the address of a load depends on memory that the "
                        "kernel may write");
    llvm::append_range(open, op->getOperands());
  } else if (!isMemoryEffectFree(op)) {
    if (!forward(op))
      refuse(op, "the address of a load depends on an atomic operation");
    return;
  } else {
    llvm::append_range(open, op->getOperands());
  }
  keep(op);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Whether `op` may execute before the last execution of `load`.
static bool mayPrecede(Operation *op, Operation *load) {
  for (Operation *loop = op->getParentOp(); loop; loop = loop->getParentOp())
    if (isa<LoopLikeOpInterface>(loop) && loop->isProperAncestor(load) &&
        !iteratesPrograms(loop))
      return true;
  Operation *other = load;
  while (Operation *parent = other->getParentOp()) {
    if (Operation *here = other->getBlock()->findAncestorOpInBlock(*op))
      return here->isBeforeInBlock(other);
    other = parent;
  }
  return false;
}

static bool isAtomic(Operation *op) {
  return isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op);
}

/// Whether the result of `op` may tell that other programs have written memory
/// that is loaded later: it is an atomic operation that acquires.
static bool mayObserveWrites(Operation *op) {
  if (op->use_empty())
    return false;
  if (auto rmw = dyn_cast<tile::AtomicRMWOp>(op))
    return tile::acquires(rmw.getSem());
  auto swap = dyn_cast<tile::AtomicCASOp>(op);
  return swap && tile::acquires(swap.getSem());
}

/// Checks the ops that a producer would reorder its loads with. A load must not
/// move before:
/// 1. A store to the same array.
/// 2. An atomic that acquires, unless the array is constant. The producer waits
///    for the result, even if it does not use it.
/// 3. A volatile load, by which kernels wait for other programs.
void ProducerSlice::checkOrder(ArrayRef<tile::DescriptorLoadOp> loads) {
  llvm::BitVector written = findWrittenArguments(func);
  auto isConstant = [&](tile::DescriptorLoadOp load) {
    std::optional<PointerOrigin> loaded = findOrigin(load.getDesc());
    return loaded && loaded->loads == 0 &&
           func.getArgAttr(loaded->argument.getArgNumber(),
                           tile::TileDialect::kConstantAttr);
  };
  auto isWritten = [&](tile::DescriptorLoadOp load, Operation *op) {
    std::optional<PointerOrigin> loaded = findOrigin(load.getDesc());
    if (!loaded)
      return true;
    std::optional<PointerOrigin> stored = findOrigin(op->getOperand(0));
    if (loaded->loads == 0 && !(stored && isAtomic(op)))
      return written.test(loaded->argument.getArgNumber());
    return !stored || *stored == *loaded;
  };
  func.walk([&](Operation *op) {
    if (auto flag = dyn_cast<tile::LoadOp>(op)) {
      bool waits = flag.getIsVolatile() &&
                   llvm::any_of(loads, [&](tile::DescriptorLoadOp load) {
                     return mayPrecede(op, load) && !isConstant(load);
                   });
      if (waits)
        refuse(op, "a volatile load, which may be a flag, comes before a load");
      return;
    }
    if (!isAtomic(op) && !isa<tile::StoreOp, tile::DescriptorStoreOp>(op))
      return;
    for (tile::DescriptorLoadOp load : loads) {
      if (!mayPrecede(op, load))
        continue;
      if (isWritten(load, op))
        refuse(op, "it may write memory that is loaded later");
      else if (mayObserveWrites(op) && !isConstant(load) && !forward(op))
        refuse(op, "an atomic operation comes before a load");
    }
  });
}
