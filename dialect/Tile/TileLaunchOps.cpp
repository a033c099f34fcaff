#include "dialect/Tile/TileOps.h"

using namespace mlir;
using namespace tilewright::tile;

#define GET_OP_CLASSES
#include "dialect/Tile/TileLaunchOps.cpp.inc"
