// Rules for a function as a whole, independent of paths.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_ROLERULES_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_ROLERULES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tilewright::warp {

/// Checks the roles that use a ring, the offsets of memory that roles use
/// concurrently, and the warps that take part in barriers and wgmmas. Fails
/// with errors.
llvm::LogicalResult checkRoles(mlir::FunctionOpInterface function);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_ROLERULES_H
