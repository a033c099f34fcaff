// The last step of a reduction: warps exchange their partial results.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_REDUCTION_WARPREDUCTION_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_REDUCTION_WARPREDUCTION_H

#include "lib/Conversion/WarpToLLVM/Reduction/PartialResults.h"

#include "lib/Analysis/Layout/ReductionPlan.h"

namespace tilewright {

/// Returns the results of `partials`, by register, exchanged through shared
/// memory from `sharedOffset` on.
llvm::SmallVector<Partial> emitReduceWarps(mlir::ImplicitLocOpBuilder &b,
                                           tile::ReduceOp op,
                                           const ReductionPlan &plan,
                                           int64_t sharedOffset,
                                           llvm::ArrayRef<Partial> partials);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_REDUCTION_WARPREDUCTION_H
