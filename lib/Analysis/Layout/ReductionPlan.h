// How a reduction is spread over registers, lanes and warps.
//
// The layout of the operand without the reduced dimension says, for each bit of
// the register, lane and warp number, whether it tells results apart (its image
// is not zero), or only the elements that go into one result. The latter are
// the bits to reduce over: those of registers within a thread, those of lanes
// with shuffles, those of warps through shared memory.
//
// Where the order of the elements counts, neighbours are combined first: bits
// of the index along the dimension from the lowest on. From the first that is a
// warp's on, what is left goes through shared memory at once. Where a bit of
// the lane comes before one of the register, a lane takes half of the registers
// of itself and of its neighbour: from there on the lane tells apart what the
// register told, and half as much is left to do.

#pragma once

#include "dialect/Tile/TileOps.h"
#include "lib/Layout/LinearLayout.h"

namespace tilewright {

/// Combines pairs of registers, or those of pairs of lanes; with both, each
/// lane of a pair those where the bit of the register is its own.
struct OrderedStep {
  uint64_t registerBit = 0, laneBit = 0;
};

struct ReductionPlan {
  /// The operand's layout without the reduced dimension, every register kept.
  LinearLayout results;
  /// Bits to reduce over.
  uint64_t registerBits = 0, laneBits = 0, warpBits = 0;
  /// Bits whose threads (or registers) hold copies and have nothing to add.
  uint64_t copyRegisterBits = 0, copyLaneBits = 0, copyWarpBits = 0;

  /// What happens within warps where the order counts.
  bool isOrdered = false;
  llvm::SmallVector<OrderedStep> steps;
  /// The bits that number the partial results that go through shared memory,
  /// the lowest first; the highest `roundBits` of them, of registers, one round
  /// after the other.
  llvm::SmallVector<std::pair<LayoutAxis, unsigned>> exchanged;
  unsigned roundBits = 0;

  /// Nothing where some bit tells results and elements of one result apart at
  /// once, as in a swizzled layout.
  static std::optional<ReductionPlan> get(tile::ReduceOp op);

  /// How many partial results are combined through shared memory in one round.
  int64_t getNumPartials() const;
  /// What `reg` adds to the number of a partial result, over all rounds.
  uint64_t getPlace(unsigned reg) const;
  /// By the bits of the number of the lane, or of the warp, what they add.
  llvm::SmallVector<uint64_t> getPlaces(LayoutAxis axis) const;
  /// The bits of registers that number partial results.
  uint64_t getExchangedBits(LayoutAxis axis) const;
  /// The registers that hold one result each: those without a bit to reduce
  /// over and without copies.
  llvm::SmallVector<unsigned> getResultRegisters() const;

private:
  bool order(const LinearLayout &source, unsigned axis);
};

/// Where, within the shared memory of a reduction, the partial results of each
/// operand start; the last entry is the size of all.
llvm::SmallVector<int64_t> getReduceScratchOffsets(tile::ReduceOp op);

/// Partial results lie in rows as long as all banks of shared memory, with one
/// widest access of room between two: threads whose results are whole rows
/// apart read them at once then.
inline constexpr int64_t kScratchRowBytes = 128, kScratchRoomBytes = 16;

/// The shared memory that lowering `op` takes, in bytes.
int64_t getReduceScratchBytes(tile::ReduceOp op);

} // namespace tilewright
