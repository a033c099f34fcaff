#ifndef TILEWRIGHT_DIALECT_WARP_WARPDIALECT_H
#define TILEWRIGHT_DIALECT_WARP_WARPDIALECT_H

#include "dialect/Warp/WarpTypes.h"

#include "mlir/IR/Dialect.h"

#include "dialect/Warp/WarpDialect.h.inc"

#endif // TILEWRIGHT_DIALECT_WARP_WARPDIALECT_H
