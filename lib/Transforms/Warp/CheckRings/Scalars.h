// Evaluates integers and conditions that are known on one path through a role.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_SCALARS_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_SCALARS_H

#include "lib/Transforms/Warp/CheckRings/PathState.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::warp {

/// Returns the value of an integer or a condition (0 or 1), if it is known.
std::optional<int64_t> evaluate(mlir::Value value, const PathState &state);

/// Returns true if `compare` holds exactly if `loop` runs, false if it is the
/// negation, and nothing otherwise.
std::optional<bool> guards(mlir::arith::CmpIOp compare, mlir::scf::ForOp loop);

/// Returns whether `loop` runs at all, if that is known from its bounds or from
/// a comparison of them with a known result.
std::optional<bool> isEntered(mlir::scf::ForOp loop, const PathState &state);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_SCALARS_H
