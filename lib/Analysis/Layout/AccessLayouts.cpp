#include "lib/Analysis/Layout/AccessLayouts.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpTypes.h"
#include "lib/Analysis/Memory/AccessWidths.h"
#include "lib/Layout/F2.h"
#include "lib/Layout/TileLayouts.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>

using namespace mlir;
using namespace tilewright;

/// The widest access of a thread.
static constexpr int64_t kWidestBytes = 16;
using warp::LinearAttr;

/// The smallest unit of an access to global memory.
static constexpr int64_t kSectorBytes = 32;

std::optional<MemoryAccess> MemoryAccess::of(Operation *op) {
  auto access = TypeSwitch<Operation *, MemoryAccess>(op)
                    .Case<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp,
                          tile::AtomicCASOp>([](auto op) -> MemoryAccess {
                      return {op.getPtr(), op.getMask()};
                    })
                    .Default([](Operation *) { return MemoryAccess(); });
  if (!access.ptr || !isa<RankedTensorType>(access.ptr.getType()))
    return std::nullopt;
  return access;
}

RankedTensorType MemoryAccess::getType() const {
  return cast<RankedTensorType>(ptr.getType());
}

AccessLayouts::AccessLayouts(Operation *root, const AxisInfoAnalysis &axes,
                             int64_t numWarps, const NvidiaTarget &target)
    : axes(axes), numWarps(numWarps), steps(axes) {
  std::map<Group, int64_t> atomicWidths;
  // Contiguous accesses of a group: all, and those of width 1.
  std::map<Group, std::pair<unsigned, unsigned>> counts;
  root->walk([&](Operation *op) {
    if (auto scan = dyn_cast<tile::ScanOp>(op)) {
      auto type = cast<RankedTensorType>(scan.getOperands().front().getType());
      scans.try_emplace(type.getShape().vec(), scan.getAxis());
    }
    std::optional<MemoryAccess> access = MemoryAccess::of(op);
    if (!access)
      return;
    int64_t width = getVectorSize(*access);
    if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op)) {
      width = std::min<int64_t>(width, getAtomicWidth(atomic, target));
      // An atomic of width 1 sets no limit: it takes the layout of the others.
      if (width > 1) {
        int64_t &most =
            atomicWidths.try_emplace(getGroup(*access), width).first->second;
        most = std::min(most, width);
      }
    } else if (!isa<tile::LoadOp, tile::StoreOp>(op)) {
      return;
    }
    int64_t &widest = vectors.try_emplace(getGroup(*access), 1).first->second;
    widest = std::max(widest, width);
    if (isContiguous(*access)) {
      auto &[all, single] = counts[getGroup(*access)];
      ++all;
      single += width == 1;
    }
  });
  for (auto &[group, count] : counts)
    if (2 * count.second > count.first)
      vectors[group] = 1;
  for (auto &[group, most] : atomicWidths)
    vectors[group] = std::min(vectors[group], most);
}

/// Adjacent threads along a repeated dimension would load the same element
/// again.
int64_t AccessLayouts::getStep(const MemoryAccess &access, unsigned dim) const {
  int64_t step = std::abs(steps.get(access.ptr, dim));
  return step == 0 ? StrideEstimate::kAnywhere : step;
}

SmallVector<int32_t> AccessLayouts::getOrder(const MemoryAccess &access) const {
  AxisInfo info = axes.get(access.ptr);
  SmallVector<std::tuple<int64_t, int64_t, int32_t>> dims;
  for (int32_t dim = 0, rank = access.getType().getRank(); dim < rank; ++dim)
    dims.push_back({info[dim].contiguity, -getStep(access, dim), dim});
  llvm::sort(dims, std::greater<>());
  SmallVector<int32_t> order;
  for (auto [contiguity, step, dim] : dims)
    order.push_back(dim);
  return order;
}

