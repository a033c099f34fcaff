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

/// Whether both are scalars, or tiles of one shape and layout.
bool haveSameForm(mlir::Type a, mlir::Type b);

/// Whether this is one of the floating-point types of eight bits.
bool isFloat8(mlir::Type type);

/// Whether a product of `a` and `b` has the shape of `acc`: MxK by KxN is MxN,
/// with as many products as a dimension in front counts, if there is one.
bool areDotShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b,
                  llvm::ArrayRef<int64_t> acc);

} // namespace tilewright::tile
