#include "lib/Analysis/Memory/TmaStorePlan.h"

#include "lib/Layout/TileLayouts.h"
#include "lib/Layout/WgmmaTiling.h"

#include "llvm/Support/MathExtras.h"

#include <functional>
#include <numeric>

using namespace mlir;
using namespace tilewright;

static constexpr unsigned kWarpgroupBits = llvm::ConstantLog2<kWarpsPerGroup>();

/// The bits of the offset that the warpgroup number alone decides. Empty if
/// that number has any other effect.
static SmallVector<unsigned> findPartBits(const LinearLayout &offsets) {
  ArrayRef<uint64_t> warps = offsets.getColumns(LayoutAxis::Warp);
  if (warps.size() <= kWarpgroupBits)
    return {};
  uint64_t others = 0;
  for (LayoutAxis axis : {LayoutAxis::Register, LayoutAxis::Lane})
    for (uint64_t column : offsets.getColumns(axis))
      others |= column;
  for (uint64_t column : warps.take_front(kWarpgroupBits))
    others |= column;
  SmallVector<unsigned> bits;
  for (uint64_t column : warps.drop_front(kWarpgroupBits)) {
    if (!llvm::isPowerOf2_64(column) || (column & others))
      return {};
    bits.push_back(llvm::Log2_64(column));
    others |= column;
  }
  return bits;
}

/// The layout with some bits of the offset moved above the others.
static LinearLayout moveToTop(const LinearLayout &memory,
                              ArrayRef<unsigned> bits) {
  SmallVector<uint64_t> columns;
  for (auto [bit, column] : llvm::enumerate(memory.getColumns()))
    if (!llvm::is_contained(bits, bit))
      columns.push_back(column);
  for (unsigned bit : bits)
    columns.push_back(memory.getColumns()[bit]);
  return LinearLayout(memory.getIns(), memory.getOuts(), columns);
}

static int64_t countElements(ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

/// Whether a box is consecutive in shared memory.
static bool isConsecutive(const LinearLayout &memory, ArrayRef<int64_t> box) {
  for (unsigned bit = 0, e = llvm::Log2_64(countElements(box)); bit < e; ++bit)
    for (auto [coord, extent] :
         llvm::zip_equal(memory.getBasis(LayoutAxis::Offset, bit), box))
      if (coord >= extent)
        return false;
  return true;
}

/// Makes the parts consecutive in memory and cuts the boxes to fit inside a
/// part, if such boxes are consecutive.
static void splitIntoParts(TmaStorePlan &plan, ArrayRef<unsigned> bits) {
  SmallVector<int64_t> box = plan.copies.box;
  for (unsigned bit : bits) {
    SmallVector<int64_t> start = plan.memory.getBasis(LayoutAxis::Offset, bit);
    for (auto [coord, extent] : llvm::zip_equal(start, box))
      if (coord != 0)
        extent = std::min(extent, coord);
    plan.partStarts.push_back(std::move(start));
  }
  LinearLayout memory = moveToTop(plan.memory, bits);
  if (!isConsecutive(memory, box)) {
    plan.partStarts.clear();
    return;
  }
  plan.memory = memory;
  plan.copies.box = box;
}

/// Whether the register number alone decides in which round an element of a
/// part of 2^partBits elements is stored.
static bool areRoundsInRegisters(const LinearLayout &offsets,
                                 unsigned offsetBits, unsigned partBits) {
  uint64_t part = (uint64_t(1) << partBits) - 1;
  for (LayoutAxis axis : {LayoutAxis::Lane, LayoutAxis::Warp})
    for (uint64_t column : offsets.getColumns(axis))
      if ((column & part) >> offsetBits)
        return false;
  return true;
}

/// A round is a panel: all rows of the part, with the width of a box.
static void chooseRounds(TmaStorePlan &plan, const LinearLayout &layout,
                         int64_t elementBytes) {
  unsigned partBits = layout.getTotalOutBits() - plan.partStarts.size();
  int64_t width = layout.getShape().back();
  for (ArrayRef<int64_t> start : plan.partStarts)
    if (start.back() != 0)
      width /= 2;
  plan.offsetBits = partBits - llvm::Log2_64(width / plan.copies.box.back());
  if (!areRoundsInRegisters(layout.then(plan.memory.inverse()), plan.offsetBits,
                            partBits))
    plan.offsetBits = partBits;
  plan.numRounds = 1u << (partBits - plan.offsetBits);
  plan.roundBytes = elementBytes << plan.offsetBits;

  int64_t boxSize = countElements(plan.copies.box);
  plan.copies.boxes.clear();
  for (int64_t offset = 0; offset < int64_t(1) << partBits; offset += boxSize)
    plan.copies.boxes.push_back(
        {plan.memory.getElement({{LayoutAxis::Offset, uint64_t(offset)}}),
         offset * elementBytes});
}

TmaStorePlan TmaStorePlan::get(RankedTensorType type) {
  int64_t bytes = warp::getElementBytes(type.getElementType());
  LinearLayout layout = *warp::getLayout(type);
  TmaStorePlan plan;
  plan.memory = *tmaLayout(type.getShape(), 8 * bytes);
  plan.copies = *planTma(plan.memory, 8 * bytes);
  splitIntoParts(plan, findPartBits(layout.then(plan.memory.inverse())));
  chooseRounds(plan, layout, bytes);
  return plan;
}

warp::SharedType tilewright::getStagingType(MLIRContext *context,
                                            int64_t bytes) {
  auto layout = warp::LinearAttr::get(context, sharedLayout({bytes}, {0}));
  return warp::SharedType::get(context, {bytes}, IntegerType::get(context, 8),
                               layout);
}
