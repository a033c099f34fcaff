// Linear layouts: which element of a tile lives where.
//
// # The idea
//
// A tile of 2^a x 2^b elements is spread over the registers of the lanes of
// the warps of the blocks of a program, or over the bytes of shared memory.
// Number the registers of a thread, the lanes of a warp, the warps of a block
// from zero and write each number in binary. A layout says which element sits
// at (register, lane, warp, block), and practically every layout that hardware
// or a compiler asks for is a *linear* function of those bits over F2, the
// field of two elements, where addition is `xor`:
//
//     L(x xor y) = L(x) xor L(y)
//
// So a layout is known completely from its value at every single input bit, its
// *bases*. Example: 4 registers, 32 lanes and 2 warps hold a 16 x 16 tile as
//
//     register 1 -> (0, 1)    lane 1 -> (0, 4)    warp 1 -> (8, 0)
//     register 2 -> (0, 2)    lane 2 -> (0, 8)
//                             lane 4 -> (1, 0)
//                             lane 8 -> (2, 0)
//                             lane 16 -> (4, 0)
//
// and register 3 of lane 5 of warp 1 holds (0,1)^(0,2)^(0,4)^(1,0)^(8,0) =
// (9, 7). The form, and the observation that algorithms on layouts are then
// linear algebra, are from "Linear Layouts: Robust Code Generation of Efficient
// Tensor Computation Using F2" (arXiv 2505.23819).
//
// What one wants to know about a layout is a question about a matrix:
//
//     every element is held somewhere          surjective, full row rank
//     no element is held twice                 injective, trivial kernel
//     which threads hold copies                the dependent columns
//     the place that holds an element          a right inverse
//     how to get from layout A to layout B     right inverse of A, after B
//     a slice, a transpose, a reshape          drop, permute, regroup rows
//     a tile of tiles                          the direct sum of two matrices
//     a swizzle of shared memory               off-diagonal ones
//
// # Conventions
//
// A layout maps *input axes* to *output axes*; each is a number of bits long.
// The axes of a tile in registers are Register, Lane, Warp and Block, of a tile
// in memory Offset (in elements) and Block, and the axes of the tile itself are
// dimAxis(0), dimAxis(1), ... There is nothing special about either side:
// inverses map from dimensions to places.
//
// Axes are always kept in one order: Register, Lane, Warp, Block, Offset, and
// then the dimensions from the last to the first. A *flat* index puts the
// first axis of that order into the lowest bits. For the dimensions of a tile
// that is the row-major index, so reshaping is regrouping bits, and two layouts
// are equal exactly if they are the same function on the same axes.
//
// Shapes and numbers of bits come from verified IR: what is asserted here must
// be checked by callers before.
//
// # Tiles that are no power of two
//
// The algebra covers tiles whose sides are powers of two. A block of 192 x 64
// is cut into one of 128 x 64 and one of 64 x 64 before layouts are chosen, and
// each has its own; see lib/Analysis/Layout/BlockDecomposition.h. Nothing here
// knows of that.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tilewright {

/// A named axis. Values between Offset and 255 are the dimensions of a tile,
/// the last dimension first; use dimAxis.
enum class LayoutAxis : uint8_t { Register, Lane, Warp, Block, Offset };

/// The largest rank of a tile: of as many sides of two as a large tile has.
inline constexpr unsigned kMaxLayoutRank = 20;

/// Dimension `index` of a tile.
constexpr LayoutAxis dimAxis(unsigned index) { return LayoutAxis(255 - index); }
constexpr bool isDimAxis(LayoutAxis axis) { return axis > LayoutAxis::Offset; }
constexpr unsigned getDimIndex(LayoutAxis axis) { return 255 - unsigned(axis); }

/// `register`, `lane`, `warp`, `block`, `offset`, `dim0`, ...
std::string getAxisName(LayoutAxis axis);

/// An axis and the number of its bits.
struct Extent {
  LayoutAxis axis;
  unsigned bits;
  bool operator==(const Extent &other) const {
    return axis == other.axis && bits == other.bits;
  }
};

