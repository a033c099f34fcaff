#include "lib/Conversion/TileToVector/Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace tilewright::cpu {

static bool isPointer(Value value) {
  return isa<tile::PtrType>(getElementTypeOrSelf(value.getType()));
}

Indices mapToSource(Emitter &e, Operation *op, ArrayRef<Index> at) {
  Indices source(at);
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    source.erase(source.begin() + expand.getAxis());
  } else if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    auto type = cast<RankedTensorType>(broadcast.getSource().getType());
    for (auto [index, size] : llvm::zip(source, type.getShape()))
      if (size == 1)
        index = {e.i64(0), false};
  } else if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    for (auto [result, from] : llvm::enumerate(transpose.getOrder()))
      source[from] = at[result];
  }
  return source;
}

Evaluator::Key Evaluator::getKey(Value value, ArrayRef<Index> at) const {
  SmallVector<std::pair<void *, bool>> coords;
  for (const Index &index : at)
    coords.push_back({index.base.getAsOpaquePointer(), index.varies});
  return Key(value.getAsOpaquePointer(), coords, inAddress, anySteps);
}

Lanes Evaluator::evaluate(Value value, ArrayRef<Index> at) {
  if (!isTile(value))
    return Lanes::uniform(e.scalars.lookup(value));
  // A loaded value is the same wherever it is used.
  const bool isLoad = isa_and_present<tile::LoadOp>(value.getDefiningOp());
  llvm::SaveAndRestore address(inAddress, inAddress && !isLoad);
  llvm::SaveAndRestore steps(anySteps, anySteps && !isLoad);
  Key key = getKey(value, at);
  auto found = known.find(key);
  if (found != known.end())
    return found->second;
  Lanes result = evaluateUncached(value, at);
  known[key] = result;
  return result;
}

Lanes Evaluator::evaluateUncached(Value value, ArrayRef<Index> at) {
  auto buffer = e.buffers.find(value);
  if (buffer == e.buffers.end())
    return evaluateDefinition(value, at);
  Lanes stored = e.readBuffer(buffer->second, at, lanes);
  return fromStorage(stored, getElementTypeOrSelf(value.getType()));
}

Lanes Evaluator::fromStorage(Lanes stored, Type element) {
  if (!element.isInteger(1))
    return stored;
  Type type = stored.isVector()
                  ? Type(VectorType::get({lanes}, e.b.getI1Type()))
                  : Type(e.b.getI1Type());
  stored.value = arith::TruncIOp::create(e.b, e.loc, type, stored.value);
  return stored;
}

Lanes Evaluator::evaluateDefinition(Value value, ArrayRef<Index> at) {
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return emitLoad(e, *this, load, at, lanes);
  if (isComputedByElement(op))
    return evaluateElementwise(cast<OpResult>(value), at);
  return evaluateShapeOp(op, at);
}

Lanes Evaluator::evaluateShapeOp(Operation *op, ArrayRef<Index> at) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    auto scalar = splat.getSplatValue<TypedAttr>();
    Type lowered = e.lowerElement(scalar.getType());
    if (auto number = dyn_cast<FloatAttr>(scalar);
        number && lowered != scalar.getType())
      scalar = e.b.getIntegerAttr(lowered, number.getValue().bitcastToAPInt());
    return Lanes::uniform(e.constant(scalar));
  }
  if (isa<ub::PoisonOp>(op))
    return Lanes::uniform(e.zero(e.lowerElement(op->getResult(0).getType())));
  if (auto splat = dyn_cast<tile::SplatOp>(op))
    return Lanes::uniform(e.scalars.lookup(splat.getSource()));
  if (auto range = dyn_cast<tile::RangeOp>(op)) {
    Value index =
        e.b.createOrFold<arith::TruncIOp>(e.loc, e.b.getI32Type(), at[0].base);
    Value start = e.constant(e.b.getI32IntegerAttr(range.getStart()));
    Value first = e.add(index, start);
    if (!at[0].varies)
      return Lanes::uniform(first);
    return Lanes::affine(first, e.constant(e.b.getI32IntegerAttr(1)));
  }
  return evaluate(op->getOperand(0), mapToSource(e, op, at));
}

/// Whether `value` may wrap around from lane to lane, even in an address, and
/// so lead back into an array. At 32 bits only large steps do. Steps known only
/// at run time are taken to be large if `isLarge`.
static bool mayWrap(const Lanes &value, bool isLarge) {
  constexpr int64_t kLargeStep = 1 << 24;
  if (!value.isAffine())
    return false;
  const unsigned width = value.value.getType().getIntOrFloatBitWidth();
  APInt step;
  if (width > 32)
    return false;
  if (width < 32)
    return true;
  if (!matchPattern(value.stride, m_ConstantInt(&step)))
    return isLarge;
  return std::abs(step.getSExtValue()) >= kLargeStep;
}

