// The layout attribute, and the layout of a type.

#pragma once

#include "lib/Layout/LinearLayout.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TensorEncoding.h"

namespace mlir {
class Operation;
}

namespace tilewright::warp {

/// The layout with all axes of its kind, those it lacks having no bits, so that
/// layouts that are the same are equal.
LinearLayout withAllAxes(LinearLayout layout);

} // namespace tilewright::warp

#define GET_ATTRDEF_CLASSES
#include "dialect/Warp/WarpAttributes.h.inc"

namespace tilewright::warp {

/// The layout of a tile in registers, kept ones or not, or null for anything
/// else.
LinearAttr getLinearAttr(mlir::Type type);

/// The bank and layout of a tile in kept registers, or null for anything else.
PinnedAccAttr getPinnedAccAttr(mlir::Type type);

/// The layout of a tile in registers, or nothing for anything else.
std::optional<LinearLayout> getLayout(mlir::Type type);

/// Whether the tiles of the function around `op` have been given layouts.
bool hasLayouts(mlir::Operation *op);

/// Whether `op` stands in a function whose roles, rings and products its source
/// says; `tile-gpu-check-explicit` marks them.
bool isExplicit(mlir::Operation *op);

/// The tile `type` in another layout.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type,
                                  const LinearLayout &layout);

/// Checks that `layout` is one of a tile of `shape` that leaves no element out.
llvm::LogicalResult
verifyCovers(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape,
             llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace tilewright::warp
