// The names of the rules, as errors and SharedMemoryPasses.td give them.
#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_RULENAMES_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_RULENAMES_H

#include "llvm/ADT/StringRef.h"

namespace tilewright::warp {

inline constexpr llvm::StringLiteral kHeldSlot = "held slot";
inline constexpr llvm::StringLiteral kInTurn = "in turn";
inline constexpr llvm::StringLiteral kOnce = "filled once";
inline constexpr llvm::StringLiteral kComes = "slot comes";
inline constexpr llvm::StringLiteral kArrived = "copies arrived";
inline constexpr llvm::StringLiteral kDots = "products done";
inline constexpr llvm::StringLiteral kUntouched = "sums untouched";
inline constexpr llvm::StringLiteral kFenceBeforeRelease =
    "fence before release";
inline constexpr llvm::StringLiteral kFenceBeforeDot = "fence before product";
inline constexpr llvm::StringLiteral kContent = "memory kept";
inline constexpr llvm::StringLiteral kStores = "stores done";
inline constexpr llvm::StringLiteral kClusterMeets = "cluster meets";
inline constexpr llvm::StringLiteral kProvable = "provable";

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_RULENAMES_H
