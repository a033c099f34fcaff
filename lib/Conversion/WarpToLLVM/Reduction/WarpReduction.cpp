#include "lib/Conversion/WarpToLLVM/Reduction/WarpReduction.h"

#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Memory/SharedAccess.h"

#include "dialect/Warp/WarpTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilewright;

/// About how many instructions the combine region takes.
static int64_t countInstructions(tile::ReduceOp op) {
  constexpr int64_t kOfDivision = 8, kOfFunction = 4;
  int64_t count = 0;
  for (Operation &inner : op.getCombine().front().without_terminator())
    count += isa<arith::DivFOp>(inner)                    ? kOfDivision
             : isa<math::MathDialect>(inner.getDialect()) ? kOfFunction
                                                          : 1;
  return count;
}

/// Whether the lanes of each warp share the work on what `count` warps found,
/// which is shorter than all by each thread where regions are long or warps are
/// many: for each halving of the count they exchange operands and, where the
/// order counts, tell theirs from the other.
static bool areSharedByLanes(tile::ReduceOp op, int64_t count, bool isOrdered) {
  const int64_t ofExchange = isOrdered ? 10 : 4;
  int64_t instructions = countInstructions(op);
  return llvm::Log2_64(count) *
             (instructions + ofExchange * op.getNumOperands()) <
         (count - 1) * instructions;
}

namespace {

/// Exchanges partial results between warps. Those of one result stand side by
/// side, so that a thread reads them with wide loads, in rows with room between
/// (see `kScratchRowBytes`).
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

  /// Of `partials`, by register, the results.
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
    Value ofLane = emitPlaces(LayoutAxis::Lane, [&] { return emitLaneId(b); });
    Value ofWarp = emitPlaces(LayoutAxis::Warp, [&] { return emitWarpId(b); });
    Value place = ofLane && ofWarp
                      ? LLVM::OrOp::create(b, ofLane, ofWarp, true).getResult()
                  : ofLane ? ofLane
                           : ofWarp;
    for (auto [reg, partial] : llvm::enumerate(partials)) {
      const int64_t number = plan.getPlace(reg) - round * count;
      if (partial.empty() || number < 0 || number >= count)
        continue;
      Value at = place;
      if (number != 0)
        at =
            at ? LLVM::OrOp::create(b, at, emitI32(b, number), true).getResult()
               : emitI32(b, number);
      for (auto [i, value] : llvm::enumerate(partial))
        emitSharedStore(b, emitAddress(i, reg & ~others, at), value, writes);
    }
  }

  /// The result in `reg` of all partial results of a round.
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

  /// The bits of lanes that number the partial results of one result, if lanes
  /// share the work on them: such as have no results of their own.
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

  /// As the tree that a thread would go through, and so that all lanes get the
  /// same bits: where the order counts, the operand of the lower lane stands on
  /// the left.
  Partial emitCombineByLanes(unsigned reg, ArrayRef<uint64_t> bits) {
    Value lane = emitLaneId(b);
    SmallVector<uint64_t> columns;
    for (uint64_t bit = 1; bit < kWarpSize; bit *= 2) {
      const uint64_t *at = llvm::find(bits, bit);
      columns.push_back(at == bits.end() ? 0 : 1 << (at - bits.begin()));
    }
    Value place = emitLinearMap(b, lane, columns);
    Partial partial;
    for (auto [i, type] : llvm::enumerate(types))
      partial.push_back(
          emitSharedLoad(b, emitAddress(i, reg, place), type, 1)[0]);
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

  /// One lane writes for those it was reduced with and for its copies.
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

  /// What the lane or the warp, which `getNumber` gives, adds to the number of
  /// its partial results; null where it adds nothing.
  Value emitPlaces(LayoutAxis axis, llvm::function_ref<Value()> getNumber) {
    if (plan.getExchangedBits(axis) == 0)
      return {};
    return emitLinearMap(b, getNumber(), plan.getPlaces(axis));
  }

  /// Where operand `i` of the result in `reg` keeps its partial results, and
  /// among those the one at `place`.
  Value emitAddress(unsigned i, unsigned reg, Value place) {
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
    if (place)
      offset = LLVM::AddOp::create(
          b, offset, LLVM::MulOp::create(b, place, emitI32(b, bytes)));
    return emitByteOffset(b, emitSharedAddress(b, offsets[i]), offset);
  }

  ImplicitLocOpBuilder &b;
  tile::ReduceOp op;
  const ReductionPlan &plan;
  SmallVector<int64_t> offsets;
  LinearLayout flat;
  Value thread;
  /// Of the operands' elements.
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
