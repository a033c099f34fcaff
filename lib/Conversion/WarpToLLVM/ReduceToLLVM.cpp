// Reductions: in registers, then over lanes with shuffles, then over warps
// through shared memory. ReductionPlan says over which bits of each, and in
// which order where that counts.

#include "lib/Conversion/WarpToLLVM/Patterns.h"
#include "lib/Conversion/WarpToLLVM/RegionEmission.h"
#include "lib/Conversion/WarpToLLVM/SharedAccess.h"
#include "lib/Conversion/WarpToLLVM/SharedMemory.h"
#include "lib/Conversion/WarpToLLVM/Shuffle.h"
#include "lib/Conversion/WarpToLLVM/ThreadIndices.h"

#include "dialect/Warp/WarpTypes.h"
#include "lib/Analysis/ReductionPlan.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

static constexpr uint64_t kAllLanes = kWarpSize - 1;

/// One value for each operand of the reduction.
using Partial = SmallVector<Value>;

/// The combine region, applied to two partial results.
static Partial emitCombine(ImplicitLocOpBuilder &b, tile::ReduceOp op,
                           const Partial &lhs, const Partial &rhs) {
  Partial inputs(lhs);
  llvm::append_range(inputs, rhs);
  return emitRegion(b, op.getCombine().front(), inputs,
                    ValueRange(lhs).getTypes());
}

/// Combines partials[i] with its neighbours in a balanced tree, which is both
/// the shortest chain of dependences and the smallest rounding error.
static Partial emitCombineTree(ImplicitLocOpBuilder &b, tile::ReduceOp op,
                               SmallVector<Partial> partials) {
  for (; partials.size() > 1; partials.resize(partials.size() / 2))
    for (unsigned i = 0, half = partials.size() / 2; i < half; ++i)
      partials[i] = emitCombine(b, op, partials[i], partials[i + half]);
  return partials.front();
}

/// Combines neighbours: a balanced tree as well, in the order of `partials`.
static Partial emitCombineInOrder(ImplicitLocOpBuilder &b, tile::ReduceOp op,
                                  SmallVector<Partial> partials) {
  for (; partials.size() > 1; partials.resize(partials.size() / 2))
    for (unsigned i = 0; i < partials.size() / 2; ++i)
      partials[i] = emitCombine(b, op, partials[2 * i], partials[2 * i + 1]);
  return partials.front();
}

/// Whether this thread's lane has the bit `mask` (i1).
static Value emitHasLaneBit(ImplicitLocOpBuilder &b, uint64_t mask) {
  return LLVM::ICmpOp::create(
      b, LLVM::ICmpPredicate::ne,
      LLVM::AndOp::create(b, emitLaneId(b), emitI32(b, mask)), emitI32(b, 0));
}

static Partial emitShuffleXor(ImplicitLocOpBuilder &b, const Partial &partial,
                              uint64_t mask) {
  return llvm::map_to_vector(
      partial, [&](Value value) { return emitShuffleXor(b, value, mask); });
}

