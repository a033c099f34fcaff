#include "lib/Conversion/WarpToLLVM/Memory/ElementOrder.h"

#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Memory/SharedAccess.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

static constexpr int64_t kNumberBytes = 4;
/// Above the index of every element.
static constexpr int64_t kNoElement = -1;

static Value emitBool(ImplicitLocOpBuilder &b, bool value) {
  return LLVM::ConstantOp::create(b, b.getI1Type(), b.getBoolAttr(value));
}

/// Sets every slot of the table to kNoElement.
void ElementOrder::emitClear() {
  Value threads = NVVM::BlockDimXOp::create(b, b.getI32Type());
  auto loop = scf::ForOp::create(b, emitThreadId(b), emitI32(b, size), threads);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value offset =
      LLVM::MulOp::create(b, loop.getInductionVar(), emitI32(b, kNumberBytes));
  emitSharedStore(b, emitByteOffset(b, table, offset), emitI32(b, kNoElement),
                  {});
}

/// Returns the address of an element's slot. Multiplication by the golden ratio
/// gives neighbours different slots, up to the table's size.
Value ElementOrder::emitSlot(Value pointer) {
  constexpr int64_t kGoldenRatio = 0x9E3779B1;
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto shiftRight = [&](Value value, int64_t bits) -> Value {
    Value count = LLVM::ConstantOp::create(
        b, value.getType(), b.getIntegerAttr(value.getType(), bits));
    return LLVM::LShrOp::create(b, value, count);
  };
  Value address = LLVM::PtrToIntOp::create(b, i64, pointer);
  // The lowest bit is always zero: atomics access at least two bytes.
  Value low = LLVM::TruncOp::create(b, i32, shiftRight(address, 1));
  Value high = LLVM::TruncOp::create(b, i32, shiftRight(address, 33));
  Value key = LLVM::XOrOp::create(b, low, high);
  Value hash = LLVM::MulOp::create(b, key, emitI32(b, kGoldenRatio));
  Value slot = shiftRight(hash, 32 - llvm::Log2_64(size));
  return emitByteOffset(b, table,
                        LLVM::MulOp::create(b, slot, emitI32(b, kNumberBytes)));
}

/// Emits one round. The carried values are a waiting flag per element, then the
/// result per element.
SmallVector<Value> ElementOrder::emitRound(ArrayRef<Element> elements,
                                           ValueRange carried,
                                           EmitOne emitOne) {
  ValueRange waiting = carried.take_front(elements.size());
  for (auto [element, isWaiting] : llvm::zip(elements, waiting)) {
    InlinePtx ptx(b);
    std::string condition = ptx.predicate(isWaiting);
    ptx.emit(condition + "red.shared.min.u32 [" + ptx.in(slots[element.first]) +
                 "], " + ptx.in(numbers[element.first]) + ";",
             /*sideEffects=*/true);
  }
  emitBarrier(b);
  SmallVector<Value> first, left, results;
  for (auto [element, isWaiting] : llvm::zip(elements, waiting)) {
    Value there = emitSharedLoad(b, slots[element.first], b.getI32Type(), 1)[0];
    Value isFirst = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, there,
                                         numbers[element.first]);
    first.push_back(LLVM::AndOp::create(b, isFirst, isWaiting));
    left.push_back(LLVM::AndOp::create(
        b, isWaiting, LLVM::XOrOp::create(b, isFirst, emitBool(b, true))));
  }
  for (auto [element, isFirst, before] :
       llvm::zip(elements, first, carried.drop_front(elements.size()))) {
    Value given = emitOne(b, element.first, isFirst)[0];
    results.push_back(LLVM::SelectOp::create(b, isFirst, given, before));
  }
  emitBarrier(b);
  for (auto [element, isFirst] : llvm::zip(elements, first))
    emitSharedStore(b, slots[element.first], emitI32(b, kNoElement), isFirst);
  llvm::append_range(left, results);
  return left;
}

void ElementOrder::emit(ArrayRef<Element> elements, Type type, EmitOne emitOne,
                        MutableArrayRef<Value> results) {
  numbers = emitFlatIndices(b, layout);
  for (Value pointer : pointers)
    slots.push_back(emitSlot(pointer));
  emitClear();
  emitBarrier(b);
  SmallVector<Value> carried;
  for (auto [reg, condition] : elements)
    carried.push_back(condition ? condition : emitBool(b, true));
  carried.append(elements.size(), LLVM::ZeroOp::create(b, type));
  SmallVector<Type> types(ValueRange(carried).getTypes());
  SmallVector<Location> locs(types.size(), b.getLoc());
  auto rounds = scf::WhileOp::create(b, types, carried);
  Block *body = b.createBlock(&rounds.getBefore(), {}, types, locs);
  SmallVector<Value> next = emitRound(elements, body->getArguments(), emitOne);
  Value isLeft = emitBool(b, false);
  for (Value one : ArrayRef(next).take_front(elements.size()))
    isLeft = LLVM::OrOp::create(b, isLeft, one);
  Value wanted = LLVM::ZExtOp::create(b, b.getI32Type(), isLeft);
  // The barrier also separates the clearing of slots from the next round.
  Value anywhere =
      NVVM::BarrierOp::create(b, b.getI32Type(), {}, {},
                              NVVM::BarrierReductionAttr::get(
                                  b.getContext(), NVVM::BarrierReduction::OR),
                              wanted)
          .getRes();
  Value goesOn =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, anywhere, emitI32(b, 0));
  scf::ConditionOp::create(b, goesOn, next);
  Block *after = b.createBlock(&rounds.getAfter(), {}, types, locs);
  scf::YieldOp::create(b, after->getArguments());
  b.setInsertionPointAfter(rounds);
  for (auto [element, result] :
       llvm::zip(elements, rounds.getResults().drop_front(elements.size())))
    results[element.first] = result;
}