/// The result of integer arithmetic as an affine value, when it is one.
static std::optional<Lanes> combineAffine(Emitter &e, Operation *op,
                                          ArrayRef<Lanes> operands,
                                          bool inAddress, bool anySteps) {
  if (llvm::any_of(operands, [](const Lanes &l) { return l.isVector(); }))
    return std::nullopt;
  OpBuilder &b = e.b;
  const auto strideOf = [&](const Lanes &l) {
    return l.isAffine() ? l.stride : e.zero(l.value.getType());
  };
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    const auto combine = [&](Value lhs, Value rhs) -> Value {
      return isa<arith::AddIOp>(op)
                 ? b.createOrFold<arith::AddIOp>(e.loc, lhs, rhs)
                 : b.createOrFold<arith::SubIOp>(e.loc, lhs, rhs);
    };
    return Lanes::affine(combine(operands[0].value, operands[1].value),
                         combine(strideOf(operands[0]), strideOf(operands[1])));
  }
  if (isa<arith::MulIOp>(op)) {
    if (operands[0].isAffine() && operands[1].isAffine())
      return std::nullopt;
    const Lanes &moving = operands[0].isAffine() ? operands[0] : operands[1];
    const Lanes &factor = operands[0].isAffine() ? operands[1] : operands[0];
    return Lanes::affine(e.mul(moving.value, factor.value),
                         e.mul(moving.stride, factor.value));
  }
  Type element = e.lowerElement(op->getResult(0).getType());
  if (isa<arith::TruncIOp>(op))
    return Lanes::affine(
        b.createOrFold<arith::TruncIOp>(e.loc, element, operands[0].value),
        b.createOrFold<arith::TruncIOp>(e.loc, element, operands[0].stride));
  // Widening commutes with the steps only when the narrow sum does not wrap.
  if (inAddress && isa<arith::ExtSIOp>(op) && !mayWrap(operands[0], anySteps))
    return Lanes::affine(
        b.createOrFold<arith::ExtSIOp>(e.loc, element, operands[0].value),
        b.createOrFold<arith::ExtSIOp>(e.loc, element, operands[0].stride));
  return std::nullopt;
}

Lanes Evaluator::evaluateElementwise(OpResult value, ArrayRef<Index> at) {
  Operation *op = value.getOwner();
  if (auto cast = dyn_cast<tile::PtrToIntOp>(op))
    return evaluateAddresses(cast.getSource(), at);
  llvm::SaveAndRestore address(
      inAddress, inAddress && isa<arith::AddIOp, arith::SubIOp, arith::MulIOp,
                                  arith::ExtSIOp, arith::TruncIOp>(op));
  SmallVector<Lanes> operands;
  for (Value operand : op->getOperands())
    operands.push_back(evaluate(operand, at));
  const bool uniform =
      llvm::all_of(operands, [](const Lanes &l) { return l.isUniform(); });
  if (!uniform)
    if (auto affine = combineAffine(e, op, operands, inAddress, anySteps))
      return *affine;
  SmallVector<Value> values;
  for (const Lanes &operand : operands)
    values.push_back(uniform ? operand.value : e.widen(operand, lanes));
  Value result = emitElementwise(e, op, values,
                                 uniform ? 1 : lanes)[value.getResultNumber()];
  return uniform ? Lanes::uniform(result) : Lanes::vector(result);
}

Lanes Evaluator::toI64(const Lanes &value) {
  Type i64 = e.b.getI64Type();
  if (mayWrap(value, anySteps))
    return toI64(Lanes::vector(e.widen(value, lanes)));
  const auto extend = [&](Value v) -> Value {
    Type type = isa<VectorType>(v.getType())
                    ? Type(VectorType::get({lanes}, i64))
                    : i64;
    if (v.getType() == type)
      return v;
    return e.b.createOrFold<arith::ExtSIOp>(e.loc, type, v);
  };
  Lanes result = value;
  result.value = extend(value.value);
  if (value.isAffine())
    result.stride = extend(value.stride);
  return result;
}

