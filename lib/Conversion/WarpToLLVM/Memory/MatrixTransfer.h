// `ldmatrix` and `stmatrix`: tiles between shared memory and the layouts of
// tensor cores.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_MATRIXTRANSFER_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_MATRIXTRANSFER_H

#include "lib/Layout/MatrixAccess.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Plans the transfer of elements of the LLVM type `element` by the map
/// `offsets` with matrix instructions; nothing if they do not fit.
std::optional<MatrixAccess> planMatrixTransfer(const LinearLayout &offsets,
                                               mlir::Type element,
                                               unsigned elementBytes);

/// Loads the `registers`, of the LLVM type `element`, that belong to `round`,
/// from the tile at `base` (!llvm.ptr<3>, aligned to 16 bytes). The bits of an
/// offset above the lowest `offsetBits` are its round.
void emitLoadMatrix(mlir::ImplicitLocOpBuilder &b, const MatrixAccess &access,
                    mlir::Type element, mlir::Value base, unsigned offsetBits,
                    unsigned round,
                    llvm::MutableArrayRef<mlir::Value> registers);

/// Stores the `registers` that belong to `round`.
void emitStoreMatrix(mlir::ImplicitLocOpBuilder &b, const MatrixAccess &access,
                     mlir::Type element, mlir::Value base, unsigned offsetBits,
                     unsigned round, mlir::ValueRange registers);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_MATRIXTRANSFER_H