/// A coordinate along an axis.
struct Coordinate {
  LayoutAxis axis;
  uint64_t value;
};

/// A linear map over F2 between products of axes.
class LinearLayout {
public:
  /// The value of each bit of one input axis: bases[bit][d] along dimension d.
  struct AxisBases {
    LayoutAxis axis;
    llvm::SmallVector<llvm::SmallVector<int64_t>> bases;
  };

  /// The layout of nothing: no axes at all. The unit of the product.
  LinearLayout() = default;

  /// From flat columns, one for each input bit. The extents may be in any
  /// order, which is the order of the bits in the columns.
  LinearLayout(llvm::ArrayRef<Extent> ins, llvm::ArrayRef<Extent> outs,
               llvm::ArrayRef<uint64_t> columns);

  /// The layout of a tile of `shape` (powers of two) with the given bases.
  static LinearLayout fromBases(llvm::ArrayRef<AxisBases> bases,
                                llvm::ArrayRef<int64_t> shape);

  /// x -> x, on `bits` bits.
  static LinearLayout identity(LayoutAxis in, LayoutAxis out, unsigned bits);
  /// x -> x << shift.
  static LinearLayout strided(LayoutAxis in, LayoutAxis out, unsigned bits,
                              unsigned shift);
  /// x -> 0: `bits` bits of `in` hold copies of an `out` of 2^outBits elements.
  static LinearLayout zeros(LayoutAxis in, LayoutAxis out, unsigned bits,
                            unsigned outBits = 0);

  // --- Axes and bases -------------------------------------------------------

  llvm::ArrayRef<Extent> getIns() const { return ins; }
  llvm::ArrayRef<Extent> getOuts() const { return outs; }
  bool hasIn(LayoutAxis axis) const;
  bool hasOut(LayoutAxis axis) const;
  /// Zero for an axis that the layout does not have.
  unsigned getInBits(LayoutAxis axis) const;
  unsigned getOutBits(LayoutAxis axis) const;
  int64_t getInSize(LayoutAxis axis) const {
    return int64_t(1) << getInBits(axis);
  }
  int64_t getOutSize(LayoutAxis axis) const {
    return int64_t(1) << getOutBits(axis);
  }
  unsigned getTotalInBits() const { return columns.size(); }
  unsigned getTotalOutBits() const;
  /// The number of dimensions among the output axes, and their sizes.
  unsigned getRank() const;
  llvm::SmallVector<int64_t> getShape() const;

  /// The flat value at every flat input bit.
  llvm::ArrayRef<uint64_t> getColumns() const { return columns; }
  /// The flat values at the bits of one input axis.
  llvm::ArrayRef<uint64_t> getColumns(LayoutAxis in) const;
  /// Along `out`, the value at bit `bit` of `in`.
  uint64_t getBasis(LayoutAxis in, unsigned bit, LayoutAxis out) const;
  /// The same along every dimension: result[d] is along dimension d.
  llvm::SmallVector<int64_t> getBasis(LayoutAxis in, unsigned bit) const;

  // --- Evaluation -----------------------------------------------------------

  uint64_t applyFlat(uint64_t in) const;
  /// Input axes that are not named are zero. The result has every output axis,
  /// in order.
  llvm::SmallVector<Coordinate> apply(llvm::ArrayRef<Coordinate> in) const;
  /// The element at a place: result[d] is its index along dimension d.
  llvm::SmallVector<int64_t> getElement(llvm::ArrayRef<Coordinate> in) const;
  uint64_t flattenIn(llvm::ArrayRef<Coordinate> in) const;
  uint64_t flattenOut(llvm::ArrayRef<Coordinate> out) const;
  llvm::SmallVector<Coordinate> unflattenIn(uint64_t in) const;
  llvm::SmallVector<Coordinate> unflattenOut(uint64_t out) const;

  // --- Properties -----------------------------------------------------------

