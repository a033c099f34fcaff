#include "lib/Target/NVPTX/PackHalfPhis.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace {
/// Two floats, the lower element first.
using Pair = std::pair<Value *, Value *>;
using PhiPair = std::pair<PHINode *, PHINode *>;

/// The pairs of phis of one function that are used together only.
class CarriedPairs {
public:
  explicit CarriedPairs(ArrayRef<InsertElementInst *> vectors);
  /// Replaces each pair by one phi of a 32-bit register.
  void pack(ArrayRef<InsertElementInst *> vectors);

private:
  void collect(Pair pair);
  bool isWhole(PhiPair pair) const;
  Value *getAt(Pair pair, BasicBlock *block);

  SetVector<PhiPair> pairs;
  /// The pair of each phi.
  DenseMap<PHINode *, PhiPair> wholes;
  DenseMap<PhiPair, PHINode *> packed;
  DenseMap<std::pair<BasicBlock *, Pair>, Value *> made;
};
} // namespace

/// Returns the two elements if `vector` is the last of two insertions that form
/// a whole vector.
static std::optional<Pair> getPair(InsertElementInst *vector) {
  using namespace PatternMatch;
  auto *type = dyn_cast<FixedVectorType>(vector->getType());
  Value *lower, *upper;
  if (!type || type->getNumElements() != 2 ||
      !(type->getElementType()->isHalfTy() ||
        type->getElementType()->isBFloatTy()) ||
      !match(vector, m_InsertElt(m_OneUse(m_InsertElt(m_Undef(), m_Value(lower),
                                                      m_Zero())),
                                 m_Value(upper), m_One())))
    return std::nullopt;
  return Pair{lower, upper};
}

/// Returns the elements of the vector that `user` is an insertion into.
static std::optional<Pair> getPairOf(User *user) {
  auto *insertion = dyn_cast<InsertElementInst>(user);
  if (!insertion)
    return std::nullopt;
  if (std::optional<Pair> pair = getPair(insertion))
    return pair;
  if (!insertion->hasOneUse())
    return std::nullopt;
  auto *last = dyn_cast<InsertElementInst>(*insertion->user_begin());
  return last ? getPair(last) : std::nullopt;
}

/// Returns the phis of a pair if both belong to the same block.
static std::optional<PhiPair> getPhis(Pair pair) {
  auto *lower = dyn_cast<PHINode>(pair.first);
  auto *upper = dyn_cast<PHINode>(pair.second);
  if (!lower || !upper || lower == upper ||
      lower->getParent() != upper->getParent())
    return std::nullopt;
  return PhiPair{lower, upper};
}

CarriedPairs::CarriedPairs(ArrayRef<InsertElementInst *> vectors) {
  for (InsertElementInst *vector : vectors)
    collect(*getPair(vector));
  // A pair that flows into an unpacked pair stays unpacked too.
  SmallDenseSet<PhiPair> split;
  do {
    split.clear();
    for (PhiPair pair : pairs)
      if (!isWhole(pair))
        split.insert(pair);
    pairs.remove_if([&](PhiPair pair) { return split.contains(pair); });
  } while (!split.empty());
}

void CarriedPairs::collect(Pair pair) {
  std::optional<PhiPair> phis = getPhis(pair);
  if (!phis || !pairs.insert(*phis))
    return;
  auto [lower, upper] = *phis;
  wholes.try_emplace(lower, *phis);
  wholes.try_emplace(upper, *phis);
  for (BasicBlock *block : lower->blocks())
    collect({lower->getIncomingValueForBlock(block),
             upper->getIncomingValueForBlock(block)});
}

/// Whether the two phis are only used together.
bool CarriedPairs::isWhole(PhiPair pair) const {
  auto isUsedWhole = [&](const Use &use) {
    if (std::optional<Pair> used = getPairOf(use.getUser()))
      return *used == Pair{pair.first, pair.second};
    auto *phi = dyn_cast<PHINode>(use.getUser());
    auto found = phi ? wholes.find(phi) : wholes.end();
    if (found == wholes.end() || !pairs.contains(found->second))
      return false;
    auto [lower, upper] = found->second;
    BasicBlock *block = phi->getIncomingBlock(use);
    return lower->getIncomingValueForBlock(block) == pair.first &&
           upper->getIncomingValueForBlock(block) == pair.second;
  };
  return all_of(pair.first->uses(), isUsedWhole) &&
         all_of(pair.second->uses(), isUsedWhole);
}

/// Returns the pair as one register at the end of `block`.
Value *CarriedPairs::getAt(Pair pair, BasicBlock *block) {
  if (std::optional<PhiPair> phis = getPhis(pair))
    if (PHINode *value = packed.lookup(*phis))
      return value;
  Value *&value = made[{block, pair}];
  if (!value) {
    IRBuilder<> b(block->getTerminator());
    Type *type = FixedVectorType::get(pair.first->getType(), 2);
    Value *vector =
        b.CreateInsertElement(PoisonValue::get(type), pair.first, uint64_t(0));
    vector = b.CreateInsertElement(vector, pair.second, uint64_t(1));
    value = b.CreateBitCast(vector, b.getInt32Ty());
  }
  return value;
}

void CarriedPairs::pack(ArrayRef<InsertElementInst *> vectors) {
  for (PhiPair pair : pairs) {
    IRBuilder<> b(pair.first);
    packed[pair] =
        b.CreatePHI(b.getInt32Ty(), pair.first->getNumIncomingValues());
  }
  for (auto [lower, upper] : pairs)
    for (BasicBlock *block : lower->blocks())
      packed[{lower, upper}]->addIncoming(
          getAt({lower->getIncomingValueForBlock(block),
                 upper->getIncomingValueForBlock(block)},
                block),
          block);
  for (InsertElementInst *vector : vectors) {
    std::optional<PhiPair> phis = getPhis(*getPair(vector));
    if (PHINode *value = phis ? packed.lookup(*phis) : nullptr)
      vector->replaceAllUsesWith(
          IRBuilder<>(vector).CreateBitCast(value, vector->getType()));
  }
  // The phis may use each other.
  for (auto [lower, upper] : pairs)
    for (PHINode *half : {lower, upper})
      half->replaceAllUsesWith(PoisonValue::get(half->getType()));
  for (auto [lower, upper] : pairs) {
    lower->eraseFromParent();
    upper->eraseFromParent();
  }
}

void tilewright::packHalfPhis(Module &module) {
  for (Function &function : module) {
    SmallVector<InsertElementInst *> vectors;
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (auto *insertion = dyn_cast<InsertElementInst>(&instruction))
          if (getPair(insertion))
            vectors.push_back(insertion);
    CarriedPairs(vectors).pack(vectors);
  }
}
