// Integers and conditions as far as they are known on one way through a role.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_SCALARS_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_SCALARS_H

#include "lib/Transforms/Warp/CheckRings/PathState.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::warp {

/// The value of an integer or a condition (0 or 1), if it is known.
std::optional<int64_t> evaluate(mlir::Value value, const PathState &state);

/// Whether `compare` holds exactly where `loop` runs (true), or exactly where
/// it does not (false), if it is about that.
std::optional<bool> guards(mlir::arith::CmpIOp compare, mlir::scf::ForOp loop);

/// Whether `loop` runs at all, if that is known: from its bounds, or from a
/// comparison of them that has been decided on the way.
std::optional<bool> isEntered(mlir::scf::ForOp loop, const PathState &state);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_SCALARS_H