  unsigned getRankOfMatrix() const;
  bool isSurjective() const { return getRankOfMatrix() == getTotalOutBits(); }
  bool isInjective() const { return getRankOfMatrix() == getTotalInBits(); }
  bool isInvertible() const { return isSurjective() && isInjective(); }
  /// For each input axis the bits that add nothing to the bits before them.
  /// Places where all these bits are zero hold every element that is held at
  /// all, and hold it once; all others hold copies.
  llvm::SmallVector<Coordinate> getFreeBits() const;
  uint64_t getFreeBits(LayoutAxis in) const;
  /// How many bits of an input axis tell elements apart: all but the free ones.
  unsigned countTellingBits(LayoutAxis in) const;
  /// The largest 2^k such that the lowest k bits of `in` count elements one by
  /// one along `out`.
  int64_t getNumConsecutive(LayoutAxis in, LayoutAxis out) const;

  // --- Algebra --------------------------------------------------------------

  /// x -> outer(this(x)). The outputs of this must be the inputs of `outer`;
  /// an axis may be longer there.
  LinearLayout then(const LinearLayout &outer) const;

  /// The inverse of an invertible layout.
  LinearLayout inverse() const;
  /// Of a surjective layout, a right inverse: this(result(y)) = y, with the
  /// free bits (see getFreeBits) of result(y) zero.
  LinearLayout pseudoInverse() const;
  /// For layouts of the same tile, `source` surjective: from each place of this
  /// to a place of `source` that holds the same element. Of several such places
  /// the nearest is taken: same block if possible, then same warp, then same
  /// lane, then same register.
  LinearLayout invertAndCompose(const LinearLayout &source) const;

  /// A tile of tiles, where this lays out the inner tile and `outer` says which
  /// inner tile: bits of `outer` stand above those of this in every axis.
  LinearLayout operator*(const LinearLayout &outer) const;
  LinearLayout &operator*=(const LinearLayout &outer) {
    return *this = *this * outer;
  }
  /// The `outer` with `inner * outer == *this`, if there is one.
  std::optional<LinearLayout> divideByInner(const LinearLayout &inner) const;
  /// The `inner` with `inner * outer == *this`, if there is one.
  std::optional<LinearLayout> divideByOuter(const LinearLayout &outer) const;

  /// Restricted to some input axes (the others being zero) and projected to
  /// some output axes.
  LinearLayout sublayout(llvm::ArrayRef<LayoutAxis> inAxes,
                         llvm::ArrayRef<LayoutAxis> outAxes) const;
  /// Keeps only the bits of input axis `in` that are set in `mask`.
  LinearLayout selectBits(LayoutAxis in, uint64_t mask) const;
  /// Without the bits of `in` that add nothing to the bits of `in` before them:
  /// registers that only hold copies of other registers of the same thread.
  LinearLayout dropRedundantBits(LayoutAxis in) const;

  // --- Shape ----------------------------------------------------------------

  /// The same elements in row-major order as a tile of another shape.
  LinearLayout reshape(llvm::ArrayRef<int64_t> shape) const;
  /// Dimension i of the result is dimension order[i] of this.
  LinearLayout transpose(llvm::ArrayRef<int32_t> order) const;
  /// Inserts a dimension of size 1 before dimension `dim`.
  LinearLayout expandDim(unsigned dim) const;
  /// Projects along `dim`: the layout of the result of reducing it, before
  /// redundant registers are dropped.
  LinearLayout sliceDim(unsigned dim) const;
  /// Stretches a dimension of size 1; each thread holds all its new elements,
  /// in its highest registers.
  LinearLayout broadcastDim(unsigned dim, int64_t size) const;

  bool operator==(const LinearLayout &other) const {
    return ins == other.ins && outs == other.outs && columns == other.columns;
  }
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }
  friend llvm::hash_code hash_value(const LinearLayout &layout);

  /// `{register = [[0, 1], [8, 0]], lane = [...]} -> 16x8`: bases along
  /// dim0, dim1, ... and sizes; other output axes are named.
  void print(llvm::raw_ostream &os) const;
  std::string toString() const;

private:
  llvm::SmallVector<Extent, 4> ins;
  llvm::SmallVector<Extent, 2> outs;
  llvm::SmallVector<uint64_t, 16> columns;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                              const LinearLayout &layout);

} // namespace tilewright
