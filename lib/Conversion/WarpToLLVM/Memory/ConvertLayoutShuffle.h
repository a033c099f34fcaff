// The shuffles of a layout conversion that stays inside each warp.

#pragma once

#include "lib/Layout/LayoutConversion.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Moves the registers of `plan.source` to those of `plan.result`.
llvm::SmallVector<mlir::Value> emitShuffles(mlir::ImplicitLocOpBuilder &b,
                                            const ShufflePlan &plan,
                                            mlir::ValueRange registers);

} // namespace tilewright
