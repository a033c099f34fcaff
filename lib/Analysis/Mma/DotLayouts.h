// Layouts of the operands and the result of a dot.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MMA_DOTLAYOUTS_H
#define TILEWRIGHT_LIB_ANALYSIS_MMA_DOTLAYOUTS_H

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpAttributes.h"
#include "lib/Analysis/Target/NvidiaTarget.h"

namespace tilewright {

struct DotLayouts {
  /// Null where an operand may have any layout.
  warp::LinearAttr a, b;
  warp::LinearAttr acc;
  /// Whether warpgroups compute it, and read such operands from shared memory.
  bool isWgmma = false;
  /// Whether what A is computed from is to be read in the layout of A.
  bool readsAsA = false;
};

/// Why the tensor cores can not compute `dot`, by types and sizes; empty if
/// they can. They take f32 operands only where these may be rounded to tf32.
llvm::StringRef getTensorCoreObstacle(tile::DotOp dot);

inline bool isTensorCoreDot(tile::DotOp dot) {
  return getTensorCoreObstacle(dot).empty();
}

/// Why `wgmma` can not compute `dot`, which tensor cores can; empty if it can.
llvm::StringRef getWgmmaObstacle(tile::DotOp dot, int64_t numWarps,
                                 const NvidiaTarget &target);

/// Whether warpgroups compute `dot`.
inline bool isWgmmaDot(tile::DotOp dot, int64_t numWarps,
                       const NvidiaTarget &target) {
  return isTensorCoreDot(dot) &&
         getWgmmaObstacle(dot, numWarps, target).empty();
}

/// Whether the result of `dot` is an operand of another dot, or the other way
/// round, with only elementwise and shape ops between. Then all warps stand
/// along the rows, which both have in common, and rows are not split.
bool isChainedDot(tile::DotOp dot);

/// Whether the threads that bring an operand hold neighbours along the
/// contracted dimension.
struct OperandOrder {
  bool aAlong = false, bAlong = false;
};

/// For tensor cores the layouts of the instruction's registers, of `wgmma`
/// where the target has it and the tile is large enough. For others a part of
/// the result a thread, as square as possible and, for the sake of shared
/// memory, cut as ThreadDot.h says; and of the operands what it needs where
/// that fits its registers; else they are read from shared memory. The products
/// of a batch are spread over the warps first.
DotLayouts chooseDotLayouts(tile::DotOp dot, int64_t numWarps,
                            const NvidiaTarget &target,
                            OperandOrder order = {});

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MMA_DOTLAYOUTS_H
