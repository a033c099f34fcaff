// Reductions: in registers, then over lanes by shuffles, then over warps
// through shared memory. ReductionPlan gives the bits of each, and their order
// where it matters.

#include "lib/Analysis/Target/OccupancyParameters.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"
#include "lib/Conversion/WarpToLLVM/Reduction/WarpReduction.h"

#include "lib/Analysis/Layout/ReductionPlan.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

static constexpr uint64_t kAllLanes = kWarpSize - 1;

/// Combines partials[i] with partials[i + half] in a balanced tree. It has the
/// shortest dependence chain and the smallest rounding error.
static Partial emitCombineTree(ImplicitLocOpBuilder &b, tile::ReduceOp op,
                               SmallVector<Partial> partials) {
  for (; partials.size() > 1; partials.resize(partials.size() / 2))
    for (unsigned i = 0, half = partials.size() / 2; i < half; ++i)
      partials[i] = emitCombine(b, op, partials[i], partials[i + half]);
  return partials.front();
}

/// Combines in register order, in which the registers are loaded.
static Partial emitCombineChain(ImplicitLocOpBuilder &b, tile::ReduceOp op,
                                ArrayRef<Partial> partials) {
  Partial result = partials.front();
  for (const Partial &partial : partials.drop_front())
    result = emitCombine(b, op, result, partial);
  return result;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// Reduces the registers of each thread. A tree first combines distant
/// registers, so all of the tile is loaded before. Large tiles do not fit the
/// registers of a thread then.
static SmallVector<Partial> emitReduceRegisters(ImplicitLocOpBuilder &b,
                                                tile::ReduceOp op,
                                                const ReductionPlan &plan,
                                                ArrayRef<ValueRange> operands) {
  SmallVector<Partial> results;
  for (unsigned target : plan.getResultRegisters()) {
    SmallVector<Partial> partials;
    for (unsigned reg = 0; reg < operands[0].size(); ++reg)
      if ((reg & ~plan.registerBits) == target)
        partials.push_back(llvm::map_to_vector(
            operands, [&](ValueRange registers) { return registers[reg]; }));
    results.push_back(operands[0].size() > OccupancyParameters::kMaxTree
                          ? emitCombineChain(b, op, partials)
                          : emitCombineTree(b, op, std::move(partials)));
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// Returns the single instruction that reduces i32 over a warp by the combine
/// region, if there is one.
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

/// Reduces over lanes. Every lane then holds the result of all its lanes.
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
// Ordered reductions
//===----------------------------------------------------------------------===//

/// Returns the partial of each register after the steps within the warp.
/// Registers that were combined into others are empty.
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
        // Of two registers the lane sends one and receives the other's pair.
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
// The pattern
//===----------------------------------------------------------------------===//

namespace {
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
      reduced = emitReduceWarps(b, op, *plan, sharedOffset, partials);
    rewriter.replaceOpWithMultiple(op, getResults(op, *plan, reduced));
    return success();
  }

private:
  /// As emitOrderedSteps, for reductions in any order.
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

  /// Returns the registers of each result: the partials in the order of its
  /// layout.
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
