#include "lib/Analysis/Memory/WrittenArguments.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace tilewright;

/// Adds to `sources` the values that the control flow of `op` forwards to
/// `value`: a result of `op` or, if `region` is not null, an argument of that
/// region. Fails if they are not known.
static LogicalResult addBranchSources(Operation *op, Region *region,
                                      Value value,
                                      SmallVectorImpl<Value> &sources) {
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch)
    return failure();
  bool isKnown = false;
  for (RegionBranchPoint point : branch.getAllRegionBranchPoints()) {
    SmallVector<RegionSuccessor> successors;
    branch.getSuccessorRegions(point, successors);
    for (RegionSuccessor &successor : successors) {
      if (successor.getSuccessor() != region)
        continue;
      auto end = dyn_cast_or_null<RegionBranchTerminatorOpInterface>(
          point.getTerminatorPredecessorOrNull());
      OperandRange given = end ? end.getSuccessorOperands(successor)
                               : branch.getEntrySuccessorOperands(successor);
      for (auto [input, source] :
           llvm::zip(successor.getSuccessorInputs(), given))
        if (input == value) {
          sources.push_back(source);
          isKnown = true;
        }
    }
  }
  return success(isKnown);
}

/// Adds to `sources` the values that `value` is computed from. Fails if they
/// are not known.
static LogicalResult addSources(Value value, SmallVectorImpl<Value> &sources) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    Block *block = cast<BlockArgument>(value).getOwner();
    if (!block->isEntryBlock())
      return failure();
    return addBranchSources(block->getParentOp(), block->getParent(), value,
                            sources);
  }
  if (isa<RegionBranchOpInterface>(op))
    return addBranchSources(op, /*region=*/nullptr, value, sources);
  // An offset is not a pointer, and the origin of a loaded value is unknown.
  if (isa<tile::AddPtrOp, tile::MakeDescriptorOp>(op))
    sources.push_back(op->getOperand(0));
  else if (!isa<tile::LoadOp, tile::DescriptorLoadOp, tile::AtomicRMWOp,
                tile::AtomicCASOp>(op))
    llvm::append_range(sources, op->getOperands());
  return success();
}

llvm::BitVector ArgumentOrigins::get(Value pointer) {
  llvm::BitVector origins(kernel.getNumArguments());
  SmallVector<Value> open{pointer};
  DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner()->getParentOp() == kernel)
      origins.set(argument.getArgNumber());
    else if (failed(addSources(value, open)))
      return llvm::BitVector(kernel.getNumArguments(), true);
  }
  return origins;
}

/// The pointers through which `op` itself may write.
static OperandRange getWrittenPointers(Operation *op) {
  if (isa<tile::StoreOp, tile::DescriptorStoreOp, tile::AtomicRMWOp,
          tile::AtomicCASOp>(op))
    return op->getOperands().take_front(1);
  if (isa<tile::CallOp>(op))
    return op->getOperands();
  return op->getOperands().take_front(0);
}

llvm::BitVector tilewright::findWrittenArguments(tile::FuncOp kernel) {
  llvm::BitVector written(kernel.getNumArguments());
  ArgumentOrigins origins(kernel);
  kernel.walk([&](Operation *op) {
    for (Value pointer : getWrittenPointers(op))
      written |= origins.get(pointer);
  });
  // Only pointers can be written through.
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (!isa<tile::PtrType>(type))
      written.reset(index);
  return written;
}
