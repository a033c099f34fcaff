// Rules that hold for a function as a whole, whatever way is taken.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_ROLERULES_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_ROLERULES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tilewright::warp {

/// Which roles use a ring, where memory lies that roles use at the same time,
/// and which warps meet at barriers and products. Fails with errors.
llvm::LogicalResult checkRoles(mlir::FunctionOpInterface function);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_ROLERULES_H
