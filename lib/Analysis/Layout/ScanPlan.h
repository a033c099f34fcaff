// How a scan is spread over registers, lanes and warps.
//
// Each bit of the index along the scanned dimension is one bit of the register,
// the lane or the warp number. Neighbouring index bits that are bits of the
// same number make a *segment*; from the lowest on, a scan handles one segment
// after the other: within a thread, with shuffles, through shared memory.

#pragma once

#include "dialect/Tile/TileOps.h"
#include "lib/Layout/LinearLayout.h"

namespace tilewright {

struct ScanSegment {
  LayoutAxis place;
  /// Bits of the register, lane or warp number, that of the lowest index bit
  /// first.
  llvm::SmallVector<unsigned> bits;

  uint64_t getMask() const;
  int64_t getSize() const { return int64_t(1) << bits.size(); }
};

struct ScanPlan {
  /// From the lowest bits of the index to the highest.
  llvm::SmallVector<ScanSegment> segments;
  /// Bits whose registers, lanes and warps hold copies.
  uint64_t copyRegisterBits = 0, copyLaneBits = 0, copyWarpBits = 0;
  unsigned numRegisters = 1, numLaneBits = 0, numWarpBits = 0;

  /// Nothing where some bit is not one bit of the index or none, as in a
  /// swizzled layout.
  static std::optional<ScanPlan> get(const LinearLayout &layout, unsigned axis);

  /// The bits of the numbers at `place` that segments before `segment` scan.
  uint64_t getScannedBits(LayoutAxis place, unsigned segment) const;
  /// The registers that hold a total each before `segment` is scanned.
  llvm::SmallVector<unsigned> getTotals(unsigned segment) const;
  /// The bits of the thread number that tell totals apart there, other than
  /// those that a segment of warps scans.
  uint64_t getTotalThreadBits(unsigned segment) const;
};

/// Where, within the shared memory of a scan, the totals of each operand start,
/// for one segment of warps after the other; the last entry is the size of all.
llvm::SmallVector<int64_t> getScanScratchOffsets(tile::ScanOp op);

/// The shared memory that lowering `op` takes, in bytes.
int64_t getScanScratchBytes(tile::ScanOp op);

} // namespace tilewright
