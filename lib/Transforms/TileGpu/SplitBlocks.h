// The steps of tile-gpu-split-blocks.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_TILEGPU_SPLITBLOCKS_H
#define TILEWRIGHT_LIB_TRANSFORMS_TILEGPU_SPLITBLOCKS_H

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Layout/BlockDecomposition.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tilewright::tile_gpu {

/// Converts the type of a cut tile to the types of its pieces. Other types
/// stay.
class PieceConverter : public mlir::TypeConverter {
public:
  explicit PieceConverter(const BlockCut &cut);

  llvm::SmallVector<Piece> getPieces(mlir::Type tile) const {
    return cut.getPieces(llvm::cast<mlir::RankedTensorType>(tile).getShape());
  }
  /// Returns the piece of `tile` at the piece coordinates `coords`; `parts` are
  /// all its pieces.
  mlir::Value getAt(mlir::Value tile, mlir::ValueRange parts,
                    llvm::ArrayRef<size_t> coords) const;
  Piece getPieceAt(mlir::Value tile, llvm::ArrayRef<size_t> coords) const;
  size_t countSegments(int64_t size) const {
    return cut.getSegments(size).size();
  }

private:
  const BlockCut &cut;
};

/// Base of the patterns that split a block into pieces.
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

/// Returns `type` with the shape of `piece`.
mlir::RankedTensorType getPieceType(mlir::Type type, const Piece &piece);

/// Returns piece `index` of a value. A scalar is the same for every piece.
mlir::Value getPiece(mlir::ValueRange pieces, size_t index);

/// Emits an i32 tile of `shape` that holds the index along `dim`, counted from
/// `start`.
mlir::Value emitIndexAlong(mlir::ImplicitLocOpBuilder &b,
                           llvm::ArrayRef<int64_t> shape, unsigned dim,
                           int64_t start);

/// Emits the mask of the elements of `piece` that are not padding, along `dim`
/// or along all dimensions. Null if there is no padding.
mlir::Value emitHeldAlong(mlir::ImplicitLocOpBuilder &b, const Piece &piece,
                          unsigned dim);
mlir::Value emitHeld(mlir::ImplicitLocOpBuilder &b, const Piece &piece);

/// Returns `mask` (null: all elements) with the padding of `piece` masked off.
/// Null if no element is masked off.
mlir::Value emitMask(mlir::ImplicitLocOpBuilder &b, mlir::Value mask,
                     const Piece &piece);

/// Returns `tile` with `value` where `held` is false. A null `held` is true
/// everywhere.
mlir::Value emitReplaced(mlir::ImplicitLocOpBuilder &b, mlir::Value held,
                         mlir::Value tile, mlir::TypedAttr value);

/// Returns the discardable attributes of `op` for an op that computes a part of
/// its result. The part has `shape` and starts at a multiple of it. Promises
/// are clamped to the part.
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

#endif // TILEWRIGHT_LIB_TRANSFORMS_TILEGPU_SPLITBLOCKS_H
