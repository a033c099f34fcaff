#include "lib/Layout/TmaTiling.h"

#include "lib/Layout/TileLayouts.h"

#include <algorithm>
#include <functional>
#include <numeric>

using namespace tilewright;
using llvm::ArrayRef;
using llvm::SmallVector;

static constexpr int64_t kMaxDim = 256, kChunkBytes = 16;
static constexpr unsigned kMaxSwizzle = 128, kMinSwizzle = 32;

static SmallVector<int32_t> rowMajor(size_t rank) {
  SmallVector<int32_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

static int64_t getRowBytes(ArrayRef<int64_t> shape, unsigned elementBits) {
  return shape.back() * elementBits / 8;
}

/// Whether the rows of a panel are a multiple of the period of a swizzle. The
/// swizzle depends on addresses, so the next panel then starts a new period.
static bool mayBeSwizzled(ArrayRef<int64_t> shape) {
  constexpr int64_t kSwizzledRows = 8;
  return shape.size() == 2 && shape[0] % kSwizzledRows == 0;
}

/// The copies of a matrix in panels with rows of `swizzleBytes`.
static TmaPlan planPanels(ArrayRef<int64_t> shape, unsigned elementBits,
                          unsigned swizzleBytes) {
  int64_t columns = swizzleBytes * 8 / elementBits;
  int64_t rows = std::min(shape[0], kMaxDim);
  TmaPlan plan{swizzleBytes, {rows, columns}, {}};
  for (int64_t column = 0; column < shape[1]; column += columns)
    for (int64_t row = 0; row < shape[0]; row += rows)
      plan.boxes.push_back(
          {{row, column},
           (column / columns * shape[0] + row) * int64_t(swizzleBytes)});
  return plan;
}

/// The copies of a tile in row-major order, split along its outermost dimension
/// that is not 1.
static std::optional<TmaPlan> planRows(ArrayRef<int64_t> shape,
                                       unsigned elementBits) {
  size_t split = 0;
  while (split + 1 < shape.size() && shape[split] == 1)
    ++split;
  TmaPlan plan{0, SmallVector<int64_t>(shape), {}};
  plan.box[split] = std::min(shape[split], kMaxDim);
  if (llvm::any_of(plan.box, [](int64_t extent) { return extent > kMaxDim; }))
    return std::nullopt;
  int64_t boxBytes = std::accumulate(plan.box.begin(), plan.box.end(),
                                     int64_t(1), std::multiplies<>()) *
                     elementBits / 8;
  for (int64_t i = 0; i < shape[split] / plan.box[split]; ++i) {
    SmallVector<int64_t> start(shape.size(), 0);
    start[split] = i * plan.box[split];
    plan.boxes.push_back({start, i * boxBytes});
  }
  return plan;
}

std::optional<TmaPlan> tilewright::planTma(const LinearLayout &layout,
                                           unsigned elementBits) {
  SmallVector<int64_t> shape = layout.getShape();
  if (shape.empty() || getRowBytes(shape, elementBits) % kChunkBytes != 0)
    return std::nullopt;
  SmallVector<int32_t> order = rowMajor(shape.size());
  if (mayBeSwizzled(shape))
    for (unsigned bytes = kMaxSwizzle; bytes >= kMinSwizzle; bytes /= 2)
      if (getRowBytes(shape, elementBits) >= bytes &&
          layout == panelSharedLayout(shape, order, elementBits, bytes))
        return planPanels(shape, elementBits, bytes);
  if (layout == sharedLayout(shape, order))
    return planRows(shape, elementBits);
  return std::nullopt;
}

/// The distance from `a` to `b` along each dimension, then in bytes.
static SmallVector<int64_t> getDistance(const TmaBox &a, const TmaBox &b) {
  SmallVector<int64_t> distance;
  for (auto [from, to] : llvm::zip_equal(a.start, b.start))
    distance.push_back(to - from);
  distance.push_back(b.offsetBytes - a.offsetBytes);
  return distance;
}

/// Whether the boxes, in their order, form parts that are shifted copies of the
/// first part.
static bool hasParts(ArrayRef<TmaBox> boxes, unsigned numParts) {
  if (boxes.size() % numParts != 0)
    return false;
  size_t each = boxes.size() / numParts;
  SmallVector<int64_t> step = getDistance(boxes[0], boxes[each]);
  for (size_t i = each; i < boxes.size(); ++i)
    if (getDistance(boxes[i - each], boxes[i]) != step)
      return false;
  return true;
}

/// Splits each box along its outermost dimension that is not 1. The pieces have
/// to start at aligned addresses and, with a swizzle, at multiples of its 8
/// rows.
static std::optional<TmaPlan>
cutBoxes(const TmaPlan &plan, unsigned elementBits, unsigned numParts) {
  constexpr int64_t kAlignment = 128, kSwizzledRows = 8;
  size_t cut = 0;
  while (cut + 1 < plan.box.size() && plan.box[cut] == 1)
    ++cut;
  int64_t extent = plan.box[cut] / numParts;
  int64_t bytes = std::accumulate(plan.box.begin(), plan.box.end(), int64_t(1),
                                  std::multiplies<>()) *
                  elementBits / 8 / numParts;
  if (extent == 0 || bytes % kAlignment != 0 ||
      (plan.swizzleBytes != 0 && (cut != 0 || extent % kSwizzledRows != 0)))
    return std::nullopt;
  TmaPlan result{plan.swizzleBytes, plan.box, {}};
  result.box[cut] = extent;
  for (unsigned part = 0; part < numParts; ++part)
    for (TmaBox box : plan.boxes) {
      box.start[cut] += part * extent;
      box.offsetBytes += part * bytes;
      result.boxes.push_back(box);
    }
  return result;
}

std::optional<TmaPlan> tilewright::planTma(const LinearLayout &layout,
                                           unsigned elementBits,
                                           unsigned numParts) {
  std::optional<TmaPlan> plan = planTma(layout, elementBits);
  if (!plan || numParts == 1 || hasParts(plan->boxes, numParts))
    return plan;
  return cutBoxes(*plan, elementBits, numParts);
}

std::optional<LinearLayout> tilewright::tmaLayout(ArrayRef<int64_t> shape,
                                                  unsigned elementBits) {
  int64_t rowBytes = getRowBytes(shape, elementBits);
  if (rowBytes % kChunkBytes != 0)
    return std::nullopt;
  SmallVector<int32_t> order = rowMajor(shape.size());
  LinearLayout layout =
      mayBeSwizzled(shape) && rowBytes >= kMinSwizzle
          ? panelSharedLayout(shape, order, elementBits,
                              std::min<int64_t>(rowBytes, kMaxSwizzle))
          : sharedLayout(shape, order);
  return planTma(layout, elementBits) ? std::optional(layout) : std::nullopt;
}
