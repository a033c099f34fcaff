// What integer arithmetic makes of the facts about its operands.

#pragma once

#include "lib/Analysis/Facts/AxisInfo.h"

#include <optional>

namespace tilewright {

/// The facts about the result of `op`, if it is integer arithmetic.
std::optional<AxisInfo> inferArithmetic(mlir::Operation *op,
                                        llvm::ArrayRef<AxisInfo> operands);

/// x + y, where `y` moves `x` by `unit`, in which x is counted.
AxisInfo addScaled(const AxisInfo &x, const AxisInfo &y, int64_t unit,
                   bool nonNegative);

/// Consecutive elements of x along `d` between two multiples of what divides y:
/// y's multiples lie at the ends of such groups alone. So `x < y` and x / y,
/// rounded down, have one value on all of a group, and x mod y counts up.
int64_t getGroupOfMultiples(const AxisInfo &x, const AxisInfo &y, unsigned d);

/// The largest power of two that divides `value`, up to
/// `AxisInfo::kMaxDivisibility`.
int64_t getPowerOfTwoDivisor(int64_t value);

} // namespace tilewright
