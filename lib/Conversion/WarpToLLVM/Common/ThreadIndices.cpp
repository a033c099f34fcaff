#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

static constexpr unsigned kWarpSizeBits = 5;

Value tilewright::emitI32(ImplicitLocOpBuilder &b, int64_t value) {
  return LLVM::ConstantOp::create(b, b.getI32Type(),
                                  b.getI32IntegerAttr(int32_t(value)));
}

Value tilewright::emitThreadId(ImplicitLocOpBuilder &b) {
  Value thread = NVVM::ThreadIdXOp::create(b, b.getI32Type());
  auto role = warp::SpecializeOp::getRole(b.getInsertionBlock());
  if (!role)
    return thread;
  auto [roles, number] = *role;
  if (int64_t first = roles.getFirstWarp(number))
    thread = LLVM::SubOp::create(b, thread, emitI32(b, first * kWarpSize));
  if (roles.getNumPingPongGroups(number) > 1)
    thread = LLVM::AndOp::create(
        b, thread,
        emitI32(b, roles.getWarpsPerPingPongGroup(number) * kWarpSize - 1));
  return thread;
}

Value tilewright::emitPingPongGroup(ImplicitLocOpBuilder &b) {
  auto role = warp::SpecializeOp::getRole(b.getInsertionBlock());
  if (!role || role->first.getNumPingPongGroups(role->second) == 1)
    return {};
  // Only the first role has ping-pong groups, so its threads come first.
  unsigned bits =
      llvm::Log2_32(role->first.getWarpsPerPingPongGroup(role->second));
  return LLVM::LShrOp::create(b, NVVM::ThreadIdXOp::create(b, b.getI32Type()),
                              emitI32(b, kWarpSizeBits + bits));
}

Value tilewright::emitLaneId(ImplicitLocOpBuilder &b) {
  return LLVM::AndOp::create(b, emitThreadId(b), emitI32(b, kWarpSize - 1));
}

Value tilewright::emitWarpId(ImplicitLocOpBuilder &b) {
  return LLVM::LShrOp::create(b, emitThreadId(b), emitI32(b, kWarpSizeBits));
}

/// The bits of `input` in `mask`, moved up by `shift` (down if negative).
static Value emitDiagonal(ImplicitLocOpBuilder &b, Value input, uint64_t mask,
                          int shift) {
  Value bits = LLVM::AndOp::create(b, input, emitI32(b, mask));
  if (shift > 0)
    return LLVM::ShlOp::create(b, bits, emitI32(b, shift));
  if (shift < 0)
    return LLVM::LShrOp::create(b, bits, emitI32(b, -shift));
  return bits;
}

Value tilewright::emitLinearMap(ImplicitLocOpBuilder &b, Value input,
                                ArrayRef<uint64_t> columns) {
  // A matrix is the sum of its diagonals, and a diagonal is a mask and a shift.
  llvm::MapVector<int, uint64_t> maskOfShift;
  for (auto [bit, column] : llvm::enumerate(columns))
    for (uint64_t rest = column; rest; rest &= rest - 1)
      maskOfShift[llvm::countr_zero(rest) - int(bit)] |= uint64_t(1) << bit;

  Value result;
  uint64_t occupied = 0;
  for (auto [shift, mask] : maskOfShift) {
    Value part = emitDiagonal(b, input, mask, shift);
    uint64_t bits = shift >= 0 ? mask << shift : mask >> -shift;
    if (!result)
      result = part;
    else if (occupied & bits)
      result = LLVM::XOrOp::create(b, result, part);
    else
      result = LLVM::OrOp::create(b, result, part, /*isDisjoint=*/true);
    occupied |= bits;
  }
  return result ? result : emitI32(b, 0);
}

