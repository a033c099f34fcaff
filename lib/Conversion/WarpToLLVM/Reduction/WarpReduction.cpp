#include "lib/Conversion/WarpToLLVM/Reduction/WarpReduction.h"

#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Memory/SharedAccess.h"

#include "dialect/Warp/WarpTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilewright;

/// Estimates the number of instructions of the combine region.
static int64_t countInstructions(tile::ReduceOp op) {
  constexpr int64_t kOfDivision = 8, kOfFunction = 4;
  int64_t count = 0;
  for (Operation &inner : op.getCombine().front().without_terminator())
    count += isa<arith::DivFOp>(inner)                    ? kOfDivision
             : isa<math::MathDialect>(inner.getDialect()) ? kOfFunction
                                                          : 1;
  return count;
}

/// Whether the lanes of each warp share the work on the partials of `count`
/// warps. That is shorter than a combination of all by each thread if regions
/// are long or warps are many. Each halving of the count costs an exchange of
/// operands and, if the order matters, a selection of their order.
static bool areSharedByLanes(tile::ReduceOp op, int64_t count, bool isOrdered) {
  const int64_t ofExchange = isOrdered ? 10 : 4;
  int64_t instructions = countInstructions(op);
  return llvm::Log2_64(count) *
             (instructions + ofExchange * op.getNumOperands()) <
         (count - 1) * instructions;
}

namespace {

/// Exchanges partial results between warps. The partials of one result are
/// adjacent, so that a thread reads them with wide loads. Rows are padded (see
/// `kScratchRowBytes`).
class WarpReduction {
public:
  WarpReduction(ImplicitLocOpBuilder &b, tile::ReduceOp op,
                const ReductionPlan &plan, int64_t sharedOffset)
      : b(b), op(op), plan(plan), offsets(getReduceScratchOffsets(op)),
        flat(plan.results.reshape(
            {int64_t(1) << plan.results.getTotalOutBits()})) {
    for (int64_t &offset : offsets)
      offset += sharedOffset;
    thread = emitThreadOffset(b, flat, dimAxis(0));
  }

  /// Returns the results of `partials`, by register.
  SmallVector<Partial> run(ArrayRef<Partial> partials) {
    for (Value value : partials.front())
      types.push_back(value.getType());
    SmallVector<Partial> results;
    for (unsigned round = 0, e = 1u << plan.roundBits; round < e; ++round) {
      if (round != 0)
        emitBarrier(b);
      emitStores(partials, round);
      emitBarrier(b);
      for (auto [i, reg] : llvm::enumerate(plan.getResultRegisters())) {
        Partial result = emitCombined(reg);
        if (round == 0)
          results.push_back(result);
        else
          results[i] = emitCombine(b, op, results[i], result);
      }
    }
    return results;
  }

private:
  void emitStores(ArrayRef<Partial> partials, unsigned round) {
    const int64_t count = plan.getNumPartials();
    const uint64_t others = plan.getExchangedBits(LayoutAxis::Register);
    Value writes = emitIsWriter();
    Value ofLane = emitIndex(LayoutAxis::Lane, [&] { return emitLaneId(b); });
    Value ofWarp = emitIndex(LayoutAxis::Warp, [&] { return emitWarpId(b); });
    Value base = ofLane && ofWarp
                     ? LLVM::OrOp::create(b, ofLane, ofWarp, true).getResult()
                 : ofLane ? ofLane
                          : ofWarp;
    for (auto [reg, partial] : llvm::enumerate(partials)) {
      const int64_t number = plan.getPartialIndex(reg) - round * count;
      if (partial.empty() || number < 0 || number >= count)
        continue;
      Value at = base;
      if (number != 0)
        at =
            at ? LLVM::OrOp::create(b, at, emitI32(b, number), true).getResult()
               : emitI32(b, number);
      for (auto [i, value] : llvm::enumerate(partial))
        emitSharedStore(b, emitAddress(i, reg & ~others, at), value, writes);
    }
  }

  /// Returns the result in `reg` of all partial results of a round.
  Partial emitCombined(unsigned reg) {
    if (SmallVector<uint64_t> lanes = getSharingLanes(); !lanes.empty())
      return emitCombineByLanes(reg, lanes);
    SmallVector<Partial> all(plan.getNumPartials());
    for (auto [i, type] : llvm::enumerate(types))
      for (auto [to, value] :
           llvm::zip(all, emitSharedLoad(b, emitAddress(i, reg, {}), type,
                                         all.size())))
        to.push_back(value);
    return emitCombineInOrder(b, op, std::move(all));
  }

