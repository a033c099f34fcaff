// Lowers atomics: one hardware atomic per element.

#include "lib/Conversion/TileToVector/KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::cpu {

static LLVM::AtomicBinOp toBinOp(tile::AtomicKind kind) {
  switch (kind) {
  case tile::AtomicKind::Add:
    return LLVM::AtomicBinOp::add;
  case tile::AtomicKind::FAdd:
    return LLVM::AtomicBinOp::fadd;
  case tile::AtomicKind::And:
    return LLVM::AtomicBinOp::_and;
  case tile::AtomicKind::Or:
    return LLVM::AtomicBinOp::_or;
  case tile::AtomicKind::Xor:
    return LLVM::AtomicBinOp::_xor;
  case tile::AtomicKind::Max:
    return LLVM::AtomicBinOp::max;
  case tile::AtomicKind::Min:
    return LLVM::AtomicBinOp::min;
  case tile::AtomicKind::UMax:
    return LLVM::AtomicBinOp::umax;
  case tile::AtomicKind::UMin:
    return LLVM::AtomicBinOp::umin;
  case tile::AtomicKind::FMax:
    return LLVM::AtomicBinOp::fmax;
  case tile::AtomicKind::FMin:
    return LLVM::AtomicBinOp::fmin;
  case tile::AtomicKind::Xchg:
    return LLVM::AtomicBinOp::xchg;
  }
  return LLVM::AtomicBinOp::xchg;
}

static LLVM::AtomicOrdering toOrdering(tile::MemorySemantic semantic) {
  switch (semantic) {
  case tile::MemorySemantic::Relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case tile::MemorySemantic::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case tile::MemorySemantic::Release:
    return LLVM::AtomicOrdering::release;
  case tile::MemorySemantic::AcqRel:
    return LLVM::AtomicOrdering::acq_rel;
  }
  return LLVM::AtomicOrdering::acq_rel;
}

/// A failed exchange writes nothing, so it releases nothing.
static LLVM::AtomicOrdering toFailureOrdering(LLVM::AtomicOrdering ordering) {
  if (ordering == LLVM::AtomicOrdering::release)
    return LLVM::AtomicOrdering::monotonic;
  if (ordering == LLVM::AtomicOrdering::acq_rel)
    return LLVM::AtomicOrdering::acquire;
  return ordering;
}

static Value bitcastTo(Emitter &e, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return arith::BitcastOp::create(e.b, e.loc, type, value);
}

/// Emits one element of an atomic op whose operands are read by `get`. Returns
/// the previous value in memory.
static Value emitAtomic(Emitter &e, Operation *op, Value pointer,
                        llvm::function_ref<Value(Value)> get) {
  if (auto rmw = dyn_cast<tile::AtomicRMWOp>(op)) {
    Value value = get(rmw.getValue());
    Type element = getElementTypeOrSelf(rmw.getValue().getType());
    Value before = LLVM::AtomicRMWOp::create(
        e.b, e.loc, toBinOp(rmw.getKind()), pointer,
        bitcastTo(e, value, element), toOrdering(rmw.getSem()));
    return bitcastTo(e, before, value.getType());
  }
  auto cas = cast<tile::AtomicCASOp>(op);
  Value compare = get(cas.getCompare());
  Type type = compare.getType();
  Type bits = e.b.getIntegerType(type.getIntOrFloatBitWidth());
  const LLVM::AtomicOrdering ordering = toOrdering(cas.getSem());
  Value pair = LLVM::AtomicCmpXchgOp::create(
      e.b, e.loc, pointer, bitcastTo(e, compare, bits),
      bitcastTo(e, get(cas.getValue()), bits), ordering,
      toFailureOrdering(ordering));
  Value before = LLVM::ExtractValueOp::create(e.b, e.loc, pair, 0);
  return bitcastTo(e, before, type);
}

/// Calls `emit` where `mask` is true; zero elsewhere.
static Value emitMasked(Emitter &e, Value mask, Type type,
                        llvm::function_ref<Value()> emit) {
  if (!mask)
    return emit();
  auto choice = scf::IfOp::create(e.b, e.loc, TypeRange{type}, mask,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(e.b, e.loc, e.zero(type));
  e.b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(e.b, e.loc, emit());
  return choice.getResult(0);
}

static Value getMask(Operation *op) {
  if (auto rmw = dyn_cast<tile::AtomicRMWOp>(op))
    return rmw.getMask();
  return cast<tile::AtomicCASOp>(op).getMask();
}

void KernelLowering::lowerAtomic(Operation *op) {
  Value maskOperand = getMask(op);
  Value pointers = op->getOperand(0);
  Value result = op->getResult(0);
  auto type = dyn_cast<RankedTensorType>(result.getType());
  Type element = e.storageOf(getElementTypeOrSelf(result.getType()));
  Buffer buffer;
  if (type && !result.use_empty())
    buffer = bufferFor(result);
  ArrayRef<int64_t> shape = type ? type.getShape() : ArrayRef<int64_t>();
  e.forEachChunk(shape, getInnermostDim(shape), /*maxLanes=*/1,
                 [&](ArrayRef<Index> at, unsigned) {
                   Evaluator evaluator(e, 1);
                   const auto get = [&](Value value) {
                     return evaluator.evaluateAsHeld(value, at).value;
                   };
                   Value mask = maskOperand ? get(maskOperand) : Value();
                   Value address = e.offsetPointer(nullptr, get(pointers));
                   // Evaluates the operands outside of the branch on the mask.
                   for (Value operand : op->getOperands().drop_front())
                     get(operand);
                   Value before = emitMasked(e, mask, element, [&] {
                     return emitAtomic(e, op, address, get);
                   });
                   if (!type)
                     e.scalars.map(result,
                                   isa<tile::PtrType>(result.getType())
                                       ? e.offsetPointer(nullptr, before)
                                       : before);
                   else if (buffer.pointer)
                     e.writeBuffer(buffer, at, 1, before);
                 });
  if (buffer.pointer)
    e.buffers[result] = buffer;
}

} // namespace tilewright::cpu
