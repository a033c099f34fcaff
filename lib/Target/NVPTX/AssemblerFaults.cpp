#include "lib/Target/NVPTX/AssemblerFaults.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using llvm::dyn_cast, llvm::cast, llvm::isa;
using namespace tilewright;

/// The sum of `count` and `step`, in front of `place`: the one that there is in
/// that block, if there is one.
static llvm::Value *getSumAt(llvm::PHINode *count, const llvm::APInt &step,
                             llvm::Instruction *place) {
  using namespace llvm::PatternMatch;
  for (llvm::User *user : count->users()) {
    auto *sum = dyn_cast<llvm::Instruction>(user);
    if (!sum || sum->getParent() != place->getParent() ||
        !match(sum, m_Add(m_Specific(count), m_SpecificInt(step))))
      continue;
    if (place->comesBefore(sum))
      sum->moveBefore(place->getIterator());
    return sum;
  }
  return llvm::BinaryOperator::CreateAdd(
      count, llvm::ConstantInt::get(count->getType(), step), "",
      place->getIterator());
}

/// `i + step < step`, the end of a loop from below zero up to its step, is
/// `i > max - step` to LLVM, of unsigned numbers. ptxas 13.0 makes that one of
/// the next `i`, forgets that it wraps around to 0, and leaves out the last
/// iteration. So it becomes again what it was.
static void restoreSignedEnds(llvm::Module &module) {
  using namespace llvm::PatternMatch;
  llvm::SmallVector<std::pair<llvm::ICmpInst *, llvm::APInt>> found;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block) {
        auto *compare = dyn_cast<llvm::ICmpInst>(&instruction);
        const llvm::APInt *bound;
        if (!compare || !isa<llvm::PHINode>(compare->getOperand(0)) ||
            !match(compare->getOperand(1), m_APInt(bound)))
          continue;
        bool isAbove = compare->getPredicate() == llvm::ICmpInst::ICMP_UGT;
        if (!isAbove && compare->getPredicate() != llvm::ICmpInst::ICMP_ULT)
          continue;
        llvm::APInt step =
            llvm::APInt::getSignedMaxValue(bound->getBitWidth()) - *bound;
        if (!isAbove)
          ++step;
        bool isStepOfLoop =
            step.isStrictlyPositive() &&
            llvm::any_of(
                compare->getOperand(0)->users(), [&](llvm::User *user) {
                  return match(user, m_Add(m_Value(), m_SpecificInt(step)));
                });
        if (isStepOfLoop)
          found.push_back({compare, step});
      }
  for (auto &[compare, step] : found) {
    auto *count = cast<llvm::PHINode>(compare->getOperand(0));
    bool isAbove = compare->getPredicate() == llvm::ICmpInst::ICMP_UGT;
    llvm::Value *next = getSumAt(count, step, compare);
    compare->setPredicate(isAbove ? llvm::ICmpInst::ICMP_SLT
                                  : llvm::ICmpInst::ICMP_SGE);
    compare->setSameSign(false);
    compare->setOperand(0, next);
    compare->setOperand(1, llvm::ConstantInt::get(count->getType(), step));
  }
}

/// The magnitude of the least number is that number, as NumPy has it.
/// Assemblers take the result of `abs` for not negative: a comparison with zero
/// is left out, and ptxas 13.0 extends -32768 to 32768. So magnitudes of 32 and
/// 64 bits are the larger of a number and its negation, and those of 16 bits
/// are computed in 32.
static void writeMagnitudes(llvm::Module &module) {
  llvm::SmallVector<llvm::IntrinsicInst *> found;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block) {
        auto *call = dyn_cast<llvm::IntrinsicInst>(&instruction);
        if (call && call->getIntrinsicID() == llvm::Intrinsic::abs &&
            !cast<llvm::ConstantInt>(call->getArgOperand(1))->isOne())
          found.push_back(call);
      }
  for (llvm::IntrinsicInst *call : found) {
    llvm::IRBuilder<> builder(call);
    llvm::Value *number = call->getArgOperand(0);
    llvm::Type *type = call->getType();
    llvm::Value *magnitude;
    if (type->getScalarSizeInBits() <= 16) {
      llvm::Type *wide = type->getWithNewType(builder.getInt32Ty());
      magnitude = builder.CreateTrunc(
          builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs,
                                        builder.CreateSExt(number, wide),
                                        builder.getTrue()),
          type);
    } else {
      magnitude = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, number,
                                                builder.CreateNeg(number));
    }
    call->replaceAllUsesWith(magnitude);
    call->eraseFromParent();
  }
}

/// Of the negation of -32768 ptxas 13.0 makes 32768 where another block extends
/// it: it takes that of 16 bits, by `neg` or from zero, for one without
/// overflow. So negations of 16 bits are those of 32, cut off.
static void widenNegations(llvm::Module &module) {
  using namespace llvm::PatternMatch;
  llvm::SmallVector<llvm::Instruction *> found;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (instruction.getType()->getScalarSizeInBits() == 16 &&
            match(&instruction, m_Neg(m_Value())))
          found.push_back(&instruction);
  for (llvm::Instruction *negation : found) {
    llvm::IRBuilder<> builder(negation);
    llvm::Type *wide = negation->getType()->getExtendedType();
    llvm::Value *number = builder.CreateSExt(negation->getOperand(1), wide);
    negation->replaceAllUsesWith(
        builder.CreateTrunc(builder.CreateNeg(number), negation->getType()));
    negation->eraseFromParent();
  }
}

void tilewright::avoidAssemblerFaults(llvm::Module &module) {
  restoreSignedEnds(module);
  writeMagnitudes(module);
  widenNegations(module);
}
