// How a scan is spread over registers, lanes and warps.
//
// Each bit of the index along the scanned dimension is one bit of the register,
// the lane or the warp number. Adjacent index bits of the same number form a
// *segment*. A scan handles one segment at a time from the lowest on: within a
// thread, with shuffles, or through shared memory.

#ifndef TILEWRIGHT_LIB_ANALYSIS_LAYOUT_SCANPLAN_H
#define TILEWRIGHT_LIB_ANALYSIS_LAYOUT_SCANPLAN_H

#include "dialect/Tile/TileOps.h"
#include "lib/Layout/LinearLayout.h"

namespace tilewright {

struct ScanSegment {
  LayoutAxis axis;
  /// Bits of the register, lane or warp number, from the lowest index bit to
  /// the highest.
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

  /// Nothing if the image of some bit is neither zero nor one bit of the index,
  /// as in a swizzled layout.
  static std::optional<ScanPlan> get(const LinearLayout &layout, unsigned axis);

  /// The bits of `axis` that the segments before `segment` scan.
  uint64_t getScannedBits(LayoutAxis axis, unsigned segment) const;
  /// The registers that hold totals before `segment` is scanned, one for each.
  llvm::SmallVector<unsigned> getTotals(unsigned segment) const;
  /// The bits of the thread number that distinguish totals then. Excludes the
  /// bits that a segment of warps scans.
  uint64_t getTotalThreadBits(unsigned segment) const;
};

/// The offsets of the totals of each operand in the scratch memory of a scan,
/// by segment of warps. The last entry is the total size.
llvm::SmallVector<int64_t> getScanScratchOffsets(tile::ScanOp op);

/// The scratch memory of `op` in bytes.
int64_t getScanScratchBytes(tile::ScanOp op);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_LAYOUT_SCANPLAN_H
