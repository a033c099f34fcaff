// Types of the `warp` dialect.

#ifndef TILEWRIGHT_DIALECT_WARP_WARPTYPES_H
#define TILEWRIGHT_DIALECT_WARP_WARPTYPES_H

#include "dialect/Warp/WarpAttributes.h"

#include "llvm/Support/MathExtras.h"

#include "dialect/Warp/WarpEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/Warp/WarpTypes.h.inc"

namespace tilewright::warp {

/// Maximum number of CTAs of a cluster on any device.
inline constexpr unsigned kMaxClusterSize = 16;

/// Returns the bytes of an element in shared memory: pointers take 8, booleans
/// 1.
unsigned getElementBytes(mlir::Type elementType);

} // namespace tilewright::warp

#endif // TILEWRIGHT_DIALECT_WARP_WARPTYPES_H
