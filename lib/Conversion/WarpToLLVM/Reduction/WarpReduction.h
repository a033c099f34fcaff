// The last part of a reduction: warps exchange what each has found.

#pragma once

#include "lib/Conversion/WarpToLLVM/Reduction/PartialResults.h"

#include "lib/Analysis/Layout/ReductionPlan.h"

namespace tilewright {

/// Of `partials`, by register, the results: through shared memory from
/// `sharedOffset` on.
llvm::SmallVector<Partial> emitReduceWarps(mlir::ImplicitLocOpBuilder &b,
                                           tile::ReduceOp op,
                                           const ReductionPlan &plan,
                                           int64_t sharedOffset,
                                           llvm::ArrayRef<Partial> partials);

} // namespace tilewright
