#include "lib/Layout/TileLayouts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>

using namespace tilewright;
using llvm::ArrayRef;
using llvm::Log2_64;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Fitting patterns to tiles
//===----------------------------------------------------------------------===//

/// A tile with one element along each dimension and no input bits.
static LinearLayout emptyTile(unsigned rank, ArrayRef<LayoutAxis> ins) {
  SmallVector<Extent> inExtents, outExtents;
  for (LayoutAxis in : ins)
    inExtents.push_back({in, 0});
  for (unsigned d = rank; d-- > 0;)
    outExtents.push_back({dimAxis(d), 0});
  return LinearLayout(inExtents, outExtents, {});
}

/// Trims the tile to `shape` where it is larger. Positions beyond hold copies.
static LinearLayout trimToShape(const LinearLayout &layout,
                                ArrayRef<int64_t> shape) {
  SmallVector<LinearLayout::AxisBases> bases;
  for (const Extent &in : layout.getIns()) {
    LinearLayout::AxisBases &axis = bases.emplace_back();
    axis.axis = in.axis;
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      SmallVector<int64_t> basis = layout.getBasis(in.axis, bit);
      for (auto [value, size] : llvm::zip_equal(basis, shape))
        value &= size - 1;
      axis.bases.push_back(std::move(basis));
    }
  }
  SmallVector<int64_t> trimmed;
  for (auto [d, size] : llvm::enumerate(shape))
    trimmed.push_back(std::min(size, layout.getOutSize(dimAxis(d))));
  return LinearLayout::fromBases(bases, trimmed);
}

LinearLayout tilewright::fitToShape(const LinearLayout &pattern,
                                    ArrayRef<int64_t> shape,
                                    ArrayRef<int32_t> order) {
  LinearLayout layout =
      trimToShape(pattern, shape).dropRedundantBits(LayoutAxis::Register);
  for (int32_t d : order) {
    unsigned missing = Log2_64(shape[d]) - layout.getOutBits(dimAxis(d));
    layout *= LinearLayout::identity(LayoutAxis::Register, dimAxis(d), missing);
  }
  return layout;
}

//===----------------------------------------------------------------------===//
// Blocked layouts
//===----------------------------------------------------------------------===//

/// Bits of `in` that count elements of a rectangle, dimension order[0] first.
static LinearLayout rectangle(LayoutAxis in, ArrayRef<int64_t> sizes,
                              ArrayRef<int32_t> order) {
  LinearLayout layout;
  for (int32_t d : order)
    layout *= LinearLayout::identity(in, dimAxis(d), Log2_64(sizes[d]));
  return layout;
}

LinearLayout tilewright::blockedLayout(ArrayRef<int64_t> shape,
                                       const BlockedParams &params) {
  constexpr LayoutAxis axes[] = {LayoutAxis::Register, LayoutAxis::Lane,
                                 LayoutAxis::Warp, LayoutAxis::Block};
  LinearLayout pattern =
      emptyTile(shape.size(), axes) *
      rectangle(LayoutAxis::Register, params.sizePerThread, params.order) *
      rectangle(LayoutAxis::Lane, params.threadsPerWarp, params.order) *
      rectangle(LayoutAxis::Warp, params.warpsPerBlock, params.order);
  return fitToShape(pattern, shape, params.order);
}

LinearLayout tilewright::coalescedLayout(ArrayRef<int64_t> shape,
                                         int64_t vector, int64_t numWarps,
                                         ArrayRef<int32_t> order,
                                         WarpOffsets offsets) {
  BlockedParams params;
  params.order.assign(order.begin(), order.end());
  params.sizePerThread.assign(shape.size(), 1);
  SmallVector<int64_t> room(shape);
  // Distributes `count` positions over the dimensions in order. The rest
  // extends the slowest dimension and makes copies.
  auto take = [&](int64_t count) {
    SmallVector<int64_t> sizes(shape.size(), 1);
    for (int32_t d : order) {
      sizes[d] = std::min(room[d], count);
      room[d] /= sizes[d];
      count /= sizes[d];
    }
    if (!order.empty())
      sizes[order.back()] *= count;
    return sizes;
  };
  if (!order.empty()) {
    int64_t &fastest = params.sizePerThread[order[0]];
    fastest = std::min(vector, shape[order[0]]);
    room[order[0]] /= fastest;
  }
  params.threadsPerWarp = take(int64_t(1) << kLaneBits);
  SmallVector<int64_t> halved(shape.size(), 1);
  if (offsets == WarpOffsets::Balanced)
    for (; numWarps > 1; numWarps /= 2) {
      int32_t most = *llvm::max_element(
          order, [&](int32_t a, int32_t b) { return room[a] < room[b]; });
      if (room[most] == 1)
        break;
      room[most] /= 2;
      halved[most] *= 2;
    }
  params.warpsPerBlock = take(numWarps);
  for (auto [size, more] : llvm::zip(params.warpsPerBlock, halved))
    size *= more;
  return blockedLayout(shape, params);
}

//===----------------------------------------------------------------------===//
// Tensor cores
//===----------------------------------------------------------------------===//