int64_t AccessLayouts::getVectorSize(const MemoryAccess &access) const {
  // Threads without work cost more than wide accesses gain.
  int64_t threads = numWarps << kLaneBits;
  int64_t share =
      std::max<int64_t>(access.getType().getNumElements() / threads, 1);
  unsigned fastest = getOrder(access).front();
  int64_t size = axes.getVectorSize(access.ptr, access.mask, fastest);
  // A thread loads an address that several of its elements share once.
  if (size == 1 && getStep(access, fastest) < StrideEstimate::kFar) {
    size = axes.get(access.ptr)[fastest].constancy;
    if (access.mask)
      size = std::min(size, axes.get(access.mask)[fastest].constancy);
    size = std::min(size, kWidestBytes / getPointeeBytes(access.ptr.getType()));
  }
  return std::min(llvm::bit_floor(uint64_t(size)), uint64_t(share));
}

AccessLayouts::Group AccessLayouts::getGroup(const MemoryAccess &access) const {
  ArrayRef<int64_t> shape = access.getType().getShape();
  SmallVector<int32_t> order = getOrder(access);
  return {{shape.begin(), shape.end()}, {order.begin(), order.end()}};
}

bool AccessLayouts::isContiguous(const MemoryAccess &access) const {
  int64_t bytes = getPointeeBytes(access.ptr.getType());
  AxisInfo info = axes.get(access.ptr);
  for (auto [dim, facts] : llvm::enumerate(info.getDims())) {
    int64_t step = std::abs(steps.get(access.ptr, dim));
    if (facts.contiguity > 1 || (step > 0 && step < kSectorBytes / bytes))
      return true;
  }
  return false;
}

bool AccessLayouts::hasNearestDim(const MemoryAccess &access) const {
  if (isContiguous(access))
    return true;
  SmallVector<int64_t> moving;
  for (int32_t dim : getOrder(access))
    if (int64_t step = std::abs(steps.get(access.ptr, dim)))
      moving.push_back(step);
  int64_t bytes = getPointeeBytes(access.ptr.getType());
  return moving.size() > 1 && moving[0] < moving[1] &&
         StrideEstimate::getLeast(moving[0]) < kSectorBytes / bytes;
}

LinearAttr AccessLayouts::getCoalesced(const MemoryAccess &access) const {
  auto it = vectors.find(getGroup(access));
  return getCoalesced(access, it == vectors.end() ? 1 : it->second);
}

LinearAttr AccessLayouts::getCoalescedAlone(const MemoryAccess &access) const {
  return getCoalesced(access, getVectorSize(access));
}

LinearAttr AccessLayouts::getCoalesced(const MemoryAccess &access,
                                       int64_t vector) const {
  SmallVector<int32_t> order = getOrder(access);
  Type element = getElementTypeOrSelf(tile::getPointeeType(access.getType()));
  return LinearAttr::get(
      access.ptr.getContext(),
      preferScan(coalescedLayout(access.getType().getShape(), vector, numWarps,
                                 order,
                                 isContiguous(access) ? WarpOffsets::Fastest
                                                      : WarpOffsets::Balanced),
                 order, warp::getElementBytes(element)));
}

