#pragma once

#include "dialect/Tile/TileTypes.h"

#include "mlir/IR/Dialect.h"

#include "dialect/Tile/TileDialect.h.inc"
