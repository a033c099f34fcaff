// Reductions: in registers, then over lanes with shuffles, then over warps
// through shared memory. ReductionPlan says over which bits of each.

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
      Partial other = llvm::map_to_vector(
          partial, [&](Value value) { return emitShuffleXor(b, value, bit); });
      partial = emitCombine(b, op, partial, other);
    }
  }
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

  void run(SmallVector<Partial> &partials) {
    SmallVector<unsigned> registers = plan.getResultRegisters();
    Value writes = emitIsWriter(), place = emitPlaceOfWarp();
    for (auto [reg, partial] : llvm::zip(registers, partials))
      for (auto [i, value] : llvm::enumerate(partial))
        emitSharedStore(b, emitAddress(i, reg, place), value, writes);
    emitBarrier(b);
    SmallVector<uint64_t> lanes = getSharingLanes();
    for (auto [reg, partial] : llvm::zip(registers, partials)) {
      if (!lanes.empty()) {
        partial = emitCombineByLanes(reg, partial, lanes);
        continue;
      }
      SmallVector<Partial> all(plan.getNumPartials());
      for (unsigned i = 0; i < partial.size(); ++i)
        for (auto [to, value] :
             llvm::zip(all, emitSharedLoad(b, emitAddress(i, reg, {}),
                                           partial[i].getType(), all.size())))
          to.push_back(value);
      partial = emitCombineTree(b, op, std::move(all));
    }
  }

private:
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
  Partial emitCombineByLanes(unsigned reg, const Partial &types,
                             ArrayRef<uint64_t> bits) {
    Value lane = emitLaneId(b);
    SmallVector<uint64_t> columns;
    for (uint64_t bit = 1; bit < kWarpSize; bit *= 2) {
      const uint64_t *at = llvm::find(bits, bit);
      columns.push_back(at == bits.end() ? 0 : 1 << (at - bits.begin()));
    }
    Value place = emitLinearMap(b, lane, columns);
    Partial partial;
    for (auto [i, value] : llvm::enumerate(types))
      partial.push_back(
          emitSharedLoad(b, emitAddress(i, reg, place), value.getType(), 1)[0]);
    for (uint64_t bit : llvm::reverse(bits)) {
      Value isUpper = LLVM::ICmpOp::create(
          b, LLVM::ICmpPredicate::ne,
          LLVM::AndOp::create(b, lane, emitI32(b, bit)), emitI32(b, 0));
      Partial lower, upper;
      for (Value value : partial) {
        Value other = emitShuffleXor(b, value, bit);
        lower.push_back(LLVM::SelectOp::create(b, isUpper, other, value));
        upper.push_back(LLVM::SelectOp::create(b, isUpper, value, other));
      }
      partial = emitCombine(b, op, lower, upper);
    }
    return partial;
  }

  /// One lane writes for those it was reduced with and for its copies.
  Value emitIsWriter() {
    uint64_t silent = plan.laneBits | plan.copyLaneBits |
                      plan.copyWarpBits * uint64_t(kWarpSize);
    if (silent == 0)
      return {};
    Value bits = LLVM::AndOp::create(b, emitThreadId(b), emitI32(b, silent));
    return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, bits,
                                emitI32(b, 0));
  }

  /// The number of this warp among those whose partial results are combined.
  Value emitPlaceOfWarp() {
    SmallVector<uint64_t> columns;
    uint64_t next = 1;
    for (uint64_t bits = plan.warpBits, bit = 1; bits; bits &= ~bit, bit *= 2) {
      columns.push_back(bits & bit ? next : 0);
      next <<= (bits & bit) != 0;
    }
    return emitLinearMap(b, emitWarpId(b), columns);
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
    LinearLayout source = getLayoutOrScalar(op.getOperands()[0].getType());
    auto plan = ReductionPlan::get(source, op.getAxis());
    if (!plan)
      return op.emitOpError("has a layout that cannot be reduced along axis ")
             << op.getAxis();
    int64_t sharedOffset = 0;
    if (plan->warpBits != 0) {
      FailureOr<int64_t> offset = getSharedOffset(op);
      if (failed(offset))
        return failure();
      sharedOffset = *offset;
    }
    SmallVector<Partial> partials =
        emitReduceRegisters(b, op, *plan, adaptor.getOperands());
    emitReduceLanes(b, op, plan->laneBits, partials);
    if (plan->warpBits != 0)
      WarpReduction(b, op, *plan, sharedOffset).run(partials);
    rewriter.replaceOpWithMultiple(op, getResults(op, *plan, partials));
    return success();
  }

private:
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
