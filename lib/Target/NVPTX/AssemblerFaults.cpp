#include "lib/Target/NVPTX/AssemblerFaults.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using llvm::dyn_cast, llvm::cast, llvm::isa;
using namespace tilewright;

/// The instructions of a kind that `isWanted` takes; none of them is looked at
/// while others are replaced.
template <typename Kind>
static llvm::SmallVector<Kind *>
collect(llvm::Module &module, llvm::function_ref<bool(Kind &)> isWanted) {
  llvm::SmallVector<Kind *> found;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *kind = dyn_cast<Kind>(&instruction); kind && isWanted(*kind))
        found.push_back(kind);
  return found;
}

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
  auto found = collect<llvm::IntrinsicInst>(module, [](auto &call) {
    return call.getIntrinsicID() == llvm::Intrinsic::abs &&
           !cast<llvm::ConstantInt>(call.getArgOperand(1))->isOne();
  });
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

/// What one instruction in assembly, which LLVM does not know, makes of
/// `value`: the same type, in registers of the kind `constraint`.
static llvm::CallInst *createAssembly(llvm::IRBuilder<> &builder,
                                      llvm::Value *value,
                                      llvm::StringRef instruction,
                                      llvm::StringRef constraint) {
  llvm::Type *type = value->getType();
  auto *assembly =
      llvm::InlineAsm::get(llvm::FunctionType::get(type, {type}, false),
                           (instruction + " $0, $1;").str(),
                           ("=" + constraint + "," + constraint).str(),
                           /*hasSideEffects=*/false);
  return builder.CreateCall(assembly, value);
}

namespace {
/// The negation of `number` times 2^`shift`.
struct Negation {
  llvm::Value *number;
  unsigned shift;
};
} // namespace

static std::optional<Negation> getNegation(llvm::BinaryOperator &operation) {
  using namespace llvm::PatternMatch;
  llvm::Value *number;
  const llvm::APInt *factor;
  if (match(&operation, m_Neg(m_Value(number))))
    return Negation{number, 0};
  if (match(&operation, m_Mul(m_Value(number), m_APInt(factor))) &&
      factor->isNegatedPowerOf2())
    return Negation{number, (-*factor).logBase2()};
  return std::nullopt;
}

/// Of the negation of -32768 ptxas 13.0 makes 32768 where it is extended, or
/// shifted to the right: it takes that of 16 bits, by `neg` or from zero, for
/// one without overflow. So negations of 16 bits are those of 32, cut off, and
/// so are those that LLVM makes of products by negative powers of two. It
/// extends 8 bits in the upper half of 16 by such. They are said in assembly:
/// LLVM would cut off what is negated.
static void widenNegations(llvm::Module &module) {
  auto found = collect<llvm::BinaryOperator>(module, [](auto &operation) {
    llvm::Type *type = operation.getType();
    return (type->isIntegerTy(8) || type->isIntegerTy(16)) &&
           getNegation(operation);
  });
  for (llvm::BinaryOperator *operation : found) {
    llvm::IRBuilder<> builder(operation);
    auto [number, shift] = *getNegation(*operation);
    llvm::Value *wide = builder.CreateShl(
        builder.CreateSExt(number, builder.getInt32Ty()), shift);
    operation->replaceAllUsesWith(builder.CreateTrunc(
        createAssembly(builder, wide, "neg.s32", "r"), operation->getType()));
    operation->eraseFromParent();
  }
}

/// Whether it gives the lesser or the larger of two floats.
static bool isExtreme(const llvm::Instruction &instruction) {
  const auto *call = dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call)
    return false;
  switch (call->getIntrinsicID()) {
  case llvm::Intrinsic::minnum:
  case llvm::Intrinsic::maxnum:
  case llvm::Intrinsic::minimum:
  case llvm::Intrinsic::maximum:
  case llvm::Intrinsic::minimumnum:
  case llvm::Intrinsic::maximumnum:
    return true;
  default:
    return false;
  }
}