  /// Returns the lane bits that index the partials of one result if lanes share
  /// the work on them. Such bits have no results of their own.
  SmallVector<uint64_t> getSharingLanes() {
    const int64_t count = plan.getNumPartials();
    SmallVector<uint64_t> bits;
    for (uint64_t bit = 1; bit < kWarpSize; bit *= 2)
      if ((plan.laneBits | plan.copyLaneBits) & bit)
        bits.push_back(bit);
    unsigned needed = llvm::Log2_64(count);
    if (bits.size() < needed || !areSharedByLanes(op, count, plan.isOrdered))
      return {};
    bits.truncate(needed);
    return bits;
  }

  /// Combines in the same tree as one thread would, so that all lanes get the
  /// same bits. If the order matters, the operand of the lower lane is the left
  /// one.
  Partial emitCombineByLanes(unsigned reg, ArrayRef<uint64_t> bits) {
    Value lane = emitLaneId(b);
    SmallVector<uint64_t> columns;
    for (uint64_t bit = 1; bit < kWarpSize; bit *= 2) {
      const uint64_t *at = llvm::find(bits, bit);
      columns.push_back(at == bits.end() ? 0 : 1 << (at - bits.begin()));
    }
    Value own = emitLinearMap(b, lane, columns);
    Partial partial;
    for (auto [i, type] : llvm::enumerate(types))
      partial.push_back(
          emitSharedLoad(b, emitAddress(i, reg, own), type, 1)[0]);
    for (uint64_t bit : bits) {
      Value isUpper = plan.isOrdered ? emitHasLaneBit(b, bit) : Value();
      Partial other = emitShuffleXor(b, partial, bit);
      if (!isUpper) {
        partial = emitCombine(b, op, partial, other);
        continue;
      }
      partial = emitCombine(b, op, emitSelect(b, isUpper, other, partial),
                            emitSelect(b, isUpper, partial, other));
    }
    return partial;
  }

  /// Whether this lane writes for those it was reduced with and for its copies.
  Value emitIsWriter() {
    uint64_t silent =
        (plan.laneBits & ~plan.getExchangedBits(LayoutAxis::Lane)) |
        plan.copyLaneBits | plan.copyWarpBits * uint64_t(kWarpSize);
    if (silent == 0)
      return {};
    Value bits = LLVM::AndOp::create(b, emitThreadId(b), emitI32(b, silent));
    return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, bits,
                                emitI32(b, 0));
  }

  /// Returns the part of the partial's index that depends on the lane or warp
  /// number `getNumber()`, or null if none does.
  Value emitIndex(LayoutAxis axis, llvm::function_ref<Value()> getNumber) {
    if (plan.getExchangedBits(axis) == 0)
      return {};
    return emitLinearMap(b, getNumber(), plan.getPartialColumns(axis));
  }

  /// Returns the address of the partials of operand `i` of the result in `reg`,
  /// or with `partial` the address of that one.
  Value emitAddress(unsigned i, unsigned reg, Value partial) {
    Value index = emitElementOffset(b, flat, dimAxis(0), thread,
                                    getRegisterOffset(flat, reg, dimAxis(0)));
    const int64_t bytes = warp::getElementBytes(
        getElementTypeOrSelf(op.getOperands()[i].getType()));
    Value start = LLVM::MulOp::create(
        b, index, emitI32(b, plan.getNumPartials() * bytes));
    Value rows = LLVM::LShrOp::create(
        b, start, emitI32(b, llvm::Log2_64(kScratchRowBytes)));
    Value offset = LLVM::AddOp::create(
        b, start, LLVM::MulOp::create(b, rows, emitI32(b, kScratchRoomBytes)));
    if (partial)
      offset = LLVM::AddOp::create(
          b, offset, LLVM::MulOp::create(b, partial, emitI32(b, bytes)));
    return emitByteOffset(b, emitSharedAddress(b, offsets[i]), offset);
  }

  ImplicitLocOpBuilder &b;
  tile::ReduceOp op;
  const ReductionPlan &plan;
  SmallVector<int64_t> offsets;
  LinearLayout flat;
  Value thread;
  /// The element types of the operands.
  SmallVector<Type> types;
};

} // namespace

SmallVector<Partial> tilewright::emitReduceWarps(ImplicitLocOpBuilder &b,
                                                 tile::ReduceOp op,
                                                 const ReductionPlan &plan,
                                                 int64_t sharedOffset,
                                                 ArrayRef<Partial> partials) {
  return WarpReduction(b, op, plan, sharedOffset).run(partials);
}
