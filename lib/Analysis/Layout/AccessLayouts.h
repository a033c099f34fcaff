// Chooses layouts for tiles that are read from or written to global memory.

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

  /// The access of a tile.load, tile.store or tile.atomic_*. Nothing for other
  /// ops and for scalar accesses.
  static std::optional<MemoryAccess> of(mlir::Operation *op);
  mlir::RankedTensorType getType() const;
};

/// Chooses coalesced layouts: neighbouring threads take neighbouring vectors of
/// up to 16 bytes along the dimension in which addresses are contiguous.
///
/// Accesses of one shape and dimension order share a layout with the widest
/// vector of any of them, since their tiles are usually combined. Exceptions:
/// 1. Most contiguous accesses of the group are unaligned and have width 1, as
///    the taps of a convolution. The group then has width 1, so that adjacent
///    lanes access adjacent elements.
/// 2. The group has atomic adds. It is then no wider than one atomic
///    instruction, so that adjacent threads add to adjacent elements. An atomic
///    costs more than a load.
class AccessLayouts {
public:
  AccessLayouts(mlir::Operation *root, const AxisInfoAnalysis &axes,
                int64_t numWarps, const NvidiaTarget &target);

  /// Whether neighbouring elements are adjacent in memory, or probably within a
  /// sector, so that the layout matters.
  bool isContiguous(const MemoryAccess &access) const;
  /// Whether the access is contiguous, or one dimension is likely to have the
  /// smallest of several strides that are not known at compile time.
  bool hasNearestDim(const MemoryAccess &access) const;

  warp::LinearAttr getCoalesced(const MemoryAccess &access) const;
  /// The same for a store whose value needs a layout conversion in any case: no
  /// wider than one instruction, so that lanes fill sectors together.
  warp::LinearAttr getCoalescedAlone(const MemoryAccess &access) const;
  /// For a block of an array in row-major order, with 16 bytes a thread where
  /// there are as many elements.
  warp::LinearAttr getBlock(mlir::RankedTensorType type) const;
  /// The layout of a tile without constraints.
  warp::LinearAttr getDefault(mlir::RankedTensorType type) const;

  /// Whether no conversion to the coalesced layout pays off:
  /// 1. A thread can access as many elements at once as in that layout.
  /// 2. A warp touches so few extra sectors that exchanging the elements first
  ///    would cost more.
  bool isGoodEnough(const MemoryAccess &access, warp::LinearAttr layout) const;

private:
  /// The distance of neighbours along `dim` in elements. Repeated elements have
  /// the largest distance.
  int64_t getStep(const MemoryAccess &access, unsigned dim) const;
  /// The sectors that a warp touches, summed over its accesses of one vector a
  /// thread.
  int64_t countSectors(const MemoryAccess &access,
                       const LinearLayout &layout) const;
  /// Dimensions from the most to the least contiguous. Where none is known to
  /// be contiguous, from the smallest to the largest probable stride.
  llvm::SmallVector<int32_t> getOrder(const MemoryAccess &access) const;
  int64_t getVectorSize(const MemoryAccess &access) const;
  warp::LinearAttr getCoalesced(const MemoryAccess &access,
                                int64_t vector) const;

  using Group = std::pair<std::vector<int64_t>, std::vector<int32_t>>;
  Group getGroup(const MemoryAccess &access) const;
  /// Returns `layout`, or one that is better for scans of tiles of its shape
  /// and as good for accesses in `order`.
  LinearLayout preferScan(const LinearLayout &layout,
                          llvm::ArrayRef<int32_t> order,
                          int64_t elementBytes) const;

  const AxisInfoAnalysis &axes;
  int64_t numWarps;
  mutable StrideEstimate steps; // caches
  std::map<Group, int64_t> vectors;
  /// An axis along which tiles of a shape are scanned.
  std::map<std::vector<int64_t>, unsigned> scans;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_LAYOUT_ACCESSLAYOUTS_H
