// Emits loads and stores of global memory. If the addresses of a chunk follow
// one another, that is one vector access, otherwise a gather or scatter. If
// only run time can tell, a test at run time chooses.

#include "lib/Conversion/TileToVector/Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::cpu {

namespace {
/// The operands of one access. The type of memory is an integer of the
/// element's width, or a float of 32 or 64 bits.
struct Access {
  Emitter &e;
  unsigned lanes;
  Type memory;
  unsigned bytes;
  PointerLanes pointers;
  /// The addresses of all lanes for a gather or scatter.
  PointerLanes perLane;
  /// A vector of booleans, or null.
  Value mask;

  Type vectorType() const { return VectorType::get({lanes}, memory); }
  Value firstPointer(Value offset) const {
    return e.offsetPointer(pointers.base, offset);
  }
  Value allPointers() const {
    return e.offsetPointer(perLane.base, e.widen(perLane.offset, lanes));
  }
  Value maskOrAll() const {
    if (mask)
      return mask;
    auto type = VectorType::get({lanes}, e.b.getI1Type());
    return e.constant(DenseElementsAttr::get(type, true));
  }
};

enum class Contiguity { Always, Never, AtRunTime };
} // namespace

/// Masked access of 16-bit floats is legal for fewer processors than that of
/// 16-bit integers.
static Type memoryType(Emitter &e, Type pointee) {
  Type storage = e.storageOf(pointee);
  if (storage.isF16())
    return e.b.getI16Type();
  return storage;
}

static Contiguity classify(const Access &access) {
  const Lanes &offset = access.pointers.offset;
  if (offset.isUniform())
    return Contiguity::Never;
  APInt stride;
  if (offset.isAffine() && matchPattern(offset.stride, m_ConstantInt(&stride)))
    return stride == access.bytes ? Contiguity::Always : Contiguity::Never;
  return Contiguity::AtRunTime;
}

/// Returns the addresses of all lanes of `pointer` for a gather or scatter.
static PointerLanes evaluatePerLane(Evaluator &evaluator, Value pointer,
                                    ArrayRef<Index> at,
                                    const PointerLanes &pointers) {
  const Lanes &offset = pointers.offset;
  if (offset.isUniform() ||
      (offset.isAffine() && matchPattern(offset.stride, m_Constant())))
    return pointers;
  return evaluator.evaluateAnyPointers(pointer, at);
}

/// Emits whether the addresses follow one another, and returns the first of
/// them as well.
static std::pair<Value, Value> testContiguity(const Access &access) {
  Emitter &e = access.e;
  const Lanes &offset = access.pointers.offset;
  if (offset.isAffine()) {
    Value isOne = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq,
                                        offset.stride, e.i64(access.bytes));
    return {isOne, offset.value};
  }
  Value first = vector::ExtractOp::create(e.b, e.loc, offset.value, 0);
  Value expected =
      e.widen(Lanes::affine(first, e.i64(access.bytes)), access.lanes);
  Value same = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq,
                                     offset.value, expected);
  Value all =
      vector::ReductionOp::create(e.b, e.loc, vector::CombiningKind::AND, same);
  return {all, first};
}

static Value loadContiguous(const Access &access, Value first, Value other) {
  Emitter &e = access.e;
  Value pointer = access.firstPointer(first);
  if (!access.mask)
    return LLVM::LoadOp::create(e.b, e.loc, access.vectorType(), pointer,
                                access.bytes);
  return LLVM::MaskedLoadOp::create(e.b, e.loc, access.vectorType(), pointer,
                                    access.mask, other, access.bytes,
                                    /*nontemporal=*/false);
}

static Value loadGathered(const Access &access, Value other) {
  Emitter &e = access.e;
  return LLVM::masked_gather::create(e.b, e.loc, access.vectorType(),
                                     access.allPointers(), access.maskOrAll(),
                                     ValueRange{other}, access.bytes);
}

static Value loadVector(const Access &access, Value other) {
  Emitter &e = access.e;
  switch (classify(access)) {
  case Contiguity::Always:
    return loadContiguous(access, access.pointers.offset.value, other);
  case Contiguity::Never:
    return loadGathered(access, other);
  case Contiguity::AtRunTime:
    break;
  }
  auto [contiguous, first] = testContiguity(access);
  auto choice = scf::IfOp::create(e.b, e.loc, TypeRange{access.vectorType()},
                                  contiguous, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(e.b, e.loc, loadContiguous(access, first, other));
  e.b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(e.b, e.loc, loadGathered(access, other));
  return choice.getResult(0);
}

/// Loads one element. `mask` and `other` are scalars, or null.
static Value loadScalar(Emitter &e, Type memory, Value pointer, Value mask,
                        Value other, bool isVolatile, unsigned bytes) {
  const auto load = [&]() -> Value {
    return LLVM::LoadOp::create(e.b, e.loc, memory, pointer, bytes, isVolatile);
  };
  if (!mask)
    return load();
  auto choice = scf::IfOp::create(e.b, e.loc, TypeRange{memory}, mask,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(e.b, e.loc, load());
  e.b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(e.b, e.loc, other);
  return choice.getResult(0);
}

/// Converts `value` from its type in memory to the element type of a tile, or
/// back.
static Value convertMemory(Emitter &e, Value value, Type element) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == element)
    return value;
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(element);
  if (from.isInteger(1))
    return arith::ExtUIOp::create(e.b, e.loc, type, value);
  if (element.isInteger(1))
    return arith::TruncIOp::create(e.b, e.loc, type, value);
  return arith::BitcastOp::create(e.b, e.loc, type, value);
}

