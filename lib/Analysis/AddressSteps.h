// How far apart neighbours most likely lie.
//
// A guess: indices that wrap around (`m % width`) count up, those that are
// divided (`m // width`) stay the same, unless the width is known to be less
// than the tile's: those move on in small steps. Which threads take which
// elements may rest on it, nothing else.

#ifndef TILEWRIGHT_LIB_ANALYSIS_ADDRESSSTEPS_H
#define TILEWRIGHT_LIB_ANALYSIS_ADDRESSSTEPS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright {

class AddressSteps {
public:
  /// More than any step that is known.
  static constexpr int64_t kFar = int64_t(1) << 40;

  /// By how much the elements of `tile`, of integers or pointers, change from
  /// one index along `dim` to the next; of pointers in elements. kFar if that
  /// is not known at compile time.
  int64_t get(mlir::Value tile, unsigned dim);

private:
  int64_t compute(mlir::Value tile, unsigned dim);

  llvm::DenseMap<std::pair<mlir::Value, unsigned>, int64_t> known;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_ADDRESSSTEPS_H
