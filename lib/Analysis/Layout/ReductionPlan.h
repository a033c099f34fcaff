// How a reduction is spread over registers, lanes and warps.
//
// In the layout of the operand without the reduced dimension, each bit of the
// register, lane and warp number has an image. A bit with a nonzero image
// distinguishes results. A bit whose image is zero only distinguishes elements
// of one result: it is a bit to reduce over. Register bits are reduced within a
// thread, lane bits with shuffles, warp bits through shared memory.
//
// If the combination is not commutative, neighbours are combined first, from
// the lowest bit of the index along the dimension on. From the first warp bit
// on, all remaining bits go through shared memory at once. If a lane bit
// precedes a register bit, each lane takes half of the registers of itself and
// of its neighbour. The lane bit then replaces the register bit, which halves
// the remaining work.

#ifndef TILEWRIGHT_LIB_ANALYSIS_LAYOUT_REDUCTIONPLAN_H
#define TILEWRIGHT_LIB_ANALYSIS_LAYOUT_REDUCTIONPLAN_H

#include "dialect/Tile/TileOps.h"
#include "lib/Layout/LinearLayout.h"

namespace tilewright {

/// Combines pairs of registers or of lanes. With both bits, each lane of a pair
/// combines the registers whose register bit equals its lane bit.
struct OrderedStep {
  uint64_t registerBit = 0, laneBit = 0;
};

struct ReductionPlan {
  /// The operand's layout without the reduced dimension, with all registers.
  LinearLayout results;
  /// Bits to reduce over.
  uint64_t registerBits = 0, laneBits = 0, warpBits = 0;
  /// Bits whose threads (or registers) hold copies, which are not combined.
  uint64_t copyRegisterBits = 0, copyLaneBits = 0, copyWarpBits = 0;

  /// The steps within a warp if the order of the elements matters.
  bool isOrdered = false;
  llvm::SmallVector<OrderedStep> steps;
  /// The bits that number the partial results in shared memory, the lowest
  /// first. The highest `roundBits` of them are register bits and number the
  /// rounds.
  llvm::SmallVector<std::pair<LayoutAxis, unsigned>> exchanged;
  unsigned roundBits = 0;

  /// Nothing if some bit distinguishes both results and elements of one result,
  /// as in a swizzled layout.
  static std::optional<ReductionPlan> get(tile::ReduceOp op);

  /// The number of partial results that shared memory holds in one round.
  int64_t getNumPartials() const;
  /// The part of a partial result's number that `reg` decides, over all rounds.
  uint64_t getPartialIndex(unsigned reg) const;
  /// The part that each bit of the lane or warp number decides.
  llvm::SmallVector<uint64_t> getPartialColumns(LayoutAxis axis) const;
  /// The bits of `axis` that number partial results.
  uint64_t getExchangedBits(LayoutAxis axis) const;
  /// One register for each result of a thread: no bit to reduce over and no
  /// copy bit is set.
  llvm::SmallVector<unsigned> getResultRegisters() const;

private:
  bool order(const LinearLayout &source, unsigned axis);
};

/// The offsets of the partial results of each operand in the scratch memory of
/// a reduction. The last entry is the total size.
llvm::SmallVector<int64_t> getReduceScratchOffsets(tile::ReduceOp op);

/// Partial results are in rows as long as all banks of shared memory. Between
/// rows are 16 bytes of padding, so that threads whose results are whole rows
/// apart access different banks.
inline constexpr int64_t kScratchRowBytes = 128, kScratchRoomBytes = 16;

/// The scratch memory of `op` in bytes.
int64_t getReduceScratchBytes(tile::ReduceOp op);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_LAYOUT_REDUCTIONPLAN_H
