// How a reduction is spread over registers, lanes and warps.
//
// The layout of the operand without the reduced dimension says, for each bit of
// the register, lane and warp number, whether it tells results apart (its image
// is not zero), or only the elements that go into one result. The latter are
// the bits to reduce over: those of registers within a thread, those of lanes
// with shuffles, those of warps through shared memory.

#pragma once

#include "dialect/Tile/TileOps.h"
#include "lib/Support/LinearLayout.h"

namespace tilewright {

struct ReductionPlan {
  /// The operand's layout without the reduced dimension, every register kept.
  LinearLayout results;
  /// Bits to reduce over.
  uint64_t registerBits = 0, laneBits = 0, warpBits = 0;
  /// Bits whose threads (or registers) hold copies and have nothing to add.
  uint64_t copyRegisterBits = 0, copyLaneBits = 0, copyWarpBits = 0;

  /// Nothing where some bit tells results and elements of one result apart at
  /// once, as in a swizzled layout.
  static std::optional<ReductionPlan> get(const LinearLayout &source,
                                          unsigned axis);

  /// The warps whose partial results are combined.
  int64_t getNumPartials() const;
  /// The registers that hold one partial result each: those without a bit to
  /// reduce over and without copies.
  llvm::SmallVector<unsigned> getResultRegisters() const;
};

/// Where, within the shared memory of a reduction, the partial results of each
/// operand start; the last entry is the size of all.
llvm::SmallVector<int64_t> getReduceScratchOffsets(tile::ReduceOp op);

/// The shared memory that lowering `op` takes, in bytes.
int64_t getReduceScratchBytes(tile::ReduceOp op);

} // namespace tilewright
