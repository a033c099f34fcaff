// PTX names of the registers of pinned accumulators.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MMA_PINNEDACCUMULATORS_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MMA_PINNEDACCUMULATORS_H

#include "mlir/IR/Types.h"

#include "llvm/ADT/SmallVector.h"

#include <string>

namespace tilewright {

/// Returns the 32-bit registers of a tile whose encoding is `#warp.pinned`, and
/// an empty vector for other types.
llvm::SmallVector<std::string> getPinnedRegisters(mlir::Type type);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MMA_PINNEDACCUMULATORS_H
