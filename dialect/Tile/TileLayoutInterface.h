// How a dialect that adds layouts to tiles answers the questions that type
// inference asks. `tile` knows layouts only as opaque encodings.

#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectInterface.h"

namespace tilewright::tile {

class TileLayoutInterface
    : public mlir::DialectInterface::Base<TileLayoutInterface> {
public:
  TileLayoutInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// Encoding of `source` after a dimension of size 1 was inserted at `axis`.
  virtual mlir::FailureOr<mlir::Attribute>
  inferExpandDims(mlir::RankedTensorType source, unsigned axis) const = 0;

  /// Encoding of `source` when result dimension i is source dimension order[i].
  virtual mlir::FailureOr<mlir::Attribute>
  inferTranspose(mlir::RankedTensorType source,
                 llvm::ArrayRef<int32_t> order) const = 0;

  /// Encoding of what is left of `source` after `axis` was folded away.
  virtual mlir::FailureOr<mlir::Attribute>
  inferReduce(mlir::RankedTensorType source, unsigned axis) const = 0;

  /// Whether every thread already holds the source elements that `result`
  /// repeats to it.
  virtual bool isBroadcast(mlir::RankedTensorType source,
                           mlir::RankedTensorType result) const = 0;

  /// Whether every thread already holds the elements that `result` gives it,
  /// `result` being `source` in row-major order under another shape.
  virtual bool isReshape(mlir::RankedTensorType source,
                         mlir::RankedTensorType result) const = 0;
};

/// The interface of the dialect that owns `type`'s encoding; null without one.
const TileLayoutInterface *getLayoutInterface(mlir::RankedTensorType type);

} // namespace tilewright::tile