/// Returns the type in which the evaluator holds a loaded element. Pointers in
/// tiles are addresses.
static Type heldType(Emitter &e, Type pointee) {
  return isa<tile::PtrType>(pointee) ? e.storageOf(pointee)
                                     : e.lowerElement(pointee);
}

Lanes emitLoad(Emitter &e, Evaluator &evaluator, tile::LoadOp load,
               ArrayRef<Index> at, unsigned lanes) {
  auto pointer = cast<tile::PtrType>(getElementTypeOrSelf(load.getPtr()));
  Type pointee = pointer.getPointee();
  Type memory = memoryType(e, pointee);
  const unsigned bytes = e.bytesOf(pointee);
  PointerLanes pointers = evaluator.evaluatePointers(load.getPtr(), at);
  std::optional<Lanes> mask;
  if (load.getMask())
    mask = evaluator.evaluate(load.getMask(), at);
  const bool uniform =
      pointers.offset.isUniform() && (!mask || mask->isUniform());
  const bool otherVaries =
      load.getOther() && !evaluator.evaluate(load.getOther(), at).isUniform();
  if (lanes == 1 || (uniform && !otherVaries)) {
    Value other =
        !mask ? nullptr
        : !load.getOther()
            ? e.zero(memory)
            : convertMemory(e,
                            evaluator.evaluateAsHeld(load.getOther(), at).value,
                            memory);
    Value address = e.offsetPointer(pointers.base, pointers.offset.value);
    Value value = loadScalar(e, memory, address, mask ? mask->value : nullptr,
                             other, load.getIsVolatile(), bytes);
    return Lanes::uniform(convertMemory(e, value, heldType(e, pointee)));
  }
  Access access{e,
                lanes,
                memory,
                bytes,
                pointers,
                evaluatePerLane(evaluator, load.getPtr(), at, pointers),
                mask ? e.widen(*mask, lanes) : nullptr};
  Value other = e.zero(access.vectorType());
  if (load.getOther())
    other = convertMemory(
        e, e.widen(evaluator.evaluateAsHeld(load.getOther(), at), lanes),
        memory);
  Value value = loadVector(access, other);
  return Lanes::vector(convertMemory(e, value, heldType(e, pointee)));
}

static void storeVector(const Access &access, Value value) {
  Emitter &e = access.e;
  const auto contiguous = [&](Value first) {
    Value pointer = access.firstPointer(first);
    if (access.mask)
      LLVM::MaskedStoreOp::create(e.b, e.loc, value, pointer, access.mask,
                                  access.bytes);
    else
      LLVM::StoreOp::create(e.b, e.loc, value, pointer, access.bytes);
  };
  const auto scattered = [&] {
    LLVM::masked_scatter::create(e.b, e.loc, value, access.allPointers(),
                                 access.maskOrAll(), access.bytes);
  };
  switch (classify(access)) {
  case Contiguity::Always:
    return contiguous(access.pointers.offset.value);
  case Contiguity::Never:
    return scattered();
  case Contiguity::AtRunTime:
    break;
  }
  auto [isContiguous, first] = testContiguity(access);
  auto choice = scf::IfOp::create(e.b, e.loc, isContiguous,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPoint(choice.thenBlock()->getTerminator());
  contiguous(first);
  e.b.setInsertionPoint(choice.elseBlock()->getTerminator());
  scattered();
}

void emitStore(Emitter &e, Evaluator &evaluator, tile::StoreOp store,
               ArrayRef<Index> at, unsigned lanes) {
  auto pointer = cast<tile::PtrType>(getElementTypeOrSelf(store.getPtr()));
  Type memory = memoryType(e, pointer.getPointee());
  const unsigned bytes = e.bytesOf(pointer.getPointee());
  PointerLanes pointers = evaluator.evaluatePointers(store.getPtr(), at);
  Value mask;
  if (store.getMask())
    mask = evaluator.evaluateWide(store.getMask(), at);
  Value value = convertMemory(
      e, e.widen(evaluator.evaluateAsHeld(store.getValue(), at), lanes),
      memory);
  if (lanes > 1)
    return storeVector(
        {e, lanes, memory, bytes, pointers,
         evaluatePerLane(evaluator, store.getPtr(), at, pointers), mask},
        value);
  Value address = e.offsetPointer(pointers.base, pointers.offset.value);
  OpBuilder::InsertionGuard guard(e.b);
  if (mask) {
    auto choice = scf::IfOp::create(e.b, e.loc, mask, /*withElseRegion=*/false);
    e.b.setInsertionPoint(choice.thenBlock()->getTerminator());
  }
  LLVM::StoreOp::create(e.b, e.loc, value, address, bytes);
}

} // namespace tilewright::cpu
