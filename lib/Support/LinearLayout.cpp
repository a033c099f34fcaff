#include "lib/Support/LinearLayout.h"

#include "lib/Support/F2.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cassert>
#include <map>

using namespace tilewright;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Extents and flat indices
//===----------------------------------------------------------------------===//

static unsigned totalBits(ArrayRef<Extent> extents) {
  unsigned bits = 0;
  for (const Extent &extent : extents)
    bits += extent.bits;
  return bits;
}

static const Extent *findExtent(ArrayRef<Extent> extents, LayoutAxis axis) {
  const Extent *it = llvm::find_if(
      extents, [axis](const Extent &extent) { return extent.axis == axis; });
  return it == extents.end() ? nullptr : it;
}

/// The lowest bit of `axis` in a flat index.
static unsigned position(ArrayRef<Extent> extents, LayoutAxis axis) {
  unsigned bit = 0;
  for (const Extent &extent : extents) {
    if (extent.axis == axis)
      break;
    bit += extent.bits;
  }
  return bit;
}

static uint64_t lowMask(unsigned bits) {
  return llvm::maskTrailingOnes<uint64_t>(bits);
}

static uint64_t extract(uint64_t flat, ArrayRef<Extent> extents,
                        LayoutAxis axis) {
  const Extent *extent = findExtent(extents, axis);
  if (!extent || !extent->bits)
    return 0;
  return flat >> position(extents, axis) & lowMask(extent->bits);
}

static SmallVector<Coordinate> unflatten(uint64_t flat,
                                         ArrayRef<Extent> extents) {
  SmallVector<Coordinate> result;
  for (const Extent &extent : extents)
    result.push_back({extent.axis, extract(flat, extents, extent.axis)});
  return result;
}

static uint64_t flatten(ArrayRef<Coordinate> coordinates,
                        ArrayRef<Extent> extents) {
  uint64_t flat = 0;
  for (const Coordinate &c : coordinates) {
    if (!c.value)
      continue;
    assert(findExtent(extents, c.axis) && "no such axis");
    flat ^= c.value << position(extents, c.axis);
  }
  return flat;
}

static bool axisOrder(const Extent &a, const Extent &b) {
  return a.axis < b.axis;
}

