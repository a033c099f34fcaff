#include "lib/Target/NVPTX/NarrowDivisions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace tilewright;

static constexpr unsigned kNarrow = 32;

/// Whether both operands and the result fit in 32 bits. The least signed number
/// divided by -1 does not.
static bool isNarrow(const BinaryOperator &division,
                     const SimplifyQuery &query) {
  auto known = [&](const Value *operand) {
    return computeKnownBits(operand, query);
  };
  auto fits = [&](const Value *operand) {
    return ComputeNumSignBits(operand, query.DL, query.AC, &division,
                              query.DT) > kNarrow;
  };
  const Value *lhs = division.getOperand(0), *rhs = division.getOperand(1);
  if (division.getOpcode() == Instruction::UDiv ||
      division.getOpcode() == Instruction::URem)
    return known(lhs).countMinLeadingZeros() >= kNarrow &&
           known(rhs).countMinLeadingZeros() >= kNarrow;
  return fits(lhs) && fits(rhs) &&
         (known(lhs).isNonNegative() || known(rhs).isNonNegative());
}

PreservedAnalyses NarrowDivisions::run(Function &function,
                                       FunctionAnalysisManager &) {
  const DataLayout &layout = function.getDataLayout();
  bool changed = false;
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *division = dyn_cast<BinaryOperator>(&instruction);
    if (!division || !division->isIntDivRem() ||
        !division->getType()->isIntegerTy(2 * kNarrow) ||
        isa<Constant>(division->getOperand(1)) ||
        !isNarrow(*division, SimplifyQuery(layout, division)))
      continue;
    IRBuilder<> b(division);
    Type *narrow = b.getIntNTy(kNarrow);
    Value *result = b.CreateBinOp(
        division->getOpcode(), b.CreateTrunc(division->getOperand(0), narrow),
        b.CreateTrunc(division->getOperand(1), narrow));
    const bool isSigned = division->getOpcode() == Instruction::SDiv ||
                          division->getOpcode() == Instruction::SRem;
    result = isSigned ? b.CreateSExt(result, division->getType())
                      : b.CreateZExt(result, division->getType());
    division->replaceAllUsesWith(result);
    division->eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
