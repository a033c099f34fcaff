// Defers loads, so that they share a loop with each other and with the store of
// a value computed from them. Memory is then accessed in several streams at
// once instead of in bursts.

#include "lib/Conversion/TileToVector/KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::cpu {

/// Whether lowering `op` now emits no code that reads a tile.
bool KernelLowering::isVirtual(Operation &op) {
  if (op.getNumRegions() != 0 ||
      !(isComputedByElement(&op) || isMemoryEffectFree(&op)))
    return false;
  return llvm::none_of(op.getResults(), [&](Value result) {
    return isTile(result) && e.plan.isBuffered(result);
  });
}

static RankedTensorType getTileType(tile::LoadOp load) {
  return dyn_cast<RankedTensorType>(load.getResult().getType());
}

/// Whether evaluating `value` reads the result of a deferred load.
bool KernelLowering::readsDeferredLoad(Value value) {
  if (!value || !isTile(value) || e.buffers.contains(value))
    return false;
  Operation *op = value.getDefiningOp();
  if (!op || llvm::is_contained(deferredLoads, op))
    return op != nullptr;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return readsDeferredLoad(operand);
  });
}

/// Defers a load until it is needed. Only loads of one shape are deferred
/// together.
bool KernelLowering::deferLoad(Operation &op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  if (!load || !getTileType(load) || load.getIsVolatile() ||
      !e.plan.isBuffered(load.getResult()) ||
      e.plan.getReusedArgument(load.getResult()))
    return false;
  if (!deferredLoads.empty()) {
    auto first = cast<tile::LoadOp>(deferredLoads.front());
    if (getTileType(first).getShape() != getTileType(load).getShape() ||
        getContiguousDim(first.getPtr()) != getContiguousDim(load.getPtr()) ||
        llvm::any_of(load->getOperands(),
                     [&](Value value) { return readsDeferredLoad(value); }))
      emitDeferredLoads();
  }
  deferredLoads.push_back(load);
  return true;
}

void KernelLowering::emitDeferredLoads() {
  if (deferredLoads.empty())
    return;
  SmallVector<Operation *> loads = std::move(deferredLoads);
  deferredLoads.clear();
  e.loc = loads.front()->getLoc();
  SmallVector<Buffer> buffers;
  for (Operation *load : loads)
    buffers.push_back(bufferFor(load->getResult(0)));
  auto first = cast<tile::LoadOp>(loads.front());
  e.forEachChunk(getTileType(first).getShape(),
                 getContiguousDim(first.getPtr()), e.maxLanes(),
                 [&](ArrayRef<Index> at, unsigned lanes) {
                   Evaluator evaluator(e, lanes);
                   for (auto [load, buffer] : llvm::zip(loads, buffers)) {
                     e.loc = load->getLoc();
                     Value tile = load->getResult(0);
                     e.writeBuffer(buffer, at, lanes,
                                   evaluator.evaluateForStorage(tile, at));
                   }
                 });
  for (auto [load, buffer] : llvm::zip(loads, buffers))
    e.buffers[load->getResult(0)] = buffer;
}

/// Whether `load` is used only by the value of `store`, element by element.
static bool isUsedOnlyBy(const BufferPlan &plan, Operation *load,
                         tile::StoreOp store) {
  SmallVector<Value> work = {load->getResult(0)};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (user == store && &use == &store.getValueMutable())
        continue;
      if (!isComputedByElement(user) || user->getBlock() != load->getBlock() ||
          plan.isBuffered(user->getResult(0)))
        return false;
      work.append(user->result_begin(), user->result_end());
    }
  }
  return true;
}

/// Returns the address of the first of `pointers`, a tile of rank 1, if the
/// others are known to follow it one by one. Null otherwise.
Value KernelLowering::firstAddress(Value pointers) {
  Evaluator evaluator(e, /*lanes=*/2);
  Lanes addresses =
      evaluator.evaluateAddresses(pointers, {Index{e.i64(0), true}});
  auto pointer = cast<tile::PtrType>(getElementTypeOrSelf(pointers));
  APInt stride;
  if (!addresses.isAffine() ||
      !matchPattern(addresses.stride, m_ConstantInt(&stride)) ||
      stride != e.bytesOf(pointer.getPointee()))
    return nullptr;
  return addresses.value;
}

/// Emits whether each chunk may be stored before the next one is loaded. Each
/// load must be disjoint from the store or start at or after it. Null if that
/// cannot be told.
Value KernelLowering::mayShareLoop(tile::StoreOp store) {
  auto type = cast<RankedTensorType>(store.getPtr().getType());
  const auto bytesOf = [&](Value pointers) {
    auto pointer = cast<tile::PtrType>(getElementTypeOrSelf(pointers));
    return static_cast<int64_t>(e.bytesOf(pointer.getPointee()));
  };
  const auto notAfter = [&](Value lhs, Value rhs) -> Value {
    return arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ule, lhs,
                                 rhs);
  };
  const int64_t count = type.getNumElements();
  const int64_t storeBytes = bytesOf(store.getPtr());
  Value to = firstAddress(store.getPtr());
  Value all = e.constant(e.b.getBoolAttr(true));
  for (Operation *op : deferredLoads) {
    Value pointers = cast<tile::LoadOp>(op).getPtr();
    const int64_t loadBytes = bytesOf(pointers);
    Value from = firstAddress(pointers);
    if (!to || !from)
      return nullptr;
    Value fromEnd = e.add(from, e.i64(count * loadBytes));
    Value toEnd = e.add(to, e.i64(count * storeBytes));
    Value disjoint = arith::OrIOp::create(e.b, e.loc, notAfter(fromEnd, to),
                                          notAfter(toEnd, from));
    if (loadBytes == storeBytes)
      disjoint = arith::OrIOp::create(e.b, e.loc, disjoint, notAfter(to, from));
    all = arith::AndIOp::create(e.b, e.loc, all, disjoint);
  }
  return all;
}

/// Lets the loop of `store` do the deferred loads if a run-time test shows that
/// this is right. It pays only if there is little to compute, so that memory is
/// the bottleneck. Otherwise earlier loads hide their latency better.
bool KernelLowering::fuseLoadsIntoStore(tile::StoreOp store) {
  auto type = dyn_cast<RankedTensorType>(store.getPtr().getType());
  const auto isMine = [&](Operation *load) {
    return isUsedOnlyBy(e.plan, load, store) &&
           getTileType(cast<tile::LoadOp>(load)).getShape() == type.getShape();
  };
  if (deferredLoads.empty() || !type || type.getRank() != 1 ||
      !e.plan.isCheap(store.getValue()) || !llvm::all_of(deferredLoads, isMine))
    return false;
  e.loc = store.getLoc();
  Value together = mayShareLoop(store);
  if (!together)
    return false;
  auto choice = scf::IfOp::create(e.b, e.loc, together, true);
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPoint(choice.thenBlock()->getTerminator());
  lowerOp(*store);
  e.b.setInsertionPoint(choice.elseBlock()->getTerminator());
  emitDeferredLoads();
  lowerOp(*store);
  return true;
}

} // namespace tilewright::cpu
