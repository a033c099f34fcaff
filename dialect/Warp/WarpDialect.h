#pragma once

#include "dialect/Warp/WarpTypes.h"

#include "mlir/IR/Dialect.h"

#include "dialect/Warp/WarpDialect.h.inc"
