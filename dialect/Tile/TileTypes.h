// Types and enums of the `tile` dialect, and the type functions its ops share.

#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"

#include "dialect/Tile/TileEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/Tile/TileTypes.h.inc"

namespace tilewright::tile {

/// The type with `type`'s shape and layout and the given element type: a tile
/// for a tile, the element type itself for a scalar.
mlir::Type withElementType(mlir::Type type, mlir::Type element);

/// What a pointer or a tile of pointers points to, in the same shape; null when
/// `type` is neither.
mlir::Type getPointeeType(mlir::Type type);

/// i1 in the shape of `type`.
mlir::Type getBoolTypeLike(mlir::Type type);

} // namespace tilewright::tile
