// How far apart neighbours most likely lie.
//
// A guess: indices that wrap around (`m % width`) count up, those that are
// divided (`m // width`) stay the same, unless the width is known to be less
// than the tile's: those move on in small steps. Strides that are only known
// when the kernel runs are the longer the more divides them: of a convolution's
// weights, whose strides are 576 and 9, only the former are a multiple of 16.
// Which threads take which elements may rest on it, nothing else.

#ifndef TILEWRIGHT_LIB_ANALYSIS_FACTS_STRIDEESTIMATE_H
#define TILEWRIGHT_LIB_ANALYSIS_FACTS_STRIDEESTIMATE_H

#include "lib/Analysis/Facts/AxisInfo.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright {

class StrideEstimate {
public:
  explicit StrideEstimate(const AxisInfoAnalysis &axes) : axes(axes) {}

  /// More than any step that is known at compile time.
  static constexpr int64_t kFar = int64_t(1) << 40;
  /// Nothing is known: of indices that were loaded, for instance.
  static constexpr int64_t kAnywhere = 2 * kFar;

  /// By how much the elements of `tile`, of integers or pointers, change from
  /// one index along `dim` to the next; of pointers in elements. Of a stride
  /// that is not known at compile time, kFar plus what it probably is at least.
  int64_t get(mlir::Value tile, unsigned dim);
  /// What a step, as `get` gives it, probably is at least, in either direction.
  static int64_t getLeast(int64_t step);

private:
  int64_t compute(mlir::Value tile, unsigned dim);
  int64_t multiply(mlir::Value factor, int64_t step);
  int64_t getLeastFactor(mlir::Value factor);
  int64_t computeLeastFactor(mlir::Value factor);

  const AxisInfoAnalysis &axes;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, int64_t> known;
  llvm::DenseMap<mlir::Value, int64_t> leastFactors;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_FACTS_STRIDEESTIMATE_H