/// Sorts the bits of the scanned dimension: the lowest are in registers, the
/// next ones in lanes, the highest in warps. A scan then combines neighbours
/// within a thread first, then lanes, then warps. The access stays coalesced,
/// as adjacent threads still cover whole sectors along the fastest dimension.
LinearLayout AccessLayouts::preferScan(const LinearLayout &layout,
                                       ArrayRef<int32_t> order,
                                       int64_t elementBytes) const {
  auto scan = scans.find(ArrayRef(layout.getShape()).vec());
  if (scan == scans.end() || scan->second == unsigned(order.front()))
    return layout;
  const LayoutAxis fastest = dimAxis(order.front());
  const LayoutAxis along = dimAxis(scan->second);
  int64_t contiguousBytes = elementBytes;
  for (LayoutAxis axis : {LayoutAxis::Register, LayoutAxis::Lane})
    for (unsigned bit = 0; bit < layout.getInBits(axis); ++bit)
      contiguousBytes <<= layout.getBasis(axis, bit, fastest) != 0;
  if (contiguousBytes < kSectorBytes)
    return layout;
  SmallVector<uint64_t> columns(layout.getColumns());
  SmallVector<uint64_t *> scanned;
  unsigned position = 0;
  for (const Extent &in : layout.getIns())
    for (unsigned bit = 0; bit < in.bits; ++bit, ++position)
      if (layout.getBasis(in.axis, bit, along) != 0)
        scanned.push_back(&columns[position]);
  // Columns of higher index bits are larger. The input axes are in the order
  // register, lane, warp already.
  SmallVector<uint64_t> sorted;
  for (uint64_t *column : scanned)
    sorted.push_back(*column);
  llvm::sort(sorted);
  for (auto [column, value] : llvm::zip(scanned, sorted))
    *column = value;
  return LinearLayout(layout.getIns(), layout.getOuts(), columns);
}

LinearAttr AccessLayouts::getBlock(RankedTensorType type) const {
  SmallVector<int32_t> order(type.getRank());
  std::iota(order.rbegin(), order.rend(), 0);
  int64_t threads = numWarps << kLaneBits;
  int64_t share = std::max<int64_t>(type.getNumElements() / threads, 1);
  int64_t vector =
      std::min<int64_t>({8 * kWidestBytes / type.getElementTypeBitWidth(),
                         share, type.getShape().back()});
  return LinearAttr::get(
      type.getContext(),
      coalescedLayout(type.getShape(), vector, numWarps, order));
}

LinearAttr AccessLayouts::getDefault(RankedTensorType type) const {
  SmallVector<int32_t> order(type.getRank());
  std::iota(order.rbegin(), order.rend(), 0);
  return LinearAttr::get(type.getContext(),
                         coalescedLayout(type.getShape(), /*vector=*/1,
                                         numWarps, order,
                                         WarpOffsets::Balanced));
}

int64_t AccessLayouts::countSectors(const MemoryAccess &access,
                                    const LinearLayout &layout) const {
  unsigned fastest = getOrder(access).front();
  int64_t step = axes.get(access.ptr)[fastest].contiguity > 1
                     ? 1
                     : getStep(access, fastest);
  int64_t bytes = getPointeeBytes(access.ptr.getType());
  // Elements that differ only in these bits of their index share a sector.
  uint64_t perSector = 1;
  while (perSector * 2 * step * bytes <= kSectorBytes)
    perSector *= 2;
  f2::Subspace lanes, registers;
  for (uint64_t column : layout.getColumns(LayoutAxis::Lane)) {
    SmallVector<Coordinate> coords = layout.unflattenOut(column);
    for (Coordinate &coord : coords)
      if (coord.axis == dimAxis(fastest))
        coord.value &= ~(perSector - 1);
    lanes.insert(layout.flattenOut(coords));
  }
  for (uint64_t column : layout.getColumns(LayoutAxis::Register))
    registers.insert(column);
  return (int64_t(1) << (lanes.dimension() + registers.dimension())) /
         getVectorSize(access);
}

bool AccessLayouts::isGoodEnough(const MemoryAccess &access,
                                 LinearAttr layout) const {
  // Minimum cost of an exchange through shared memory with its barriers, in
  // sectors that are written in the same time.
  constexpr int64_t kExchange = 256;
  LayoutAxis fastest = dimAxis(getOrder(access).front());
  if (layout.getLayout().getNumConsecutive(LayoutAxis::Register, fastest) <
      getVectorSize(access))
    return false;
  int64_t least = countSectors(access, getCoalesced(access).getLayout());
  int64_t sectors = countSectors(access, layout.getLayout());
  return sectors < 4 * least || (sectors - least) * numWarps < kExchange;
}
