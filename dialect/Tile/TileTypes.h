// Types and enums of the `tile` dialect, and type functions that its ops share.

#ifndef TILEWRIGHT_DIALECT_TILE_TILETYPES_H
#define TILEWRIGHT_DIALECT_TILE_TILETYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"

#include "dialect/Tile/TileEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/Tile/TileTypes.h.inc"

namespace tilewright::tile {

/// Returns the type with `type`'s shape and layout and the given element type:
/// a tile for a tile, the element type itself for a scalar.
mlir::Type withElementType(mlir::Type type, mlir::Type element);

/// Returns the pointee type of a pointer or a tile of pointers, in the same
/// shape, or null if `type` is neither.
mlir::Type getPointeeType(mlir::Type type);

/// Returns i1 in the shape of `type`.
mlir::Type getBoolTypeLike(mlir::Type type);

/// Whether both are scalars, or tiles of the same shape and layout.
bool haveSameForm(mlir::Type a, mlir::Type b);

/// Whether `type` is an 8-bit floating-point type.
bool isFloat8(mlir::Type type);

/// Whether a dot of `a` and `b` has the shape of `acc`: MxK by KxN is MxN, with
/// an optional leading batch dimension.
bool areDotShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b,
                  llvm::ArrayRef<int64_t> acc);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_TILETYPES_H
