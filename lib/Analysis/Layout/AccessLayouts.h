// Layouts in which tiles are best read from and written to global memory.

#ifndef TILEWRIGHT_LIB_ANALYSIS_LAYOUT_ACCESSLAYOUTS_H
#define TILEWRIGHT_LIB_ANALYSIS_LAYOUT_ACCESSLAYOUTS_H

#include "lib/Analysis/Facts/AxisInfo.h"
#include "lib/Analysis/Facts/StrideEstimate.h"
#include "lib/Analysis/Target/NvidiaTarget.h"
#include "lib/Layout/LinearLayout.h"

#include "dialect/Warp/WarpAttributes.h"

#include <map>
#include <vector>

namespace tilewright {

/// One access through a tile of pointers.
struct MemoryAccess {
  mlir::Value ptr;
  mlir::Value mask; // null: all elements

  /// Of a tile.load, tile.store or tile.atomic_*; nothing for other ops and for
  /// scalar accesses.
  static std::optional<MemoryAccess> of(mlir::Operation *op);
  mlir::RankedTensorType getType() const;
};

/// Chooses coalesced layouts: neighbouring threads take neighbouring vectors of
/// up to 16 bytes along the dimension in which addresses count up.
///
/// Accesses of the same shape in the same order get the same layout, with the
/// widest vector of any of them: what they read is mostly combined. Not where
/// most of them begin anywhere and take neighbours one by one, as the taps of a
/// convolution do: lanes side by side then take what lies side by side. Where
/// sums in memory are among them, no wider than one instruction adds to:
/// threads side by side then add to neighbours, and what is added to costs more
/// than reading.
class AccessLayouts {
public:
  AccessLayouts(mlir::Operation *root, const AxisInfoAnalysis &axes,
                int64_t numWarps, const NvidiaTarget &target);

  /// Whether neighbouring elements are neighbours in memory, or probably close
  /// to each other, so that the layout matters.
  bool isContiguous(const MemoryAccess &access) const;
  /// Whether it is contiguous, or strides that are not known at compile time
  /// leave one dimension in which neighbours are the likeliest to be close.
  bool hasNearestDim(const MemoryAccess &access) const;

  warp::LinearAttr getCoalesced(const MemoryAccess &access) const;
  /// The same for a store of what has to be moved to other threads anyhow: no
  /// wider than one instruction, so that lanes fill sectors together.
  warp::LinearAttr getCoalescedAlone(const MemoryAccess &access) const;
  /// For a block of an array in row-major order: as wide as the registers of a
  /// thread are filled at once.
  warp::LinearAttr getBlock(mlir::RankedTensorType type) const;
  /// A layout for a tile that nothing is known of.
  warp::LinearAttr getDefault(mlir::RankedTensorType type) const;

  /// Whether a thread can access as many elements at once as in the coalesced
  /// layout, and a warp does not write to so many more sectors of memory that
  /// exchanging the elements first is cheaper.
  bool isGoodEnough(const MemoryAccess &access, warp::LinearAttr layout) const;

private:
  /// How far apart neighbours along `dim` lie, in elements; where they are the
  /// same, as far as can be.
  int64_t getStep(const MemoryAccess &access, unsigned dim) const;
  /// The sectors that a warp touches, one vector of each thread at a time, and
  /// each time anew.
  int64_t countSectors(const MemoryAccess &access,
                       const LinearLayout &layout) const;
  /// Dimensions from the most to the least contiguous; where none is known to
  /// be, from the least to the largest probable step.
  llvm::SmallVector<int32_t> getOrder(const MemoryAccess &access) const;
  int64_t getVectorSize(const MemoryAccess &access) const;
  warp::LinearAttr getCoalesced(const MemoryAccess &access,
                                int64_t vector) const;

  using Group = std::pair<std::vector<int64_t>, std::vector<int32_t>>;
  Group getGroup(const MemoryAccess &access) const;
  /// `layout` of a tile that is accessed in `order`, or one that is as good for
  /// that and better for scans of tiles of its shape.
  LinearLayout preferScan(const LinearLayout &layout,
                          llvm::ArrayRef<int32_t> order,
                          int64_t elementBytes) const;

  const AxisInfoAnalysis &axes;
  int64_t numWarps;
  mutable StrideEstimate steps; // remembers
  std::map<Group, int64_t> vectors;
  /// By shape, an axis along which such tiles are scanned.
  std::map<std::vector<int64_t>, unsigned> scans;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_LAYOUT_ACCESSLAYOUTS_H
