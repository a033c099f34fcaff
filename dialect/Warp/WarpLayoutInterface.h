// Layout inference for the shape ops of `tile`.

#pragma once

#include "dialect/Tile/TileLayoutInterface.h"

namespace tilewright::warp {

class WarpLayoutInterface final : public tile::TileLayoutInterface {
public:
  using TileLayoutInterface::TileLayoutInterface;

  mlir::FailureOr<mlir::Attribute>
  inferExpandDims(mlir::RankedTensorType source, unsigned axis) const override;
  mlir::FailureOr<mlir::Attribute>
  inferTranspose(mlir::RankedTensorType source,
                 llvm::ArrayRef<int32_t> order) const override;
  mlir::FailureOr<mlir::Attribute> inferReduce(mlir::RankedTensorType source,
                                               unsigned axis) const override;
  bool isBroadcast(mlir::RankedTensorType source,
                   mlir::RankedTensorType result) const override;
  bool isReshape(mlir::RankedTensorType source,
                 mlir::RankedTensorType result) const override;
};

} // namespace tilewright::warp
