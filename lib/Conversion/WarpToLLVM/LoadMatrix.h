// `ldmatrix`: parts of a tile from shared memory to tensor-core operands.

#pragma once

#include "lib/Support/MatrixAccess.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Loads `registers`, elements of the LLVM type `element`, from the tile at
/// `base` (!llvm.ptr<3>, aligned to 16 bytes).
void emitLoadMatrix(mlir::ImplicitLocOpBuilder &b, const MatrixAccess &access,
                    mlir::Type element, mlir::Value base,
                    llvm::MutableArrayRef<mlir::Value> registers);

} // namespace tilewright