/// Whether the 16 bits of `value` are those of the lesser or the larger of two
/// floats, or of one of several numbers that may be.
static bool isFromExtremes(llvm::Value *value, unsigned depth = 0) {
  constexpr unsigned kDepth = 4;
  auto *instruction = dyn_cast<llvm::Instruction>(value);
  if (!instruction || depth == kDepth)
    return false;
  if (isExtreme(*instruction))
    return true;
  return (isa<llvm::BitCastInst, llvm::SelectInst, llvm::PHINode,
              llvm::FreezeInst, llvm::IntrinsicInst>(instruction) ||
          instruction->isBitwiseLogicOp()) &&
         llvm::any_of(instruction->operands(), [&](llvm::Value *operand) {
           return isFromExtremes(operand, depth + 1);
         });
}

/// Of the larger and then the lesser of 16-bit floats ptxas 13.0 computes
/// pairs, and takes the whole register for the number without a sign that
/// `cvt.u32.u16` makes of it. So the upper half is said to be zero.
static void packExtremes(llvm::Module &module) {
  auto found = collect<llvm::ZExtInst>(module, [](auto &wide) {
    return wide.getType()->isIntegerTy(32) &&
           wide.getSrcTy()->isIntegerTy(16) &&
           isFromExtremes(wide.getOperand(0));
  });
  for (llvm::ZExtInst *wide : found) {
    llvm::IRBuilder<> builder(wide);
    auto *pair = llvm::FixedVectorType::get(wide->getSrcTy(), 2);
    llvm::Value *packed = builder.CreateInsertElement(
        llvm::Constant::getNullValue(pair), wide->getOperand(0), uint64_t(0));
    wide->replaceAllUsesWith(builder.CreateBitCast(packed, wide->getType()));
    wide->eraseFromParent();
  }
}

/// Whether bounds of the float `value` may be known: it is a magnitude, a
/// square, or the result of a function such as `ex2`, or made of one.
static bool mayBeBounded(llvm::Value *value) {
  using namespace llvm::PatternMatch;
  namespace Intrinsic = llvm::Intrinsic;
  llvm::Value *part;
  llvm::SmallSetVector<llvm::Value *, 16> parts;
  parts.insert(value);
  for (size_t i = 0; i < parts.size(); ++i) {
    auto *instruction = dyn_cast<llvm::Instruction>(parts[i]);
    if (!instruction || !instruction->getType()->isFPOrFPVectorTy())
      continue;
    if (isa<llvm::LoadInst, llvm::BitCastInst>(instruction))
      continue;
    bool isSquare = match(instruction, m_FMul(m_Value(part), m_Deferred(part)));
    bool isMade = isExtreme(*instruction) ||
                  match(instruction, m_Intrinsic<Intrinsic::fma>()) ||
                  match(instruction, m_Intrinsic<Intrinsic::fmuladd>());
    if (isSquare || (isa<llvm::CallInst>(instruction) && !isMade))
      return true;
    parts.insert(instruction->op_begin(), instruction->op_end());
  }
  return false;
}

/// Where it knows bounds of a float32, ptxas 13.0 takes an ordered comparison
/// with a constant for true, of a NaN, too: `abs(x) >= 0`. It keeps unordered
/// ones, so that one is the opposite of `abs(x) < 0 or isnan(x)`, said in
/// assembly: LLVM would write it as before.
static void compareUnordered(llvm::Module &module) {
  auto found = collect<llvm::FCmpInst>(module, [](auto &compare) {
    auto [left, right] =
        std::pair(compare.getOperand(0), compare.getOperand(1));
    return left->getType()->isFloatTy() &&
           compare.getPredicate() >= llvm::CmpInst::FCMP_OGT &&
           compare.getPredicate() <= llvm::CmpInst::FCMP_OLE &&
           (isa<llvm::Constant>(left) || isa<llvm::Constant>(right)) &&
           (mayBeBounded(left) || mayBeBounded(right));
  });
  for (llvm::FCmpInst *compare : found) {
    llvm::IRBuilder<> builder(compare->getNextNode());
    compare->setPredicate(compare->getInversePredicate());
    llvm::Value *result = createAssembly(builder, compare, "not.pred", "b");
    compare->replaceUsesWithIf(
        result, [&](llvm::Use &use) { return use.getUser() != result; });
  }
}

