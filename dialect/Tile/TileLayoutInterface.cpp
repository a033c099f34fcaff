#include "dialect/Tile/TileLayoutInterface.h"

#include "mlir/IR/Dialect.h"

using namespace mlir;

const tilewright::tile::TileLayoutInterface *
tilewright::tile::getLayoutInterface(RankedTensorType type) {
  Attribute encoding = type.getEncoding();
  if (!encoding)
    return nullptr;
  return encoding.getDialect().getRegisteredInterface<TileLayoutInterface>();
}
