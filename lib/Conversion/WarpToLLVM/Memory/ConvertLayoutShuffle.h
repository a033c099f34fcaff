// The shuffles of a layout conversion that stays inside each warp.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_CONVERTLAYOUTSHUFFLE_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_CONVERTLAYOUTSHUFFLE_H

#include "lib/Layout/LayoutConversion.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Moves the registers of `plan.source` to those of `plan.result`.
llvm::SmallVector<mlir::Value> emitShuffles(mlir::ImplicitLocOpBuilder &b,
                                            const ShufflePlan &plan,
                                            mlir::ValueRange registers);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_CONVERTLAYOUTSHUFFLE_H