static Partial emitSelect(ImplicitLocOpBuilder &b, Value condition,
                          const Partial &lhs, const Partial &rhs) {
  return llvm::map_to_vector(llvm::zip(lhs, rhs), [&](auto sides) -> Value {
    auto [left, right] = sides;
    return LLVM::SelectOp::create(b, condition, left, right);
  });
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

static SmallVector<Partial> emitReduceRegisters(ImplicitLocOpBuilder &b,
                                                tile::ReduceOp op,
                                                const ReductionPlan &plan,
                                                ArrayRef<ValueRange> operands) {
  SmallVector<Partial> results;
  for (unsigned kept : plan.getResultRegisters()) {
    SmallVector<Partial> partials;
    for (unsigned reg = 0; reg < operands[0].size(); ++reg)
      if ((reg & ~plan.registerBits) == kept)
        partials.push_back(llvm::map_to_vector(
            operands, [&](ValueRange registers) { return registers[reg]; }));
    results.push_back(emitCombineTree(b, op, std::move(partials)));
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// The one instruction that reduces i32 over a warp, if the region is what it
/// computes.
static std::optional<NVVM::ReduxKind> getReduxKind(tile::ReduceOp op) {
  Block &block = op.getCombine().front();
  if (block.getNumArguments() != 2 || block.getOperations().size() != 2 ||
      !block.getArgument(0).getType().isInteger(32))
    return std::nullopt;
  Operation &inner = block.front();
  bool combinesArguments =
      inner.getNumOperands() == 2 && inner.getNumResults() == 1 &&
      block.getTerminator()->getOperand(0) == inner.getResult(0) &&
      isa<BlockArgument>(inner.getOperand(0)) &&
      isa<BlockArgument>(inner.getOperand(1)) &&
      inner.getOperand(0) != inner.getOperand(1);
  if (!combinesArguments)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<NVVM::ReduxKind>>(&inner)
      .Case([](arith::AddIOp) { return NVVM::ReduxKind::ADD; })
      .Case([](arith::AndIOp) { return NVVM::ReduxKind::AND; })
      .Case([](arith::OrIOp) { return NVVM::ReduxKind::OR; })
      .Case([](arith::XOrIOp) { return NVVM::ReduxKind::XOR; })
      .Case([](arith::MaxSIOp) { return NVVM::ReduxKind::MAX; })
      .Case([](arith::MinSIOp) { return NVVM::ReduxKind::MIN; })
      .Case([](arith::MaxUIOp) { return NVVM::ReduxKind::UMAX; })
      .Case([](arith::MinUIOp) { return NVVM::ReduxKind::UMIN; })
      .Default(std::nullopt);
}

/// Afterwards every lane holds the result of all lanes it was reduced with.
static void emitReduceLanes(ImplicitLocOpBuilder &b, tile::ReduceOp op,
                            uint64_t laneBits, SmallVector<Partial> &partials) {
  if (laneBits == kAllLanes)
    if (auto kind = getReduxKind(op)) {
      for (Partial &partial : partials)
        partial[0] = NVVM::ReduxOp::create(b, partial[0].getType(), partial[0],
                                           *kind, emitI32(b, -1));
      return;
    }
  for (uint64_t bit = kWarpSize / 2; bit != 0; bit /= 2) {
    if ((laneBits & bit) == 0)
      continue;
    for (Partial &partial : partials) {
      Partial other = emitShuffleXor(b, partial, bit);
      partial = emitCombine(b, op, partial, other);
    }
  }
}

//===----------------------------------------------------------------------===//
// In order
//===----------------------------------------------------------------------===//

/// What each register holds after the steps within the warp; nothing in those
/// that have been combined with others.
static SmallVector<Partial> emitOrderedSteps(ImplicitLocOpBuilder &b,
                                             tile::ReduceOp op,
                                             const ReductionPlan &plan,
                                             ArrayRef<ValueRange> operands) {
  SmallVector<Partial> partials(operands[0].size());
  for (auto [reg, partial] : llvm::enumerate(partials))
    if ((reg & plan.copyRegisterBits) == 0)
      for (ValueRange registers : operands)
        partial.push_back(registers[reg]);
  for (auto [registerBit, laneBit] : plan.steps) {
    Value isUpper = laneBit ? emitHasLaneBit(b, laneBit) : Value();
    for (auto [reg, own] : llvm::enumerate(partials)) {
      if (own.empty() || (reg & registerBit))
        continue;
      Partial lower = own, upper = own;
      if (registerBit)
        upper = std::exchange(partials[reg | registerBit], {});
      if (laneBit) {
        // The neighbour takes what this lane gives away of two registers.
        Partial other = emitShuffleXor(
            b, registerBit ? emitSelect(b, isUpper, lower, upper) : own,
            laneBit);
        lower = emitSelect(b, isUpper, other, lower);
        upper = emitSelect(b, isUpper, upper, other);
      }
      own = emitCombine(b, op, lower, upper);
    }
  }
  return partials;
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

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
/// which is shorter than all by each thread where regions are long: for each
/// halving of the count they exchange operands and tell theirs from the other.
static bool areSharedByLanes(tile::ReduceOp op, int64_t count) {
  constexpr int64_t kOfExchange = 10;
  int64_t instructions = countInstructions(op);
  return llvm::Log2_64(count) *
             (instructions + kOfExchange * op.getNumOperands()) <
         (count - 1) * instructions;
}

namespace {

/// Exchanges partial results between warps. Those of one result stand side by
/// side, so that a thread reads them with wide loads.
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
    if (bits.size() < needed || !areSharedByLanes(op, count))
      return {};
    bits.truncate(needed);
    return bits;
  }

  /// As the tree that a thread would go through, and so that all lanes get the
  /// same bits: the operand of the lower lane stands on the left.
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
      Value isUpper = emitHasLaneBit(b, bit);
      Partial other = emitShuffleXor(b, partial, bit);
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
    index = LLVM::MulOp::create(b, index, emitI32(b, plan.getNumPartials()));
    if (place)
      index = LLVM::AddOp::create(b, index, place);
    int64_t bytes = warp::getElementBytes(
        getElementTypeOrSelf(op.getOperands()[i].getType()));
    return emitByteOffset(b, emitSharedAddress(b, offsets[i]),
                          LLVM::MulOp::create(b, index, emitI32(b, bytes)));
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

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

struct ReduceLowering : ConvertOpToLLVMPattern<tile::ReduceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(tile::ReduceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto plan = ReductionPlan::get(op);
    if (!plan)
      return op.emitOpError("has a layout that cannot be reduced along axis ")
             << op.getAxis();
    int64_t sharedOffset = 0;
    if (!plan->exchanged.empty()) {
      FailureOr<int64_t> offset = getSharedOffset(op);
      if (failed(offset))
        return failure();
      sharedOffset = *offset;
    }
    SmallVector<Partial> partials =
        plan->isOrdered ? emitOrderedSteps(b, op, *plan, adaptor.getOperands())
                        : emitUnordered(b, op, *plan, adaptor.getOperands());
    SmallVector<Partial> reduced;
    if (plan->exchanged.empty())
      for (unsigned reg : plan->getResultRegisters())
        reduced.push_back(partials[reg]);
    else
      reduced = WarpReduction(b, op, *plan, sharedOffset).run(partials);
    rewriter.replaceOpWithMultiple(op, getResults(op, *plan, reduced));
    return success();
  }

private:
  /// As emitOrderedSteps.
  static SmallVector<Partial> emitUnordered(ImplicitLocOpBuilder &b,
                                            tile::ReduceOp op,
                                            const ReductionPlan &plan,
                                            ArrayRef<ValueRange> operands) {
    SmallVector<Partial> reduced = emitReduceRegisters(b, op, plan, operands);
    emitReduceLanes(b, op, plan.laneBits, reduced);
    SmallVector<Partial> partials(operands[0].size());
    for (auto [reg, partial] : llvm::zip(plan.getResultRegisters(), reduced))
      partials[reg] = partial;
    return partials;
  }

  /// The registers of each result: the partials, in the order of its layout.
  static SmallVector<SmallVector<Value>>
  getResults(tile::ReduceOp op, const ReductionPlan &plan,
             ArrayRef<Partial> partials) {
    llvm::SmallDenseMap<uint64_t, unsigned> partialOfElement;
    for (auto [i, reg] : llvm::enumerate(plan.getResultRegisters()))
      partialOfElement[plan.results.applyFlat(reg)] = i;
    SmallVector<SmallVector<Value>> results;
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      LinearLayout layout = getLayoutOrScalar(result.getType());
      SmallVector<Value> registers;
      for (unsigned reg = 0, e = getNumRegisters(result.getType()); reg < e;
           ++reg)
        registers.push_back(
            partials[partialOfElement.lookup(layout.applyFlat(reg))][i]);
      results.push_back(std::move(registers));
    }
    return results;
  }
};

} // namespace

void tilewright::populateReduceToLLVM(const WarpTypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<ReduceLowering>(converter);
}