/// The extents with `merge(bits, bits)` bits where both have the axis.
template <typename Fn>
static SmallVector<Extent, 4> mergeExtents(ArrayRef<Extent> a,
                                           ArrayRef<Extent> b, Fn merge) {
  std::map<LayoutAxis, unsigned> bits;
  for (const Extent &extent : a)
    bits[extent.axis] = extent.bits;
  for (const Extent &extent : b) {
    auto [it, inserted] = bits.try_emplace(extent.axis, extent.bits);
    if (!inserted)
      it->second = merge(it->second, extent.bits);
  }
  SmallVector<Extent, 4> result;
  for (auto [axis, count] : bits)
    result.push_back({axis, count});
  return result;
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

LinearLayout::LinearLayout(ArrayRef<Extent> inExtents,
                           ArrayRef<Extent> outExtents,
                           ArrayRef<uint64_t> inColumns)
    : ins(inExtents), outs(outExtents) {
  assert(inColumns.size() == totalBits(ins) && "one column for each input bit");
  assert(totalBits(outs) <= 64 && totalBits(ins) <= 64 && "too many bits");
  llvm::sort(ins, axisOrder);
  llvm::sort(outs, axisOrder);
  columns.resize(inColumns.size());
  unsigned from = 0;
  for (const Extent &extent : inExtents) {
    unsigned to = position(ins, extent.axis);
    for (unsigned i = 0; i < extent.bits; ++i, ++from)
      columns[to + i] = flatten(unflatten(inColumns[from], outExtents), outs);
  }
}

LinearLayout LinearLayout::fromBases(ArrayRef<AxisBases> bases,
                                     ArrayRef<int64_t> shape) {
  SmallVector<Extent> outs;
  for (auto [d, size] : llvm::enumerate(shape)) {
    assert(llvm::isPowerOf2_64(size) && "a layout covers a power-of-two tile");
    outs.push_back({dimAxis(d), llvm::Log2_64(size)});
  }
  llvm::sort(outs, axisOrder);
  SmallVector<Extent> ins;
  SmallVector<uint64_t> columns;
  for (const AxisBases &axis : bases) {
    ins.push_back({axis.axis, unsigned(axis.bases.size())});
    for (ArrayRef<int64_t> basis : axis.bases) {
      assert(basis.size() == shape.size() && "one value for each dimension");
      SmallVector<Coordinate> coordinates;
      for (auto [d, value] : llvm::enumerate(basis))
        coordinates.push_back({dimAxis(d), uint64_t(value)});
      columns.push_back(flatten(coordinates, outs));
    }
  }
  return LinearLayout(ins, outs, columns);
}

LinearLayout LinearLayout::identity(LayoutAxis in, LayoutAxis out,
                                    unsigned bits) {
  return strided(in, out, bits, /*shift=*/0);
}

LinearLayout LinearLayout::strided(LayoutAxis in, LayoutAxis out, unsigned bits,
                                   unsigned shift) {
  SmallVector<uint64_t> columns;
  for (unsigned i = 0; i < bits; ++i)
    columns.push_back(uint64_t(1) << (i + shift));
  return LinearLayout({{in, bits}}, {{out, bits + shift}}, columns);
}

LinearLayout LinearLayout::zeros(LayoutAxis in, LayoutAxis out, unsigned bits,
                                 unsigned outBits) {
  return LinearLayout({{in, bits}}, {{out, outBits}},
                      SmallVector<uint64_t>(bits, 0));
}

//===----------------------------------------------------------------------===//
// Axes and bases
//===----------------------------------------------------------------------===//

bool LinearLayout::hasIn(LayoutAxis axis) const {
  return findExtent(ins, axis);
}
bool LinearLayout::hasOut(LayoutAxis axis) const {
  return findExtent(outs, axis);
}

unsigned LinearLayout::getInBits(LayoutAxis axis) const {
  const Extent *extent = findExtent(ins, axis);
  return extent ? extent->bits : 0;
}

unsigned LinearLayout::getOutBits(LayoutAxis axis) const {
  const Extent *extent = findExtent(outs, axis);
  return extent ? extent->bits : 0;
}

unsigned LinearLayout::getTotalOutBits() const { return totalBits(outs); }

unsigned LinearLayout::getRank() const {
  return llvm::count_if(outs,
                        [](const Extent &e) { return isDimAxis(e.axis); });
}

SmallVector<int64_t> LinearLayout::getShape() const {
  SmallVector<int64_t> shape;
  for (unsigned d = 0, rank = getRank(); d < rank; ++d)
    shape.push_back(getOutSize(dimAxis(d)));
  return shape;
}

ArrayRef<uint64_t> LinearLayout::getColumns(LayoutAxis in) const {
  return ArrayRef(columns).slice(position(ins, in), getInBits(in));
}

uint64_t LinearLayout::getBasis(LayoutAxis in, unsigned bit,
                                LayoutAxis out) const {
  return extract(getColumns(in)[bit], outs, out);
}

SmallVector<int64_t> LinearLayout::getBasis(LayoutAxis in, unsigned bit) const {
  SmallVector<int64_t> basis;
  for (unsigned d = 0, rank = getRank(); d < rank; ++d)
    basis.push_back(getBasis(in, bit, dimAxis(d)));
  return basis;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

uint64_t LinearLayout::applyFlat(uint64_t in) const {
  uint64_t out = 0;
  for (auto [i, column] : llvm::enumerate(columns))
    if (in >> i & 1)
      out ^= column;
  return out;
}

SmallVector<Coordinate> LinearLayout::apply(ArrayRef<Coordinate> in) const {
  return unflattenOut(applyFlat(flattenIn(in)));
}

SmallVector<int64_t> LinearLayout::getElement(ArrayRef<Coordinate> in) const {
  uint64_t flat = applyFlat(flattenIn(in));
  SmallVector<int64_t> element;
  for (unsigned d = 0, rank = getRank(); d < rank; ++d)
    element.push_back(extract(flat, outs, dimAxis(d)));
  return element;
}

uint64_t LinearLayout::flattenIn(ArrayRef<Coordinate> in) const {
  return flatten(in, ins);
}
uint64_t LinearLayout::flattenOut(ArrayRef<Coordinate> out) const {
  return flatten(out, outs);
}
SmallVector<Coordinate> LinearLayout::unflattenIn(uint64_t in) const {
  return unflatten(in, ins);
}
SmallVector<Coordinate> LinearLayout::unflattenOut(uint64_t out) const {
  return unflatten(out, outs);
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

unsigned LinearLayout::getRankOfMatrix() const {
  return f2::Subspace(columns).dimension();
}

SmallVector<Coordinate> LinearLayout::getFreeBits() const {
  return unflattenIn(f2::Solver(columns).getDependentColumns());
}

uint64_t LinearLayout::getFreeBits(LayoutAxis in) const {
  return extract(f2::Solver(columns).getDependentColumns(), ins, in);
}

int64_t LinearLayout::getNumConsecutive(LayoutAxis in, LayoutAxis out) const {
  ArrayRef<uint64_t> bases = getColumns(in);
  unsigned count = 0, first = position(outs, out), bits = getOutBits(out);
  while (count < bits && count < bases.size() &&
         bases[count] == uint64_t(1) << (first + count))
    ++count;
  return int64_t(1) << count;
}

//===----------------------------------------------------------------------===//
// Algebra
//===----------------------------------------------------------------------===//

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
    std::optional<uint64_t> place = solver.solve(uint64_t(1) << i);
    assert(place && "only a surjective layout has a right inverse");
    result.push_back(place.value_or(0));
  }
  return LinearLayout(outs, ins, result);
}

LinearLayout LinearLayout::invertAndCompose(const LinearLayout &source) const {
  assert(outs == source.outs && "layouts of the same tile");
  f2::Solver solver(source.columns);
  SmallVector<uint64_t> result;
  for (auto [i, column] : llvm::enumerate(columns)) {
    std::optional<uint64_t> place = solver.solve(column);
    assert(place && "the source must be surjective");
    // The place of the same name, where the source has it. Flat indices have
    // the block in the highest bits, so the smallest difference is the nearest.
    uint64_t same = 0;
    for (const Coordinate &c : unflattenIn(uint64_t(1) << i))
      if (c.value < uint64_t(1) << source.getInBits(c.axis))
        same |= source.flattenIn({c});
    result.push_back(solver.getKernel().reduce(place.value_or(0) ^ same) ^
                     same);
  }
  return LinearLayout(ins, source.ins, result);
}

LinearLayout LinearLayout::operator*(const LinearLayout &outer) const {
  auto plus = [](unsigned a, unsigned b) { return a + b; };
  auto newIns = mergeExtents(ins, outer.ins, plus);
  auto newOuts = mergeExtents(outs, outer.outs, plus);
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

/// What `whole` has beyond `part`, or nothing if it has less somewhere.
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
        c.value &= lowMask(findExtent(*restOuts, c.axis)->bits);
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

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::reshape(ArrayRef<int64_t> shape) const {
  assert(getRank() == outs.size() && "only tiles are reshaped");
  SmallVector<Extent> newOuts;
  for (unsigned d = shape.size(); d-- > 0;)
    newOuts.push_back({dimAxis(d), llvm::Log2_64(shape[d])});
  assert(totalBits(newOuts) == totalBits(outs) && "sizes must agree");
  return LinearLayout(ins, newOuts, columns);
}

LinearLayout LinearLayout::transpose(ArrayRef<int32_t> order) const {
  assert(order.size() == getRank() && "one entry for each dimension");
  SmallVector<Extent> newOuts(getOuts());
  for (auto [to, from] : llvm::enumerate(order))
    for (auto [extent, old] : llvm::zip_equal(newOuts, outs))
      if (old.axis == dimAxis(from))
        extent.axis = dimAxis(to);
  return LinearLayout(ins, newOuts, columns);
}

LinearLayout LinearLayout::expandDim(unsigned dim) const {
  SmallVector<Extent> newOuts(getOuts());
  for (Extent &extent : newOuts)
    if (isDimAxis(extent.axis) && getDimIndex(extent.axis) >= dim)
      extent.axis = dimAxis(getDimIndex(extent.axis) + 1);
  // A place for it at the right end of the bits: it has none.
  newOuts.push_back({dimAxis(dim), 0});
  return LinearLayout(ins, newOuts, columns);
}

LinearLayout LinearLayout::sliceDim(unsigned dim) const {
  SmallVector<LayoutAxis> inAxes, outAxes;
  for (const Extent &extent : ins)
    inAxes.push_back(extent.axis);
  for (const Extent &extent : outs)
    if (extent.axis != dimAxis(dim))
      outAxes.push_back(extent.axis);
  LinearLayout projected = sublayout(inAxes, outAxes);
  SmallVector<Extent> newOuts(projected.getOuts());
  for (Extent &extent : newOuts)
    if (isDimAxis(extent.axis) && getDimIndex(extent.axis) > dim)
      extent.axis = dimAxis(getDimIndex(extent.axis) - 1);
  return LinearLayout(ins, newOuts, projected.columns);
}

LinearLayout LinearLayout::broadcastDim(unsigned dim, int64_t size) const {
  assert(getOutBits(dimAxis(dim)) == 0 && "only a size of 1 is stretched");
  return *this *
         identity(LayoutAxis::Register, dimAxis(dim), llvm::Log2_64(size));
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

std::string tilewright::getAxisName(LayoutAxis axis) {
  static constexpr const char *names[] = {"register", "lane", "warp", "block",
                                          "offset"};
  if (isDimAxis(axis))
    return "dim" + std::to_string(getDimIndex(axis));
  return names[unsigned(axis)];
}

llvm::hash_code tilewright::hash_value(const LinearLayout &layout) {
  llvm::hash_code hash =
      llvm::hash_combine_range(layout.columns.begin(), layout.columns.end());
  for (ArrayRef<Extent> extents :
       {ArrayRef<Extent>(layout.ins), ArrayRef<Extent>(layout.outs)})
    for (const Extent &extent : extents)
      hash = llvm::hash_combine(hash, unsigned(extent.axis), extent.bits);
  return hash;
}

void LinearLayout::print(llvm::raw_ostream &os) const {
  os << '{';
  llvm::interleaveComma(ins, os, [&](const Extent &in) {
    os << getAxisName(in.axis) << " = [";
    llvm::interleaveComma(getColumns(in.axis), os, [&](uint64_t column) {
      os << '[';
      llvm::interleaveComma(llvm::reverse(outs), os, [&](const Extent &out) {
        os << extract(column, outs, out.axis);
      });
      os << ']';
    });
    os << ']';
  });
  os << "} -> ";
  bool isTile = getRank() == outs.size();
  llvm::interleave(
      llvm::reverse(outs), os,
      [&](const Extent &out) {
        if (!isTile)
          os << getAxisName(out.axis) << ':';
        os << (int64_t(1) << out.bits);
      },
      "x");
}

std::string LinearLayout::toString() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

llvm::raw_ostream &tilewright::operator<<(llvm::raw_ostream &os,
                                          const LinearLayout &layout) {
  layout.print(os);
  return os;
}