/// What a `redux.sync` does with two numbers, an opcode or an intrinsic of
/// LLVM; nothing for other calls.
namespace {
struct Combination {
  std::optional<llvm::Instruction::BinaryOps> op;
  llvm::Intrinsic::ID function = llvm::Intrinsic::not_intrinsic;
};
} // namespace

static std::optional<Combination> getCombination(llvm::Intrinsic::ID kind) {
  using llvm::Instruction;
  namespace Intrinsic = llvm::Intrinsic;
  switch (kind) {
  case Intrinsic::nvvm_redux_sync_add:
    return Combination{Instruction::Add};
  case Intrinsic::nvvm_redux_sync_and:
    return Combination{Instruction::And};
  case Intrinsic::nvvm_redux_sync_or:
    return Combination{Instruction::Or};
  case Intrinsic::nvvm_redux_sync_xor:
    return Combination{Instruction::Xor};
  case Intrinsic::nvvm_redux_sync_min:
    return Combination{{}, Intrinsic::smin};
  case Intrinsic::nvvm_redux_sync_max:
    return Combination{{}, Intrinsic::smax};
  case Intrinsic::nvvm_redux_sync_umin:
    return Combination{{}, Intrinsic::umin};
  case Intrinsic::nvvm_redux_sync_umax:
    return Combination{{}, Intrinsic::umax};
  default:
    return std::nullopt;
  }
}

/// Whether a pass through the function, or through the loop around the block,
/// may leave the block out.
static bool isBehindBranch(llvm::BasicBlock &block) {
  llvm::Function &function = *block.getParent();
  const llvm::DominatorTree before(function);
  const llvm::LoopInfo loops(before);
  const llvm::PostDominatorTree behind(function);
  const llvm::Loop *loop = loops.getLoopFor(&block);
  return !behind.dominates(&block, loop ? loop->getHeader()
                                        : &function.getEntryBlock());
}

/// Small blocks behind branches become instructions under a predicate, which
/// ptxas 13.0 mistakes for another one where the condition is the same for all
/// threads and the instruction is `redux.sync`. There lanes are reduced by
/// shuffles. It took 18 instructions at most for small.
static void shuffleBehindBranches(llvm::Module &module) {
  constexpr size_t kSmall = 64;
  using namespace llvm::PatternMatch;
  auto found = collect<llvm::IntrinsicInst>(module, [](auto &call) {
    return getCombination(call.getIntrinsicID()) &&
           call.getParent()->size() <= kSmall &&
           match(call.getArgOperand(1), m_AllOnes()) &&
           isBehindBranch(*call.getParent());
  });
  for (llvm::IntrinsicInst *call : found) {
    llvm::IRBuilder<> builder(call);
    auto how = getCombination(call->getIntrinsicID());
    llvm::Value *value = call->getArgOperand(0);
    for (int32_t distance = 16; distance > 0; distance /= 2) {
      llvm::Value *other = builder.CreateIntrinsic(
          llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, {},
          {call->getArgOperand(1), value, builder.getInt32(distance),
           builder.getInt32(31)});
      value = how->op
                  ? builder.CreateBinOp(*how->op, value, other)
                  : builder.CreateBinaryIntrinsic(how->function, value, other);
    }
    call->replaceAllUsesWith(value);
    call->eraseFromParent();
  }
}

void tilewright::avoidAssemblerFaults(llvm::Module &module) {
  restoreSignedEnds(module);
  writeMagnitudes(module);
  widenNegations(module);
  packExtremes(module);
  compareUnordered(module);
  shuffleBehindBranches(module);
}