/// Returns the step along `out` of each bit of the thread number.
static SmallVector<uint64_t> getThreadColumns(const LinearLayout &layout,
                                              LayoutAxis out) {
  SmallVector<uint64_t> columns;
  for (unsigned bit = 0; bit < kWarpSizeBits; ++bit)
    columns.push_back(bit < layout.getInBits(LayoutAxis::Lane)
                          ? layout.getBasis(LayoutAxis::Lane, bit, out)
                          : 0);
  for (unsigned bit = 0, e = layout.getInBits(LayoutAxis::Warp); bit < e; ++bit)
    columns.push_back(layout.getBasis(LayoutAxis::Warp, bit, out));
  return columns;
}

Value tilewright::emitThreadOffset(ImplicitLocOpBuilder &b,
                                   const LinearLayout &layout, LayoutAxis out) {
  return emitLinearMap(b, emitThreadId(b), getThreadColumns(layout, out));
}

uint64_t tilewright::getRegisterOffset(const LinearLayout &layout, unsigned reg,
                                       LayoutAxis out) {
  uint64_t offset = 0;
  for (unsigned rest = reg; rest; rest &= rest - 1)
    offset ^=
        layout.getBasis(LayoutAxis::Register, llvm::countr_zero(rest), out);
  return offset;
}

Value tilewright::emitElementOffset(ImplicitLocOpBuilder &b,
                                    const LinearLayout &layout, LayoutAxis out,
                                    Value threadOffset,
                                    uint64_t registerOffset) {
  if (registerOffset == 0)
    return threadOffset;
  uint64_t threadBits = 0;
  for (uint64_t column : getThreadColumns(layout, out))
    threadBits |= column;
  Value constant = emitI32(b, registerOffset);
  if (threadBits & registerOffset)
    return LLVM::XOrOp::create(b, threadOffset, constant);
  return LLVM::OrOp::create(b, threadOffset, constant, /*isDisjoint=*/true);
}

/// Returns the indices along `out` of the elements in all registers of this
/// thread.
static SmallVector<Value> emitIndicesAlong(ImplicitLocOpBuilder &b,
                                           const LinearLayout &layout,
                                           LayoutAxis out) {
  Value thread = emitThreadOffset(b, layout, out);
  SmallVector<Value> indices;
  for (unsigned reg = 0, e = layout.getInSize(LayoutAxis::Register); reg < e;
       ++reg)
    indices.push_back(emitElementOffset(b, layout, out, thread,
                                        getRegisterOffset(layout, reg, out)));
  return indices;
}

SmallVector<SmallVector<Value>>
tilewright::emitIndices(ImplicitLocOpBuilder &b, const LinearLayout &layout) {
  SmallVector<SmallVector<Value>> result(
      layout.getInSize(LayoutAxis::Register));
  for (unsigned dim = 0, rank = layout.getRank(); dim < rank; ++dim)
    for (auto [indices, index] :
         llvm::zip(result, emitIndicesAlong(b, layout, dimAxis(dim))))
      indices.push_back(index);
  return result;
}

SmallVector<Value> tilewright::emitFlatIndices(ImplicitLocOpBuilder &b,
                                               const LinearLayout &layout) {
  int64_t size = int64_t(1) << layout.getTotalOutBits();
  return emitIndicesAlong(b, layout.reshape({size}), dimAxis(0));
}

Value tilewright::emitIsOwner(ImplicitLocOpBuilder &b,
                              const LinearLayout &layout) {
  // The lowest-numbered copy acts: the one whose free bits are all zero.
  uint64_t copies = layout.getFreeBits(LayoutAxis::Lane) |
                    layout.getFreeBits(LayoutAxis::Warp) << kWarpSizeBits;
  if (copies == 0)
    return {};
  Value bits = LLVM::AndOp::create(b, emitThreadId(b), emitI32(b, copies));
  return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, bits, emitI32(b, 0));
}

bool tilewright::isOwnerRegister(const LinearLayout &layout, unsigned reg) {
  return (layout.getFreeBits(LayoutAxis::Register) & reg) == 0;
}

Value tilewright::emitIsFirstThread(ImplicitLocOpBuilder &b) {
  return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, emitThreadId(b),
                              emitI32(b, 0));
}
