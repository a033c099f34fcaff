#include "lib/Analysis/Facts/Commutation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <map>

using namespace mlir;
using namespace tilewright;

namespace {

/// Numbers the values of a region, with its arguments in order or with both
/// halves of them exchanged. Values that equal ops compute from equal operands
/// have the same number.
class Numbering {
public:
  explicit Numbering(Block &block) : block(block) {}

  /// Nothing if the region has side effects or nested regions.
  std::optional<SmallVector<unsigned>> getResults(bool isExchanged) {
    llvm::SmallDenseMap<Value, unsigned> numbers;
    const unsigned all = block.getNumArguments();
    for (unsigned i = 0; i < all; ++i)
      numbers[block.getArgument(i)] =
          getNumber({nullptr, {}, {(i + (isExchanged ? all / 2 : 0)) % all}});
    auto get = [&](Value value) {
      auto known = numbers.find(value);
      return known != numbers.end()
                 ? known->second
                 : getNumber({value.getAsOpaquePointer(), {}, {}});
    };
    for (Operation &op : block.without_terminator()) {
      if (op.getNumRegions() != 0 || op.getNumResults() != 1 ||
          !isMemoryEffectFree(&op))
        return std::nullopt;
      numbers[op.getResult(0)] =
          getNumber(getKey(op, llvm::map_to_vector(op.getOperands(), get)));
    }
    return llvm::map_to_vector(block.getTerminator()->getOperands(), get);
  }

private:
  struct Key {
    const void *what;
    SmallVector<const void *> attributes;
    SmallVector<unsigned> operands;

    bool operator<(const Key &other) const {
      return std::tie(what, attributes, operands) <
             std::tie(other.what, other.attributes, other.operands);
    }
  };

  static Key getKey(Operation &op, SmallVector<unsigned> operands) {
    Attribute properties = op.getPropertiesAsAttribute();
    bool commutes = op.hasTrait<OpTrait::IsCommutative>();
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      commutes |= compare.getPredicate() == arith::CmpIPredicate::eq ||
                  compare.getPredicate() == arith::CmpIPredicate::ne;
    if (auto compare = dyn_cast<arith::CmpFOp>(op))
      commutes |= compare.getPredicate() == arith::CmpFPredicate::OEQ ||
                  compare.getPredicate() == arith::CmpFPredicate::UNE;
    if (commutes)
      llvm::sort(operands);
    return {op.getName().getAsOpaquePointer(),
            {properties.getAsOpaquePointer(),
             op.getResult(0).getType().getAsOpaquePointer()},
            std::move(operands)};
  }

  unsigned getNumber(const Key &key) {
    return known.try_emplace(key, known.size()).first->second;
  }

  Block &block;
  std::map<Key, unsigned> known;
};

} // namespace

bool tilewright::commutes(tile::ReduceOp op) {
  if (op.getCommutes())
    return true;
  Numbering numbering(op.getCombine().front());
  auto results = numbering.getResults(/*isExchanged=*/false);
  return results && results == numbering.getResults(/*isExchanged=*/true);
}

void tilewright::markCommuting(tile::FuncOp func) {
  func.walk([](tile::ReduceOp op) { op.setCommutes(commutes(op)); });
}
