// Between which numbers the integers of a tile lie.

#ifndef TILEWRIGHT_LIB_ANALYSIS_FACTS_INTEGERRANGES_H
#define TILEWRIGHT_LIB_ANALYSIS_FACTS_INTEGERRANGES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>

namespace tilewright {

/// Both bounds are taken on. Signed, as the type of the value tells.
struct IntegerRange {
  int64_t least, most;

  bool liesIn(int64_t from, int64_t to) const {
    return from <= least && most <= to;
  }
};

/// What is known of integers that become floats.
struct CastFacts {
  IntegerRange range;
  /// Whether they are below 2^16 and not negative, or differences of such.
  bool areOfHalves = false;
};

/// What follows from masks, shifts, constants and the types of what is loaded:
/// the weights that are taken out of a word are small numbers. Nothing is
/// concluded from loops, branches and bounds of indices.
class IntegerRanges {
public:
  /// The range of `value`, an integer of at most 64 bits or a tile of such.
  IntegerRange get(mlir::Value value);

private:
  IntegerRange compute(mlir::Value value);

  llvm::DenseMap<mlir::Value, IntegerRange> known;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_FACTS_INTEGERRANGES_H
