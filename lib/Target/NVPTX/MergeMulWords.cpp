#include "lib/Target/NVPTX/MergeMulWords.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {
/// Two 32-bit integers, and whether they are sign-extended.
struct Factors {
  Value *x = nullptr, *y = nullptr;
  bool isSigned = false;
};
} // namespace

/// Returns the 32-bit integer that `value` extends; null if it is no such
/// value.
static Value *getNarrow(Value *value, bool isSigned) {
  if (auto *constant = dyn_cast<ConstantInt>(value)) {
    const APInt &bits = constant->getValue();
    if (isSigned ? bits.isSignedIntN(32) : bits.isIntN(32))
      return ConstantInt::get(value->getContext(), bits.trunc(32));
    return nullptr;
  }
  auto *cast = dyn_cast<CastInst>(value);
  if (!cast || !cast->getSrcTy()->isIntegerTy(32) ||
      cast->getOpcode() != (isSigned ? Instruction::SExt : Instruction::ZExt))
    return nullptr;
  return cast->getOperand(0);
}

/// Returns the 32-bit factors of a 64-bit multiplication; nothing if they are
/// wider.
static std::optional<Factors> getFactors(const Instruction &wide) {
  for (bool isSigned : {false, true}) {
    Value *x = getNarrow(wide.getOperand(0), isSigned);
    Value *y = getNarrow(wide.getOperand(1), isSigned);
    if (x && y)
      return Factors{x, y, isSigned};
  }
  return std::nullopt;
}

/// Creates the 64-bit multiplication before `before`.
static Value *widen(const Factors &factors, Instruction *before) {
  IRBuilder<> b(before);
  auto cast = [&](Value *value) {
    return factors.isSigned ? b.CreateSExt(value, b.getInt64Ty())
                            : b.CreateZExt(value, b.getInt64Ty());
  };
  return b.CreateMul(cast(factors.x), cast(factors.y));
}

/// Whether an instruction uses the upper word of a multiplication.
static bool usesUpperWord(const Instruction &wide) {
  return any_of(wide.users(), [](const User *user) {
    const auto *shift = dyn_cast<BinaryOperator>(user);
    return shift && shift->isShift() &&
           shift->getOpcode() != Instruction::Shl &&
           match(shift->getOperand(1), PatternMatch::m_SpecificInt(32));
  });
}

static void mergeMulWords(BasicBlock &block) {
  using Pair = std::pair<Value *, Value *>;
  SmallDenseMap<Pair, Instruction *> lower;
  SmallVector<Instruction *> wideMuls;
  for (Instruction &multiply : block) {
    if (multiply.getOpcode() != Instruction::Mul)
      continue;
    if (multiply.getType()->isIntegerTy(32))
      lower.try_emplace({multiply.getOperand(0), multiply.getOperand(1)},
                        &multiply);
    else if (multiply.getType()->isIntegerTy(64) && usesUpperWord(multiply))
      wideMuls.push_back(&multiply);
  }
  for (Instruction *wide : wideMuls) {
    std::optional<Factors> factors = getFactors(*wide);
    if (!factors)
      continue;
    auto found = lower.find({factors->x, factors->y});
    if (found == lower.end())
      found = lower.find({factors->y, factors->x});
    if (found == lower.end())
      continue;
    // Both factors are defined before the first of the two multiplications.
    Instruction *narrow = found->second;
    lower.erase(found);
    Instruction *first = narrow->comesBefore(wide) ? narrow : wide;
    Value *whole = widen(*factors, first);
    Value *trunc = IRBuilder<>(first).CreateTrunc(whole, narrow->getType());
    narrow->replaceAllUsesWith(trunc);
    wide->replaceAllUsesWith(whole);
    narrow->eraseFromParent();
    // Deletes the extensions of the factors too. No later pass deletes dead
    // instructions, and their operands would count as used.
    RecursivelyDeleteTriviallyDeadInstructions(wide);
  }
}

void tilewright::mergeMulWords(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      ::mergeMulWords(block);
}
