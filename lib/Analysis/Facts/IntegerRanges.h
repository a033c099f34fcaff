// Computes ranges of the integers of a tile.

#ifndef TILEWRIGHT_LIB_ANALYSIS_FACTS_INTEGERRANGES_H
#define TILEWRIGHT_LIB_ANALYSIS_FACTS_INTEGERRANGES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>

namespace tilewright {

/// An inclusive range of signed integers.
struct IntegerRange {
  int64_t least, most;

  bool liesIn(int64_t from, int64_t to) const {
    return from <= least && most <= to;
  }
};

/// Facts about integers that are converted to floats.
struct CastFacts {
  IntegerRange range;
  /// Whether they are unsigned 16-bit integers, or differences of such.
  bool areU16Differences = false;
};

/// Derives ranges from masks, shifts, constants and types of loaded tiles,
/// since weights that are unpacked from a word are small. Loops, branches and
/// bounds of indices are not analysed.
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
