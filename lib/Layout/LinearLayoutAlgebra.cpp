// Composition, inversion, multiplication and division of linear layouts.

#include "lib/Layout/F2.h"
#include "lib/Layout/LayoutExtents.h"
#include "lib/Layout/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace tilewright;
using llvm::ArrayRef;
using llvm::SmallVector;

LinearLayout LinearLayout::then(const LinearLayout &outer) const {
  for ([[maybe_unused]] const Extent &extent : outs)
    assert(extent.bits <= outer.getInBits(extent.axis) &&
           "outputs must be inputs of the outer layout");
  SmallVector<uint64_t> result;
  for (uint64_t column : columns)
    result.push_back(outer.applyFlat(outer.flattenIn(unflattenOut(column))));
  return LinearLayout(ins, outer.outs, result);
}

LinearLayout LinearLayout::inverse() const {
  assert(isInvertible() && "only an invertible layout has an inverse");
  return pseudoInverse();
}

LinearLayout LinearLayout::pseudoInverse() const {
  f2::Solver solver(columns);
  SmallVector<uint64_t> result;
  for (unsigned i = 0, e = getTotalOutBits(); i < e; ++i) {
    std::optional<uint64_t> position = solver.solve(uint64_t(1) << i);
    assert(position && "only a surjective layout has a right inverse");
    result.push_back(position.value_or(0));
  }
  return LinearLayout(outs, ins, result);
}

LinearLayout LinearLayout::invertAndCompose(const LinearLayout &source) const {
  assert(outs == source.outs && "layouts of the same tile");
  f2::Solver solver(source.columns);
  SmallVector<uint64_t> result;
  for (auto [i, column] : llvm::enumerate(columns)) {
    std::optional<uint64_t> position = solver.solve(column);
    assert(position && "the source must be surjective");
    // The same position in the source, if it exists there. Flat indices have
    // the block in the highest bits, so the smallest difference is the nearest
    // one.
    uint64_t same = 0;
    for (const Coordinate &c : unflattenIn(uint64_t(1) << i))
      if (c.value < uint64_t(1) << source.getInBits(c.axis))
        same |= source.flattenIn({c});
    result.push_back(solver.getKernel().reduce(position.value_or(0) ^ same) ^
                     same);
  }
  return LinearLayout(ins, source.ins, result);
}

/// Every axis of `a` and `b`, with the bits of both.
static SmallVector<Extent> addExtents(ArrayRef<Extent> a, ArrayRef<Extent> b) {
  SmallVector<Extent> result(a);
  for (const Extent &extent : b) {
    Extent *it = llvm::find_if(
        result, [&](const Extent &e) { return e.axis >= extent.axis; });
    if (it != result.end() && it->axis == extent.axis)
      it->bits += extent.bits;
    else
      result.insert(it, extent);
  }
  return result;
}

LinearLayout LinearLayout::operator*(const LinearLayout &outer) const {
  SmallVector<Extent> newIns = addExtents(ins, outer.ins);
  SmallVector<Extent> newOuts = addExtents(outs, outer.outs);
  SmallVector<uint64_t> result;
  for (const Extent &extent : newIns) {
    if (hasIn(extent.axis))
      for (uint64_t column : getColumns(extent.axis))
        result.push_back(flatten(unflattenOut(column), newOuts));
    if (!outer.hasIn(extent.axis))
      continue;
    for (uint64_t column : outer.getColumns(extent.axis)) {
      SmallVector<Coordinate> shifted = outer.unflattenOut(column);
      for (Coordinate &c : shifted)
        c.value <<= getOutBits(c.axis);
      result.push_back(flatten(shifted, newOuts));
    }
  }
  return LinearLayout(newIns, newOuts, result);
}

/// The bits of `whole` without those of `part`. Nothing if some axis has fewer.
static std::optional<SmallVector<Extent>> subtract(ArrayRef<Extent> whole,
                                                   ArrayRef<Extent> part) {
  SmallVector<Extent> rest(whole);
  for (const Extent &extent : part) {
    Extent *it = llvm::find_if(
        rest, [&](const Extent &e) { return e.axis == extent.axis; });
    if (it == rest.end() || it->bits < extent.bits)
      return std::nullopt;
    it->bits -= extent.bits;
  }
  return rest;
}

std::optional<LinearLayout>
LinearLayout::divideByInner(const LinearLayout &inner) const {
  auto restIns = subtract(ins, inner.ins);
  auto restOuts = subtract(outs, inner.outs);
  if (!restIns || !restOuts)
    return std::nullopt;
  SmallVector<uint64_t> result;
  for (const Extent &extent : *restIns)
    for (uint64_t column : getColumns(extent.axis).take_back(extent.bits)) {
      SmallVector<Coordinate> value = unflattenOut(column);
      for (Coordinate &c : value)
        c.value >>= inner.getOutBits(c.axis);
      result.push_back(flatten(value, *restOuts));
    }
  LinearLayout outer(*restIns, *restOuts, result);
  if (inner * outer != *this)
    return std::nullopt;
  return outer;
}

std::optional<LinearLayout>
LinearLayout::divideByOuter(const LinearLayout &outer) const {
  auto restIns = subtract(ins, outer.ins);
  auto restOuts = subtract(outs, outer.outs);
  if (!restIns || !restOuts)
    return std::nullopt;
  SmallVector<uint64_t> result;
  for (const Extent &extent : *restIns)
    for (uint64_t column : getColumns(extent.axis).take_front(extent.bits)) {
      SmallVector<Coordinate> value = unflattenOut(column);
      for (Coordinate &c : value)
        c.value &= llvm::maskTrailingOnes<uint64_t>(
            findExtent(*restOuts, c.axis)->bits);
      result.push_back(flatten(value, *restOuts));
    }
  LinearLayout inner(*restIns, *restOuts, result);
  if (inner * outer != *this)
    return std::nullopt;
  return inner;
}

LinearLayout LinearLayout::sublayout(ArrayRef<LayoutAxis> inAxes,
                                     ArrayRef<LayoutAxis> outAxes) const {
  SmallVector<Extent> keptIns, keptOuts;
  for (const Extent &extent : outs)
    if (llvm::is_contained(outAxes, extent.axis))
      keptOuts.push_back(extent);
  SmallVector<uint64_t> result;
  for (const Extent &extent : ins) {
    if (!llvm::is_contained(inAxes, extent.axis))
      continue;
    keptIns.push_back(extent);
    for (uint64_t column : getColumns(extent.axis)) {
      SmallVector<Coordinate> value = unflattenOut(column);
      llvm::erase_if(value, [&](const Coordinate &c) {
        return !findExtent(keptOuts, c.axis);
      });
      result.push_back(flatten(value, keptOuts));
    }
  }
  return LinearLayout(keptIns, keptOuts, result);
}

LinearLayout LinearLayout::selectBits(LayoutAxis in, uint64_t mask) const {
  SmallVector<Extent> newIns(getIns());
  SmallVector<uint64_t> result;
  for (Extent &extent : newIns) {
    ArrayRef<uint64_t> bases = getColumns(extent.axis);
    if (extent.axis != in) {
      llvm::append_range(result, bases);
      continue;
    }
    extent.bits = 0;
    for (auto [i, column] : llvm::enumerate(bases))
      if (mask >> i & 1) {
        result.push_back(column);
        ++extent.bits;
      }
  }
  return LinearLayout(newIns, outs, result);
}

LinearLayout LinearLayout::dropRedundantBits(LayoutAxis in) const {
  return selectBits(in, ~f2::Solver(getColumns(in)).getDependentColumns());
}
