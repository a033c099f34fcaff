// The steps of tile-gpu-split-blocks.

#pragma once

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Layout/BlockDecomposition.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tilewright::tile_gpu {

/// A tile becomes its pieces; all else stays as it is.
class PieceConverter : public mlir::TypeConverter {
public:
  explicit PieceConverter(const BlockCut &cut);

  llvm::SmallVector<Piece> getPieces(mlir::Type tile) const {
    return cut.getPieces(llvm::cast<mlir::RankedTensorType>(tile).getShape());
  }
  /// The piece at `place` of `tile`, whose pieces are `parts`.
  mlir::Value getAt(mlir::Value tile, mlir::ValueRange parts,
                    llvm::ArrayRef<size_t> place) const;
  Piece getPieceAt(mlir::Value tile, llvm::ArrayRef<size_t> place) const;
  size_t countSegments(int64_t side) const {
    return cut.getSegments(side).size();
  }

private:
  const BlockCut &cut;
};

/// The base of patterns that take a block apart.
template <typename Op>
class PiecePattern : public mlir::OpConversionPattern<Op> {
public:
  PiecePattern(const PieceConverter &pieces, mlir::MLIRContext *context)
      : mlir::OpConversionPattern<Op>(pieces, context), pieces(pieces) {}

protected:
  const PieceConverter &pieces;
};

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// `type` with the shape of `piece`.
mlir::RankedTensorType getPieceType(mlir::Type type, const Piece &piece);

/// What stands for piece `index` of a value: a scalar is the same for all.
mlir::Value getPiece(mlir::ValueRange pieces, size_t index);

/// The tile of `shape` (i32) of the indices along `dim`, the first of which is
/// `start`.
mlir::Value emitIndexAlong(mlir::ImplicitLocOpBuilder &b,
                           llvm::ArrayRef<int64_t> shape, unsigned dim,
                           int64_t start);

/// Where `piece` has elements along `dim`, or anywhere; null where it is full.
mlir::Value emitHeldAlong(mlir::ImplicitLocOpBuilder &b, const Piece &piece,
                          unsigned dim);
mlir::Value emitHeld(mlir::ImplicitLocOpBuilder &b, const Piece &piece);

/// `mask`, which may be null, without the padding of `piece`; null where all
/// elements are wanted.
mlir::Value emitMask(mlir::ImplicitLocOpBuilder &b, mlir::Value mask,
                     const Piece &piece);

/// `tile` where `held`, which may be null, is true, and `value` elsewhere.
mlir::Value emitReplaced(mlir::ImplicitLocOpBuilder &b, mlir::Value held,
                         mlir::Value tile, mlir::TypedAttr value);

/// The discardable attributes of `op` for what computes a part of its result,
/// of `shape` and from a multiple of that on, with promises as they hold of it.
llvm::SmallVector<mlir::NamedAttribute>
getAttributes(mlir::Operation *op, llvm::ArrayRef<int64_t> shape);

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

void populateSplitElementwise(const PieceConverter &pieces,
                              mlir::RewritePatternSet &patterns);
void populateSplitShapes(const PieceConverter &pieces,
                         mlir::RewritePatternSet &patterns);
void populateSplitReshape(const PieceConverter &pieces,
                          mlir::RewritePatternSet &patterns);
void populateSplitIndexing(const PieceConverter &pieces,
                           mlir::RewritePatternSet &patterns);
void populateSplitReductions(const PieceConverter &pieces,
                             mlir::RewritePatternSet &patterns);
void populateSplitDots(const PieceConverter &pieces,
                       mlir::RewritePatternSet &patterns);
void populateSplitMemory(const PieceConverter &pieces,
                         mlir::RewritePatternSet &patterns);
void populateSplitDebug(const PieceConverter &pieces,
                        mlir::RewritePatternSet &patterns);

} // namespace tilewright::tile_gpu
