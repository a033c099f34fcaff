#include "lib/Target/NVPTX/JoinHalves.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {
/// Two numbers of 32 bits, and whether they are widened with their signs.
struct Factors {
  Value *x = nullptr, *y = nullptr;
  bool isSigned = false;
};
} // namespace

/// The number of 32 bits that `value` is made of; null if it is none.
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

/// What a product of 64 bits is a product of, if that is numbers of 32.
static std::optional<Factors> getFactors(const Instruction &product) {
  for (bool isSigned : {false, true}) {
    Value *x = getNarrow(product.getOperand(0), isSigned);
    Value *y = getNarrow(product.getOperand(1), isSigned);
    if (x && y)
      return Factors{x, y, isSigned};
  }
  return std::nullopt;
}

/// The product of 64 bits in front of `before`.
static Value *widen(const Factors &factors, Instruction *before) {
  IRBuilder<> b(before);
  auto cast = [&](Value *value) {
    return factors.isSigned ? b.CreateSExt(value, b.getInt64Ty())
                            : b.CreateZExt(value, b.getInt64Ty());
  };
  return b.CreateMul(cast(factors.x), cast(factors.y));
}

/// Whether somebody asks for the upper half of a product.
static bool givesUpperHalf(const Instruction &product) {
  return any_of(product.users(), [](const User *user) {
    const auto *shift = dyn_cast<BinaryOperator>(user);
    return shift && shift->isShift() &&
           shift->getOpcode() != Instruction::Shl &&
           match(shift->getOperand(1), PatternMatch::m_SpecificInt(32));
  });
}

static void joinHalves(BasicBlock &block) {
  using Pair = std::pair<Value *, Value *>;
  SmallDenseMap<Pair, Instruction *> lower;
  SmallVector<Instruction *> products;
  for (Instruction &product : block) {
    if (product.getOpcode() != Instruction::Mul)
      continue;
    if (product.getType()->isIntegerTy(32))
      lower.try_emplace({product.getOperand(0), product.getOperand(1)},
                        &product);
    else if (product.getType()->isIntegerTy(64) && givesUpperHalf(product))
      products.push_back(&product);
  }
  for (Instruction *product : products) {
    std::optional<Factors> factors = getFactors(*product);
    if (!factors)
      continue;
    auto found = lower.find({factors->x, factors->y});
    if (found == lower.end())
      found = lower.find({factors->y, factors->x});
    if (found == lower.end())
      continue;
    // Where the first of them stands both factors are known.
    Instruction *half = found->second;
    lower.erase(found);
    Instruction *first = half->comesBefore(product) ? half : product;
    Value *whole = widen(*factors, first);
    Value *trunc = IRBuilder<>(first).CreateTrunc(whole, half->getType());
    half->replaceAllUsesWith(trunc);
    product->replaceAllUsesWith(whole);
    half->eraseFromParent();
    // With what widened its factors: nothing behind this deletes dead
    // instructions, and their operands would count as used.
    RecursivelyDeleteTriviallyDeadInstructions(product);
  }
}

void tilewright::joinHalves(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      ::joinHalves(block);
}
