// How operands of tensor cores lie in shared memory.

#pragma once

#include "dialect/Warp/WarpAttributes.h"

namespace tilewright {

/// The layout in shared memory of an operand of `wgmma` that is stored from
/// registers laid out as `tile`, a matrix; `contracted` is the dimension that
/// is summed over. Swizzled, in the way that the tensor memory accelerator
/// writes too. Elements that are contiguous for a thread stay so where the
/// instruction can read them across. Rows of less than a chunk, which no
/// operand has but tiles that operands are computed from, lie as they are.
warp::LinearAttr chooseWgmmaOperand(mlir::RankedTensorType tile,
                                    unsigned contracted);

} // namespace tilewright