static LinearLayout matrixAtom(MmaOperand operand, unsigned elementBits) {
  constexpr LayoutAxis axes[] = {LayoutAxis::Register, LayoutAxis::Lane,
                                 LayoutAxis::Warp, LayoutAxis::Block};
  const LinearLayout empty = emptyTile(2, axes);
  auto run = [](LayoutAxis in, unsigned dim, unsigned bits) {
    return LinearLayout::identity(in, dimAxis(dim), bits);
  };
  // Lane = 4 * group + thread in group, in the terms of the PTX ISA.
  constexpr unsigned groupBits = 3, threadBits = 2;
  if (operand == MmaOperand::Accumulator)
    return empty * run(LayoutAxis::Register, 1, 1) *
           run(LayoutAxis::Lane, 1, threadBits) *
           run(LayoutAxis::Lane, 0, groupBits) *
           run(LayoutAxis::Register, 0, 1);
  // Along k: the elements of one 32-bit register, then four threads, then the
  // upper half of k in further registers.
  unsigned packed = Log2_64(32 / elementBits);
  if (operand == MmaOperand::A)
    return empty * run(LayoutAxis::Register, 1, packed) *
           run(LayoutAxis::Lane, 1, threadBits) *
           run(LayoutAxis::Lane, 0, groupBits) *
           run(LayoutAxis::Register, 0, 1) * run(LayoutAxis::Register, 1, 1);
  return empty * run(LayoutAxis::Register, 0, packed) *
         run(LayoutAxis::Lane, 0, threadBits) *
         run(LayoutAxis::Lane, 1, groupBits) * run(LayoutAxis::Register, 0, 1);
}

LinearLayout tilewright::mmaAtom(MmaOperand operand, unsigned elementBits,
                                 unsigned rank) {
  LinearLayout atom = matrixAtom(operand, elementBits);
  return rank == 3 ? atom.expandDim(0) : atom;
}

LinearLayout tilewright::mmaLayout(MmaOperand operand, unsigned elementBits,
                                   ArrayRef<int64_t> shape,
                                   ArrayRef<int64_t> warpsPerBlock) {
  const unsigned rank = shape.size(), row = rank - 2, column = rank - 1;
  auto warps = [&](unsigned dim, bool shared) {
    unsigned bits = Log2_64(warpsPerBlock[dim]);
    return shared
               ? LinearLayout::zeros(LayoutAxis::Warp, dimAxis(dim), bits)
               : LinearLayout::identity(LayoutAxis::Warp, dimAxis(dim), bits);
  };
  LinearLayout pattern = mmaAtom(operand, elementBits, rank) *
                         warps(column, operand == MmaOperand::A) *
                         warps(row, operand == MmaOperand::B);
  SmallVector<int32_t> order = {int32_t(column), int32_t(row)};
  // Operands repeat along k first, the order in which they are consumed.
  if (operand == MmaOperand::B)
    std::swap(order[0], order[1]);
  if (rank == 3) {
    pattern *= warps(0, /*shared=*/false);
    order.push_back(0);
  }
  return fitToShape(pattern, shape, order);
}

LinearLayout tilewright::threadOperandLayout(MmaOperand operand,
                                             const LinearLayout &accumulator,
                                             int64_t contractedSize) {
  assert(operand != MmaOperand::Accumulator && "an operand, A or B");
  unsigned contracted =
      accumulator.getRank() - (operand == MmaOperand::A ? 1 : 2);
  LinearLayout held = accumulator.sliceDim(contracted)
                          .expandDim(contracted)
                          .dropRedundantBits(LayoutAxis::Register);
  // k is in the lowest registers, in the order in which the loop consumes it.
  return LinearLayout::identity(LayoutAxis::Register, dimAxis(contracted),
                                Log2_64(contractedSize)) *
         held;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

LinearLayout tilewright::sharedLayout(ArrayRef<int64_t> shape,
                                      ArrayRef<int32_t> order) {
  return emptyTile(shape.size(), {LayoutAxis::Offset}) *
         rectangle(LayoutAxis::Offset, shape, order);
}

LinearLayout tilewright::swizzledSharedLayout(ArrayRef<int64_t> shape,
                                              ArrayRef<int32_t> order,
                                              SwizzleParams params) {
  LinearLayout plain = sharedLayout(shape, order);
  if (order.size() < 2)
    return plain;
  LinearLayout::AxisBases bases{LayoutAxis::Offset, {}};
  for (unsigned bit = 0; bit < plain.getTotalInBits(); ++bit) {
    SmallVector<int64_t> basis = plain.getBasis(LayoutAxis::Offset, bit);
    int64_t phase = basis[order[1]] / params.rowsPerPhase % params.phases;
    basis[order[0]] ^= phase * params.vector % shape[order[0]];
    bases.bases.push_back(std::move(basis));
  }
  return LinearLayout::fromBases({bases}, shape);
}

LinearLayout tilewright::panelSharedLayout(ArrayRef<int64_t> shape,
                                           ArrayRef<int32_t> order,
                                           unsigned elementBits,
                                           int64_t swizzleBytes) {
  int64_t chunk = 16 * 8 / elementBits;
  int64_t rowElements = swizzleBytes * 8 / elementBits;
  SmallVector<int64_t> panel(shape);
  panel[order[0]] = std::min(shape[order[0]], rowElements);
  SwizzleParams params{chunk, 128 / swizzleBytes, swizzleBytes / 16};
  LinearLayout layout = swizzledSharedLayout(panel, order, params);
  unsigned panels = Log2_64(shape[order[0]] / panel[order[0]]);
  return layout *
         LinearLayout::identity(LayoutAxis::Offset, dimAxis(order[0]), panels);
}
