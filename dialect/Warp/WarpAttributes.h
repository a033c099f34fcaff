// The layout attribute, and the layout of a type.

#ifndef TILEWRIGHT_DIALECT_WARP_WARPATTRIBUTES_H
#define TILEWRIGHT_DIALECT_WARP_WARPATTRIBUTES_H

#include "lib/Layout/LinearLayout.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TensorEncoding.h"

namespace mlir {
class Operation;
}

namespace tilewright::warp {

/// Returns the layout with all axes of its kind, missing ones with zero bits,
/// so that equivalent layouts compare equal.
LinearLayout withAllAxes(LinearLayout layout);

} // namespace tilewright::warp

#define GET_ATTRDEF_CLASSES
#include "dialect/Warp/WarpAttributes.h.inc"

namespace tilewright::warp {

/// Returns the layout of a tile in registers, pinned or not, or null for other
/// types.
LinearAttr getLinearAttr(mlir::Type type);

/// Returns the bank and layout of a tile in pinned registers, or null for other
/// types.
PinnedAccAttr getPinnedAccAttr(mlir::Type type);

/// Returns the layout of a tile in registers, or nothing for other types.
std::optional<LinearLayout> getLayout(mlir::Type type);

/// Whether the tiles of the function around `op` have layouts.
bool hasLayouts(mlir::Operation *op);

/// Whether the source of the function around `op` has explicit roles, rings and
/// mma ops; `tile-gpu-check-explicit` marks such functions.
bool isExplicit(mlir::Operation *op);

/// Returns the tile type `type` with another layout.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type,
                                  const LinearLayout &layout);

/// Checks that `layout` covers every element of a tile of `shape`.
llvm::LogicalResult
verifyCovers(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape,
             llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace tilewright::warp

#endif // TILEWRIGHT_DIALECT_WARP_WARPATTRIBUTES_H
