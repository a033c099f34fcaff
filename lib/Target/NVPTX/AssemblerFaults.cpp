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

/// Returns the instructions of type `Kind` that `isWanted` accepts. All are
/// collected before the caller replaces any.
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

/// Returns `count + step` before `insertionPoint`. Reuses the addition of that
/// block if there is one.
static llvm::Value *getSumAt(llvm::PHINode *count, const llvm::APInt &step,
                             llvm::Instruction *insertionPoint) {
  using namespace llvm::PatternMatch;
  for (llvm::User *user : count->users()) {
    auto *sum = dyn_cast<llvm::Instruction>(user);
    if (!sum || sum->getParent() != insertionPoint->getParent() ||
        !match(sum, m_Add(m_Specific(count), m_SpecificInt(step))))
      continue;
    if (insertionPoint->comesBefore(sum))
      sum->moveBefore(insertionPoint->getIterator());
    return sum;
  }
  return llvm::BinaryOperator::CreateAdd(
      count, llvm::ConstantInt::get(count->getType(), step), "",
      insertionPoint->getIterator());
}

/// Restores the loop condition `i + step < step` of loops from below zero up to
/// their step. LLVM rewrites it as the unsigned `i > max - step`. ptxas 13.0
/// moves that comparison to the next `i`, forgets that it wraps around to 0,
/// and skips the last iteration.
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

/// Rewrites `abs`. The magnitude of the least integer is that integer, as in
/// NumPy, but assemblers assume a result that is not negative. They drop
/// comparisons with zero, and ptxas 13.0 extends -32768 to 32768. So magnitudes
/// of 32 and 64 bits become `max(x, -x)`, and those of 16 bits are computed in
/// 32.
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

/// Applies one instruction of inline assembly, which LLVM cannot simplify, to
/// `value`. Operand and result are registers of the kind `constraint`.
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

/// Computes 16-bit negations in 32 bits and truncates. ptxas 13.0 assumes that
/// a 16-bit negation, by `neg` or by subtraction from zero, does not overflow.
/// So it returns 32768 if the negation of -32768 is extended or shifted to the
/// right. The same holds for multiplications by negative powers of two, which
/// LLVM turns into negations. It holds for 8-bit values too, which ptxas
/// extends in the upper half of 16 bits. The negation is inline assembly: LLVM
/// would truncate its operand.
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

/// Whether `instruction` is the minimum or maximum of two floats.
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

/// Whether the 16 bits of `value` may come from a minimum or maximum of two
/// floats, directly or through selects, phis and bit operations.
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

/// Makes the upper half of the register explicitly zero. ptxas 13.0 computes
/// the maximum and then the minimum of 16-bit floats in pairs. It then takes
/// the whole register, not its lower half, for the result of `cvt.u32.u16`.
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

/// Whether ptxas may know bounds of the float `value`: it is, or is computed
/// from, a magnitude, a square or the result of a function such as `ex2`.
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

/// Replaces ordered comparisons of bounded floats with constants. ptxas 13.0
/// folds `abs(x) >= 0` to true, also for a NaN, but it keeps unordered
/// comparisons. So the comparison becomes the negation of `abs(x) < 0 or
/// isnan(x)`. The negation is inline assembly: LLVM would restore the ordered
/// form.
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

/// The operation of a `redux.sync` on two numbers: an opcode or an intrinsic of
/// LLVM.
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

/// Whether control flow may skip the block: on a path through the function, or
/// through an iteration of the innermost loop around it.
static bool isConditional(llvm::BasicBlock &block) {
  llvm::Function &function = *block.getParent();
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  const llvm::PostDominatorTree postDominators(function);
  const llvm::Loop *loop = loops.getLoopFor(&block);
  return !postDominators.dominates(&block, loop ? loop->getHeader()
                                                : &function.getEntryBlock());
}

/// Replaces `redux.sync` in small conditional blocks by shuffles. ptxas 13.0
/// turns such blocks into predicated instructions. If the condition is uniform
/// and the instruction is `redux.sync`, it uses the wrong predicate. It was
/// seen to do so for blocks of at most 18 instructions.
static void shuffleInBranches(llvm::Module &module) {
  constexpr size_t kSmall = 64;
  using namespace llvm::PatternMatch;
  auto found = collect<llvm::IntrinsicInst>(module, [](auto &call) {
    return getCombination(call.getIntrinsicID()) &&
           call.getParent()->size() <= kSmall &&
           match(call.getArgOperand(1), m_AllOnes()) &&
           isConditional(*call.getParent());
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
  shuffleInBranches(module);
}
