// Chooses layouts of wgmma operands in shared memory.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MMA_SHAREDOPERANDS_H
#define TILEWRIGHT_LIB_ANALYSIS_MMA_SHAREDOPERANDS_H

#include "dialect/Warp/WarpAttributes.h"

namespace tilewright {

/// The layout in shared memory of an operand of `wgmma` that is stored from
/// registers with the layout of `tile`, a matrix. `contracted` is the dimension
/// that is summed over. The layout is swizzled as the tensor memory accelerator
/// writes it. Elements that are contiguous for a thread stay contiguous if the
/// instruction can read them transposed. Rows of less than a chunk are not
/// swizzled. They occur only in tiles that operands are computed from.
warp::LinearAttr chooseWgmmaOperand(mlir::RankedTensorType tile,
                                    unsigned contracted);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MMA_SHAREDOPERANDS_H
