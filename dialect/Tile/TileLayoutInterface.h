// Interface by which a dialect that adds layouts to tiles takes part in type
// inference. For `tile` layouts are opaque encodings.

#ifndef TILEWRIGHT_DIALECT_TILE_TILELAYOUTINTERFACE_H
#define TILEWRIGHT_DIALECT_TILE_TILELAYOUTINTERFACE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectInterface.h"

namespace tilewright::tile {

class TileLayoutInterface
    : public mlir::DialectInterface::Base<TileLayoutInterface> {
public:
  TileLayoutInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// Returns the encoding of `source` with a dimension of size 1 inserted at
  /// `axis`.
  virtual mlir::FailureOr<mlir::Attribute>
  inferExpandDims(mlir::RankedTensorType source, unsigned axis) const = 0;

  /// Returns the encoding of `source` with dimension order[i] as dimension i.
  virtual mlir::FailureOr<mlir::Attribute>
  inferTranspose(mlir::RankedTensorType source,
                 llvm::ArrayRef<int32_t> order) const = 0;

  /// Returns the encoding of `source` after a reduction of `axis`.
  virtual mlir::FailureOr<mlir::Attribute>
  inferReduce(mlir::RankedTensorType source, unsigned axis) const = 0;

  /// Whether every thread already holds the source elements that `result`
  /// repeats to it.
  virtual bool isBroadcast(mlir::RankedTensorType source,
                           mlir::RankedTensorType result) const = 0;

  /// Whether every thread already holds the elements that `result` gives it,
  /// where `result` is `source` in row-major order under another shape.
  virtual bool isReshape(mlir::RankedTensorType source,
                         mlir::RankedTensorType result) const = 0;
};

/// Returns the interface of the dialect of `type`'s encoding, or null without
/// one.
const TileLayoutInterface *getLayoutInterface(mlir::RankedTensorType type);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_TILELAYOUTINTERFACE_H
