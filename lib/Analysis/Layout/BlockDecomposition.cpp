#include "lib/Analysis/Layout/BlockDecomposition.h"

#include "lib/Analysis/Mma/DotLayouts.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

/// Shorter segments would leave threads without an element of their own.
static constexpr int64_t kLeastSegment = 16;
/// Rows that one warpgroup multiplies at once.
static constexpr int64_t kWarpgroupRows = 64;
/// Bits along the contracted side that one instruction of tensor cores takes.
static constexpr int64_t kContractedBits = 256;

SmallVector<int64_t> Piece::getShape() const {
  return llvm::map_to_vector(sides, [](const Segment &s) { return s.size; });
}

bool Piece::isPadded() const {
  return llvm::any_of(sides, [](const Segment &s) { return s.isPadded(); });
}

bool tilewright::needsCut(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && llvm::any_of(tile.getShape(), [](int64_t side) {
           return !llvm::isPowerOf2_64(side);
         });
}

//===----------------------------------------------------------------------===//
// What the instructions of products ask for
//===----------------------------------------------------------------------===//

BlockCut::BlockCut(tile::FuncOp func, const NvidiaTarget &target) {
  func.walk([&](tile::DotOp dot) { requireOfDot(dot, target); });
}

void BlockCut::requireOfDot(tile::DotOp dot, const NvidiaTarget &target) {
  auto a = cast<RankedTensorType>(dot.getA().getType());
  const int64_t rows = a.getShape()[a.getRank() - 2];
  require(a.getShape().back(), kContractedBits / a.getElementTypeBitWidth());
  if (!target.hasWgmma() || a.getRank() != 2 || !isTensorCoreDot(dot))
    return;
  if (rows > kWarpgroupRows)
    require(rows, kWarpgroupRows);
  if (rows >= kWarpgroupRows)
    joined.insert(cast<RankedTensorType>(dot.getType()).getShape().back());
}

void BlockCut::require(int64_t side, int64_t size) {
  int64_t &known = least.try_emplace(side, kLeastSegment).first->second;
  known = std::max(known, size);
}

//===----------------------------------------------------------------------===//
// Sides
//===----------------------------------------------------------------------===//

namespace {
/// The cheapest way to cut what is left of a side.
struct CutPlan {
  SmallVector<int64_t> sizes;
  int64_t cost;
};
} // namespace

/// Cuts off the largest power of two, again and again, as long as the places
/// that this saves are worth the instructions of another piece, which count as
/// `perPiece` places. What is left of a side is no less than `least`.
static CutPlan planCut(int64_t side, int64_t least, int64_t perPiece) {
  const int64_t whole = llvm::PowerOf2Ceil(side), first = whole / 2;
  CutPlan uncut{{whole}, whole};
  if (whole == side || first < least)
    return uncut;
  const int64_t left = side - first;
  CutPlan rest =
      left < least ? CutPlan{{least}, least} : planCut(left, least, perPiece);
  const int64_t cost = first + perPiece + rest.cost;
  if (cost >= whole)
    return uncut;
  rest.sizes.insert(rest.sizes.begin(), first);
  return {std::move(rest.sizes), cost};
}

SmallVector<Segment> BlockCut::getSegments(int64_t side) const {
  auto known = least.find(side);
  const int64_t leastSize =
      known == least.end() ? kLeastSegment : known->second;
  // Columns of pieces beside each other are computed by one instruction.
  const int64_t perPiece =
      joined.contains(side) ? kLeastSegment / 4
                            : std::max<int64_t>(kLeastSegment / 2, side / 16);
  SmallVector<Segment> segments;
  int64_t start = 0;
  for (int64_t size : planCut(side, leastSize, perPiece).sizes) {
    segments.push_back({start, size, std::min(size, side - start)});
    start += size;
  }
  return segments;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

SmallVector<Piece> BlockCut::getPieces(ArrayRef<int64_t> shape) const {
  SmallVector<Piece> pieces(1);
  for (int64_t side : shape) {
    SmallVector<Segment> segments = getSegments(side);
    SmallVector<Piece> longer;
    for (const Piece &piece : pieces)
      for (auto [index, segment] : llvm::enumerate(segments)) {
        longer.push_back(piece);
        longer.back().sides.push_back(segment);
        longer.back().place.push_back(index);
      }
    pieces = std::move(longer);
  }
  return pieces;
}

size_t BlockCut::getNumber(ArrayRef<int64_t> shape,
                           ArrayRef<size_t> place) const {
  size_t number = 0;
  for (auto [side, index] : llvm::zip(shape, place))
    number = number * getSegments(side).size() + index;
  return number;
}

int64_t BlockCut::countPlaces(Type tile) const {
  int64_t count = 1;
  for (int64_t side : cast<RankedTensorType>(tile).getShape()) {
    Segment last = getSegments(side).back();
    count *= last.start + last.size;
  }
  return count;
}
