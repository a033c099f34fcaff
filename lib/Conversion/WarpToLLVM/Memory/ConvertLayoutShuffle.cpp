#include "lib/Conversion/WarpToLLVM/Memory/ConvertLayoutShuffle.h"

#include "lib/Conversion/WarpToLLVM/Common/RegisterPacking.h"
#include "lib/Conversion/WarpToLLVM/Common/Shuffle.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Layout/F2.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

namespace {

/// Registers chosen by the lane: `get(i)` is registers[i xor L lane], for a
/// linear map L from lanes to register numbers. Each vector of a basis of the
/// image of L takes one stage of selects, emitted on demand.
class LaneSelection {
public:
  LaneSelection(ImplicitLocOpBuilder &b, ArrayRef<uint64_t> columns, Value lane,
                ArrayRef<Value> registers)
      : b(b) {
    f2::Subspace image(columns);
    basis.assign(image.getBasis().begin(), image.getBasis().end());
    f2::Solver coordinates(basis);
    for (unsigned i = 0; i < basis.size(); ++i) {
      SmallVector<uint64_t> takesPart;
      for (uint64_t column : columns)
        takesPart.push_back(coordinates.solve(column).value_or(0) >> i & 1);
      Value parity = emitLinearMap(b, lane, takesPart);
      conditions.push_back(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne,
                                                parity, emitI32(b, 0)));
    }
    stages.resize(basis.size() + 1);
    for (auto [i, value] : llvm::enumerate(registers))
      stages[0][i] = value;
  }

  Value get(unsigned index) { return get(basis.size(), index); }

private:
  /// Returns the value after the first `stage` basis vectors.
  Value get(unsigned stage, unsigned index) {
    if (Value known = stages[stage].lookup(index))
      return known;
    Value moved = get(stage - 1, index ^ basis[stage - 1]);
    Value stays = get(stage - 1, index);
    return stages[stage][index] =
               LLVM::SelectOp::create(b, conditions[stage - 1], moved, stays);
  }

  ImplicitLocOpBuilder &b;
  SmallVector<uint64_t> basis;
  SmallVector<Value> conditions;
  SmallVector<llvm::SmallDenseMap<unsigned, Value>> stages;
};

class ShuffleEmitter {
public:
  ShuffleEmitter(ImplicitLocOpBuilder &b, const ShufflePlan &plan,
                 ArrayRef<Value> registers)
      : b(b), plan(plan), lane(emitLaneId(b)),
        given(b, plan.sourceRegister, lane, registers) {
    if (!plan.isButterfly())
      sourceLane = emitLinearMap(b, lane, plan.sourceLane);
  }

  SmallVector<Value> run() {
    Type element = given.get(plan.rounds[0].source).getType();
    SmallVector<uint64_t> packed = getPackedRounds(getScalarBits(element));
    f2::Subspace inWord(packed);
    SmallVector<Value> received(plan.rounds.size());
    for (unsigned first = 0; first < received.size(); ++first)
      if (inWord.reduce(first) == first)
        runWord(first, packed, received);
    LaneSelection result(b, plan.resultRegister, lane, received);
    SmallVector<Value> registers;
    for (unsigned reg = 0; reg < received.size(); ++reg)
      registers.push_back(result.get(reg));
    return registers;
  }

private:
  /// Returns the rounds that share a 32-bit word, as differences of their
  /// numbers.
  SmallVector<uint64_t> getPackedRounds(unsigned elementBits) {
    size_t count = elementBits < 32 ? llvm::Log2_32(32 / elementBits) : 0;
    count = std::min(count, plan.packable.size());
    return SmallVector<uint64_t>(ArrayRef(plan.packable).take_front(count));
  }

  /// Emits the rounds of one word.
  void runWord(unsigned first, ArrayRef<uint64_t> packed,
               SmallVectorImpl<Value> &received) {
    SmallVector<unsigned> rounds = {first};
    for (uint64_t difference : packed)
      for (unsigned i = 0, e = rounds.size(); i < e; ++i)
        rounds.push_back(rounds[i] ^ difference);
    SmallVector<Value> elements;
    for (unsigned k : rounds)
      elements.push_back(given.get(plan.rounds[k].source));
    exchange(plan.rounds[first].laneXor, elements);
    for (auto [k, value] : llvm::zip_equal(rounds, elements))
      received[k] = value;
  }

  /// Replaces the elements by those of the lane that this lane reads from.
  void exchange(unsigned laneXor, SmallVectorImpl<Value> &elements) {
    if (!sourceLane && laneXor == 0)
      return;
    Type type = elements[0].getType();
    Value word = elements[0];
    if (elements.size() > 1)
      word = packWords(b, elements, elements.size() * getScalarBits(type))[0];
    if (!sourceLane) {
      word = emitShuffleXor(b, word, laneXor);
    } else {
      Value from = sourceLane;
      if (laneXor)
        from = LLVM::XOrOp::create(b, from, emitI32(b, laneXor));
      word = emitShuffleIndex(b, word, from);
    }
    if (elements.size() > 1)
      llvm::copy(unpackWords(b, word, type), elements.begin());
    else
      elements[0] = word;
  }

  ImplicitLocOpBuilder &b;
  const ShufflePlan &plan;
  Value lane, sourceLane; // null for a butterfly (fixed xor)
  LaneSelection given;
};

} // namespace

SmallVector<Value> tilewright::emitShuffles(ImplicitLocOpBuilder &b,
                                            const ShufflePlan &plan,
                                            ValueRange registers) {
  return ShuffleEmitter(b, plan, SmallVector<Value>(registers)).run();
}
