// Slots that the only ring of a kernel has more where the launch gives a
// program the shared memory for them. Names of attributes; see
// warp-allocate-shared.

#ifndef TILEWRIGHT_DIALECT_WARP_EXTRASLOTS_H
#define TILEWRIGHT_DIALECT_WARP_EXTRASLOTS_H

#include "llvm/ADT/StringRef.h"

namespace tilewright::warp {

/// Array attribute of a `warp.ring`: how many there are, where in shared memory
/// they start, and the bytes of shared memory of a launch that has them.
inline constexpr llvm::StringLiteral kExtraSlotsAttr = "warp.extra_slots";

/// i32 attribute of a function: the bytes beside `warp.shared_size` that such a
/// launch gives.
inline constexpr llvm::StringLiteral kExtraSizeAttr = "warp.extra_size";

/// The barriers of a slot: of being full, and of being empty.
inline constexpr int64_t kSlotBarrierBytes = 16;

} // namespace tilewright::warp

#endif // TILEWRIGHT_DIALECT_WARP_EXTRASLOTS_H
