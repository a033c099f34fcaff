// The names of registers that are kept for sums, in PTX.

#pragma once

#include "mlir/IR/Types.h"

#include "llvm/ADT/SmallVector.h"

#include <string>

namespace tilewright {

/// The 32-bit registers of a tile whose encoding is `#warp.pinned`; none of any
/// other.
llvm::SmallVector<std::string> getPinnedRegisters(mlir::Type type);

} // namespace tilewright
