// Layout inference for the shape ops of `tile`.

#ifndef TILEWRIGHT_DIALECT_WARP_WARPLAYOUTINTERFACE_H
#define TILEWRIGHT_DIALECT_WARP_WARPLAYOUTINTERFACE_H

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

#endif // TILEWRIGHT_DIALECT_WARP_WARPLAYOUTINTERFACE_H
