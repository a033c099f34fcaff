#include "lib/Analysis/Layout/BlockDecomposition.h"

#include "lib/Analysis/Mma/DotLayouts.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

/// Shorter segments would leave threads without elements.
static constexpr int64_t kLeastSegment = 16;
/// Rows that one `wgmma` of a warpgroup computes.
static constexpr int64_t kWarpgroupRows = 64;
/// Bits along the contracted dimension that one tensor-core instruction takes.
static constexpr int64_t kContractedBits = 256;

SmallVector<int64_t> Piece::getShape() const {
  return llvm::map_to_vector(segments, [](const Segment &s) { return s.size; });
}

bool Piece::isPadded() const {
  return llvm::any_of(segments, [](const Segment &s) { return s.isPadded(); });
}

bool tilewright::needsCut(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && llvm::any_of(tile.getShape(), [](int64_t extent) {
           return !llvm::isPowerOf2_64(extent);
         });
}

//===----------------------------------------------------------------------===//
// Requirements of dots
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
    wgmmaColumns.insert(
        cast<RankedTensorType>(dot.getType()).getShape().back());
}

void BlockCut::require(int64_t extent, int64_t size) {
  int64_t &known = least.try_emplace(extent, kLeastSegment).first->second;
  known = std::max(known, size);
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

namespace {
/// The cheapest cut of the rest of a dimension.
struct CutPlan {
  SmallVector<int64_t> sizes;
  int64_t cost;
};
} // namespace

/// Cuts off the largest power of two repeatedly, while the padding that this
/// saves is worth the instructions of another piece. A piece costs as much as
/// `perPiece` elements. No segment is smaller than `least`.
static CutPlan planCut(int64_t extent, int64_t least, int64_t perPiece) {
  const int64_t whole = llvm::PowerOf2Ceil(extent), first = whole / 2;
  CutPlan uncut{{whole}, whole};
  if (whole == extent || first < least)
    return uncut;
  const int64_t left = extent - first;
  CutPlan rest =
      left < least ? CutPlan{{least}, least} : planCut(left, least, perPiece);
  const int64_t cost = first + perPiece + rest.cost;
  if (cost >= whole)
    return uncut;
  rest.sizes.insert(rest.sizes.begin(), first);
  return {std::move(rest.sizes), cost};
}

SmallVector<Segment> BlockCut::getSegments(int64_t extent) const {
  auto known = least.find(extent);
  const int64_t leastSize =
      known == least.end() ? kLeastSegment : known->second;
  // One instruction computes the columns of adjacent pieces.
  const int64_t perPiece =
      wgmmaColumns.contains(extent)
          ? kLeastSegment / 4
          : std::max<int64_t>(kLeastSegment / 2, extent / 16);
  SmallVector<Segment> segments;
  int64_t start = 0;
  for (int64_t size : planCut(extent, leastSize, perPiece).sizes) {
    segments.push_back({start, size, std::min(size, extent - start)});
    start += size;
  }
  return segments;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

SmallVector<Piece> BlockCut::getPieces(ArrayRef<int64_t> shape) const {
  SmallVector<Piece> pieces(1);
  for (int64_t extent : shape) {
    SmallVector<Segment> segments = getSegments(extent);
    SmallVector<Piece> longer;
    for (const Piece &piece : pieces)
      for (auto [index, segment] : llvm::enumerate(segments)) {
        longer.push_back(piece);
        longer.back().segments.push_back(segment);
        longer.back().indices.push_back(index);
      }
    pieces = std::move(longer);
  }
  return pieces;
}

size_t BlockCut::getNumber(ArrayRef<int64_t> shape,
                           ArrayRef<size_t> indices) const {
  size_t number = 0;
  for (auto [extent, index] : llvm::zip(shape, indices))
    number = number * getSegments(extent).size() + index;
  return number;
}

int64_t BlockCut::countPaddedElements(Type tile) const {
  int64_t count = 1;
  for (int64_t extent : cast<RankedTensorType>(tile).getShape()) {
    Segment last = getSegments(extent).back();
    count *= last.start + last.size;
  }
  return count;
}
