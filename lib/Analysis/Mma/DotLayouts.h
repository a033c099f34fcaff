// Chooses layouts for the operands and the accumulator of a dot.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MMA_DOTLAYOUTS_H
#define TILEWRIGHT_LIB_ANALYSIS_MMA_DOTLAYOUTS_H

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpAttributes.h"
#include "lib/Analysis/Target/NvidiaTarget.h"

namespace tilewright {

struct DotLayouts {
  /// Null if the operand may have any layout.
  warp::LinearAttr a, b;
  warp::LinearAttr acc;
  /// Whether `wgmma` computes the dot. It reads operands with null layouts from
  /// shared memory.
  bool isWgmma = false;
  /// Whether the tiles that A is computed from are loaded in the layout of A.
  bool readsAsA = false;
};

/// Returns why tensor cores cannot compute `dot`, by types and sizes; empty if
/// they can. They take f32 operands only if these may be rounded to tf32.
llvm::StringRef getTensorCoreObstacle(tile::DotOp dot);

inline bool isTensorCoreDot(tile::DotOp dot) {
  return getTensorCoreObstacle(dot).empty();
}

/// Returns why `wgmma` cannot compute `dot`, a dot for tensor cores; empty if
/// it can.
llvm::StringRef getWgmmaObstacle(tile::DotOp dot, int64_t numWarps,
                                 const NvidiaTarget &target);

/// Whether `wgmma` computes `dot`.
inline bool isWgmmaDot(tile::DotOp dot, int64_t numWarps,
                       const NvidiaTarget &target) {
  return isTensorCoreDot(dot) &&
         getWgmmaObstacle(dot, numWarps, target).empty();
}

/// Whether the result of `dot` is an operand of another dot, or the other way
/// round, with only elementwise and shape ops between. All warps are then
/// distributed along the rows, which both have in common.
bool isChainedDot(tile::DotOp dot);

/// Whether the threads that load an operand hold consecutive elements along the
/// contracted dimension.
struct OperandOrder {
  bool aAlong = false, bAlong = false;
};

/// For tensor cores: the register layouts of the instruction. That is `wgmma`
/// if the target has it and the tile is large enough.
///
/// Otherwise: each thread computes a part of the result that is as square as
/// possible and split as ThreadDot.h says. The operands of a thread are in its
/// registers if they fit, else in shared memory. Warps are distributed over the
/// batch first.
DotLayouts chooseDotLayouts(tile::DotOp dot, int64_t numWarps,
                            const NvidiaTarget &target,
                            OperandOrder order = {});

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MMA_DOTLAYOUTS_H
