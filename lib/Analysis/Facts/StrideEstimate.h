// Estimates the distance of neighbouring elements.
//
// The estimate is a heuristic, so only the choice of layouts may depend on it:
// 1. Indices that wrap around (`m % width`) are contiguous.
// 2. Quotients (`m // width`) are constant, unless the width is known to be
//    smaller than the tile. They then advance in small steps.
// 3. A stride that is only known at run time is estimated from its
//    divisibility. Example: the weights of a convolution have strides 576 and
//    9, and only 576 is a multiple of 16.

#ifndef TILEWRIGHT_LIB_ANALYSIS_FACTS_STRIDEESTIMATE_H
#define TILEWRIGHT_LIB_ANALYSIS_FACTS_STRIDEESTIMATE_H

#include "lib/Analysis/Facts/AxisInfo.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright {

class StrideEstimate {
public:
  explicit StrideEstimate(const AxisInfoAnalysis &axes) : axes(axes) {}

  /// Larger than any stride that is known at compile time.
  static constexpr int64_t kFar = int64_t(1) << 40;
  /// An unknown stride, as of loaded indices.
  static constexpr int64_t kAnywhere = 2 * kFar;

  /// The stride of `tile`, of integers or pointers, along `dim`. For pointers
  /// it is in elements. For a stride that is not known at compile time, the
  /// result is kFar plus its probable minimum.
  int64_t get(mlir::Value tile, unsigned dim);
  /// The probable minimum of the absolute value of `step`, a result of `get`.
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
