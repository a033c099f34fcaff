// Linear layouts: which element of a tile lives where.
//
// # The idea
//
// A tile of 2^a x 2^b elements is spread over registers, lanes, warps and
// blocks, or over the bytes of shared memory. Number registers, lanes and warps
// from zero, and write each number in binary. A layout maps a position
// (register, lane, warp, block) to an element. Practically every layout that
// hardware or a compiler needs is a *linear* function of those bits over F2. In
// F2, the field of two elements, addition is `xor`:
//
//     L(x xor y) = L(x) xor L(y)
//
// So a layout is known completely from its value at every single input bit, its
// *bases*. Example: 4 registers, 32 lanes and 2 warps hold a 16 x 16 tile as
//
//     register 1 -> (0, 1)    register 2 -> (0, 2)
//
//     lane 1 -> (0, 4)    lane 2 -> (0, 8)     lane 4 -> (1, 0)
//     lane 8 -> (2, 0)    lane 16 -> (4, 0)
//
//     warp 1 -> (8, 0)
//
// and register 3 of lane 5 of warp 1 holds (0,1)^(0,2)^(0,4)^(1,0)^(8,0) =
// (9, 7). The form, and the observation that algorithms on layouts are then
// linear algebra, are from "Linear Layouts: Robust Code Generation of Efficient
// Tensor Computation Using F2" (arXiv 2505.23819).
//
// Questions about a layout are questions about a matrix:
//
//     every element is held somewhere          surjective, full row rank
//     no element is held twice                 injective, trivial kernel
//     which threads hold copies                the dependent columns
//
//     the position of an element               a right inverse
//     how to get from layout A to layout B     right inverse of A, after B
//
//     a slice, a transpose, a reshape          drop, permute, regroup rows
//     a tile of tiles                          the direct sum of two matrices
//     a swizzle of shared memory               off-diagonal ones
//
// # Conventions
//
// A layout maps *input axes* to *output axes*. Each axis has a number of bits.
// A tile in registers has the axes Register, Lane, Warp and Block. A tile in
// memory has Offset (in elements) and Block. The axes of the tile itself are
// dimAxis(0), dimAxis(1), ... Inputs and outputs are interchangeable: an
// inverse maps dimensions to positions.
//
// Axes are always in one order: Register, Lane, Warp, Block, Offset, and then
// the dimensions from the last to the first. A *flat* index has the first axis
// of that order in the lowest bits. For the dimensions of a tile that is the
// row-major index, so a reshape regroups bits. Two layouts are equal exactly if
// they are the same function on the same axes.
//
// Shapes and numbers of bits come from verified IR. Callers must check the
// conditions that are asserted here.
//
// # Tiles whose shape is not a power of two
//
// The algebra covers tiles whose dimensions are powers of two. A block of 192 x
// 64 is cut into one of 128 x 64 and one of 64 x 64 before layouts are chosen.
// See lib/Analysis/Layout/BlockDecomposition.h.

#ifndef TILEWRIGHT_LIB_LAYOUT_LINEARLAYOUT_H
#define TILEWRIGHT_LIB_LAYOUT_LINEARLAYOUT_H

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

/// The largest rank of a tile: a large tile whose dimensions are all of size 2.
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

/// A linear map over F2 between input axes and output axes.
class LinearLayout {
public:
  /// The value of each bit of one input axis: bases[bit][d] along dimension d.
  struct AxisBases {
    LayoutAxis axis;
    llvm::SmallVector<llvm::SmallVector<int64_t>> bases;
  };

  /// The empty layout without axes, the unit of multiplication.
  LinearLayout() = default;

  /// From flat columns, one for each input bit. The extents may be in any order
  /// and define the order of bits in the columns.
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
  /// The element at a position: result[d] is its index along dimension d.
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
  /// For each input axis, the bits whose columns depend on those of the bits
  /// before. Positions where all these bits are zero hold each element of the
  /// image once. All other positions hold copies.
  llvm::SmallVector<Coordinate> getFreeBits() const;
  uint64_t getFreeBits(LayoutAxis in) const;
  /// The number of bits of an input axis that are not free.
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
  /// For layouts of the same tile, `source` surjective: maps each position of
  /// this to a position of `source` that holds the same element. Among several
  /// such positions it prefers the same block, then the same warp, the same
  /// lane and the same register.
  LinearLayout invertAndCompose(const LinearLayout &source) const;

  /// A tile of tiles: this is the layout of each inner tile, and `outer` that
  /// of the grid of inner tiles. The bits of `outer` are above those of this in
  /// every axis.
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
  /// Without the bits of `in` whose columns depend on those of the bits of `in`
  /// before: registers that hold copies of other registers of the same thread.
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

#endif // TILEWRIGHT_LIB_LAYOUT_LINEARLAYOUT_H
