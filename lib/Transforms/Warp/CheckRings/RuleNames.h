// The names of the rules, as in errors and in CheckRingsPasses.td.
#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_RULENAMES_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_RULENAMES_H

#include "llvm/ADT/StringRef.h"

namespace tilewright::warp {

inline constexpr llvm::StringLiteral kHeldSlot = "held slot";
inline constexpr llvm::StringLiteral kInOrder = "in order";
inline constexpr llvm::StringLiteral kOnce = "filled once";
inline constexpr llvm::StringLiteral kComes = "slot comes";
inline constexpr llvm::StringLiteral kArrived = "copies arrived";
inline constexpr llvm::StringLiteral kWgmmaDone = "wgmma done";
inline constexpr llvm::StringLiteral kUntouched = "accumulators untouched";
inline constexpr llvm::StringLiteral kFenceBeforeRelease =
    "fence before release";
inline constexpr llvm::StringLiteral kFenceBeforeWgmma = "fence before wgmma";
inline constexpr llvm::StringLiteral kContent = "memory intact";
inline constexpr llvm::StringLiteral kStores = "stores done";
inline constexpr llvm::StringLiteral kClusterMeets = "cluster meets";
inline constexpr llvm::StringLiteral kProvable = "provable";

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_RULENAMES_H
