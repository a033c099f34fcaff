#include "lib/Layout/LinearLayout.h"

#include "lib/Layout/F2.h"
#include "lib/Layout/LayoutExtents.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cassert>

using namespace tilewright;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

static bool axisOrder(const Extent &a, const Extent &b) {
  return a.axis < b.axis;
}

LinearLayout::LinearLayout(ArrayRef<Extent> inExtents,
                           ArrayRef<Extent> outExtents,
                           ArrayRef<uint64_t> inColumns)
    : ins(inExtents), outs(outExtents) {
  assert(inColumns.size() == totalBits(ins) && "one column for each input bit");
  assert(totalBits(outs) <= 64 && totalBits(ins) <= 64 && "too many bits");
  llvm::sort(ins, axisOrder);
  llvm::sort(outs, axisOrder);
  if (ArrayRef(ins) == inExtents && ArrayRef(outs) == outExtents) {
    columns.assign(inColumns.begin(), inColumns.end()); // as mostly
    return;
  }
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

unsigned LinearLayout::countTellingBits(LayoutAxis in) const {
  return getInBits(in) - llvm::popcount(getFreeBits(in));
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
  // Appended at the end: an axis without bits has no columns to insert.
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
