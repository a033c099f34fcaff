#ifndef TILEWRIGHT_DIALECT_TILE_TILEDIALECT_H
#define TILEWRIGHT_DIALECT_TILE_TILEDIALECT_H

#include "dialect/Tile/TileTypes.h"

#include "mlir/IR/Dialect.h"

#include "dialect/Tile/TileDialect.h.inc"

#endif // TILEWRIGHT_DIALECT_TILE_TILEDIALECT_H
