#include "dialect/Warp/WarpOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::warp;

#define GET_OP_CLASSES
#include "dialect/Warp/WarpClusterOps.cpp.inc"
