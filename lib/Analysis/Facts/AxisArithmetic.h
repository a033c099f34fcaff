// Transfer functions of AxisInfo for integer arithmetic.

#ifndef TILEWRIGHT_LIB_ANALYSIS_FACTS_AXISARITHMETIC_H
#define TILEWRIGHT_LIB_ANALYSIS_FACTS_AXISARITHMETIC_H

#include "lib/Analysis/Facts/AxisInfo.h"

#include <optional>

namespace tilewright {

/// The facts about the result of `op`, if it is integer arithmetic.
std::optional<AxisInfo> inferArithmetic(mlir::Operation *op,
                                        llvm::ArrayRef<AxisInfo> operands);

/// The facts of x + y * unit, where `unit` is the step between consecutive
/// elements of x.
AxisInfo addScaled(const AxisInfo &x, const AxisInfo &y, int64_t unit,
                   bool nonNegative);

/// The size of groups of consecutive elements of x along `d` that contain no
/// multiple of y, except as their first element. So `x < y` and x / y, rounded
/// down, are constant on a group, and x mod y is contiguous.
int64_t getGroupOfMultiples(const AxisInfo &x, const AxisInfo &y, unsigned d);

/// The largest power of two that divides `value`, up to
/// `AxisInfo::kMaxDivisibility`.
int64_t getPowerOfTwoDivisor(int64_t value);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_FACTS_AXISARITHMETIC_H
