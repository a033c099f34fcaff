// Attributes for extra slots of a kernel's only ring. The extra slots exist
// only if the launch provides the shared memory for them. See
// warp-allocate-shared.

#ifndef TILEWRIGHT_DIALECT_WARP_EXTRASLOTS_H
#define TILEWRIGHT_DIALECT_WARP_EXTRASLOTS_H

#include "llvm/ADT/StringRef.h"

namespace tilewright::warp {

/// Array attribute of a `warp.ring`: the number of extra slots, their offset in
/// shared memory, and the shared memory size of a launch that has them.
inline constexpr llvm::StringLiteral kExtraSlotsAttr = "warp.extra_slots";

/// i32 attribute of a function: the extra bytes, in addition to
/// `warp.shared_size`, of such a launch.
inline constexpr llvm::StringLiteral kExtraSizeAttr = "warp.extra_size";

/// The size of the full and the empty barrier of a slot.
inline constexpr int64_t kSlotBarrierBytes = 16;

} // namespace tilewright::warp

#endif // TILEWRIGHT_DIALECT_WARP_EXTRASLOTS_H
