// `ldmatrix` and `stmatrix`: parts of a tile between shared memory and the
// layouts of tensor cores.

#pragma once

#include "lib/Layout/MatrixAccess.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// How matrices move elements of the LLVM type `element` by the map `offsets`;
/// nothing where they do not.
std::optional<MatrixAccess> planMatrixTransfer(const LinearLayout &offsets,
                                               mlir::Type element,
                                               unsigned elementBytes);

/// Loads those of `registers`, elements of the LLVM type `element`, from the
/// tile at `base` (!llvm.ptr<3>, aligned to 16 bytes) whose offsets belong to
/// `round`: what stands above their lowest `offsetBits` bits.
void emitLoadMatrix(mlir::ImplicitLocOpBuilder &b, const MatrixAccess &access,
                    mlir::Type element, mlir::Value base, unsigned offsetBits,
                    unsigned round,
                    llvm::MutableArrayRef<mlir::Value> registers);

/// Stores those that belong to `round`.
void emitStoreMatrix(mlir::ImplicitLocOpBuilder &b, const MatrixAccess &access,
                     mlir::Type element, mlir::Value base, unsigned offsetBits,
                     unsigned round, mlir::ValueRange registers);

} // namespace tilewright