Lanes Evaluator::addLanes(const Lanes &lhs, const Lanes &rhs) {
  if (lhs.isVector() || rhs.isVector())
    return Lanes::vector(e.add(e.widen(lhs, lanes), e.widen(rhs, lanes)));
  Value start = e.add(lhs.value, rhs.value);
  if (lhs.isUniform() && rhs.isUniform())
    return Lanes::uniform(start);
  if (lhs.isAffine() && rhs.isAffine())
    return Lanes::affine(start, e.add(lhs.stride, rhs.stride));
  return Lanes::affine(start, lhs.isAffine() ? lhs.stride : rhs.stride);
}

PointerLanes Evaluator::addPointers(tile::AddPtrOp op, ArrayRef<Index> at) {
  PointerLanes pointers = evaluatePointers(op.getPtr(), at);
  llvm::SaveAndRestore address(inAddress, true);
  Lanes offset = toI64(evaluate(op.getOffset(), at));
  auto pointer = cast<tile::PtrType>(getElementTypeOrSelf(op.getPtr()));
  Value size = e.i64(e.bytesOf(pointer.getPointee()));
  if (offset.isVector()) {
    offset.value = e.mul(offset.value, e.splat(size, lanes));
  } else {
    offset.value = e.mul(offset.value, size);
    if (offset.isAffine())
      offset.stride = e.mul(offset.stride, size);
  }
  return {pointers.base, addLanes(pointers.offset, offset)};
}

PointerLanes Evaluator::evaluatePointers(Value value, ArrayRef<Index> at) {
  if (!isTile(value))
    return {e.scalars.lookup(value), Lanes::uniform(e.i64(0))};
  Key key = getKey(value, at);
  auto found = knownPointers.find(key);
  if (found != knownPointers.end())
    return found->second;
  PointerLanes result = evaluatePointersUncached(value, at);
  knownPointers[key] = result;
  return result;
}

PointerLanes Evaluator::evaluatePointersUncached(Value value,
                                                 ArrayRef<Index> at) {
  if (auto buffer = e.buffers.find(value); buffer != e.buffers.end())
    return {nullptr, e.readBuffer(buffer->second, at, lanes)};
  Operation *op = value.getDefiningOp();
  if (auto add = dyn_cast<tile::AddPtrOp>(op))
    return addPointers(add, at);
  if (auto cast = dyn_cast<tile::IntToPtrOp>(op))
    return {nullptr, evaluate(cast.getSource(), at)};
  if (auto splat = dyn_cast<tile::SplatOp>(op))
    return {e.scalars.lookup(splat.getSource()), Lanes::uniform(e.i64(0))};
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return {nullptr, emitLoad(e, *this, load, at, lanes)};
  if (isa<ub::PoisonOp>(op))
    return {nullptr, Lanes::uniform(e.i64(0))};
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Lanes condition = evaluate(select.getCondition(), at);
    Value yes = e.widen(evaluateAddresses(select.getTrueValue(), at), lanes);
    Value no = e.widen(evaluateAddresses(select.getFalseValue(), at), lanes);
    Value chosen =
        arith::SelectOp::create(e.b, e.loc, condition.value, yes, no);
    return {nullptr,
            lanes == 1 ? Lanes::uniform(chosen) : Lanes::vector(chosen)};
  }
  // Casts between pointers, and ops that move elements.
  if (isComputedByElement(op))
    return evaluatePointers(op->getOperand(0), at);
  return evaluatePointers(op->getOperand(0), mapToSource(e, op, at));
}

PointerLanes Evaluator::evaluateAnyPointers(Value value, ArrayRef<Index> at) {
  llvm::SaveAndRestore steps(anySteps, true);
  return evaluatePointers(value, at);
}

Lanes Evaluator::evaluateAddresses(Value value, ArrayRef<Index> at) {
  PointerLanes pointers = evaluateAnyPointers(value, at);
  if (!pointers.base)
    return pointers.offset;
  Value base =
      LLVM::PtrToIntOp::create(e.b, e.loc, e.b.getI64Type(), pointers.base);
  return addLanes(Lanes::uniform(base), pointers.offset);
}

Lanes Evaluator::evaluateAsHeld(Value value, ArrayRef<Index> at) {
  return isPointer(value) ? evaluateAddresses(value, at) : evaluate(value, at);
}

Value Evaluator::evaluateForStorage(Value value, ArrayRef<Index> at) {
  Value wide = e.widen(evaluateAsHeld(value, at), lanes);
  Type element = getElementTypeOrSelf(wide.getType());
  if (!element.isInteger(1))
    return wide;
  Type i8 = e.b.getI8Type();
  Type type =
      isa<VectorType>(wide.getType()) ? Type(VectorType::get({lanes}, i8)) : i8;
  return arith::ExtUIOp::create(e.b, e.loc, type, wide);
}

} // namespace tilewright::cpu
