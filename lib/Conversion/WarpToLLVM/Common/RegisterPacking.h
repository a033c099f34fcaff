// Packs elements narrower than a machine register into words, and converts
// elements of any type to the integers that shuffles and inline PTX take.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_REGISTERPACKING_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_REGISTERPACKING_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Returns the bit width of an LLVM scalar: an integer, float or 64-bit
/// pointer.
unsigned getScalarBits(mlir::Type type);

/// Reinterprets the bits as another scalar type of the same width.
mlir::Value emitBitcast(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                        mlir::Type type);

/// Reinterprets the bits as an integer of the element's width.
mlir::Value emitAsInteger(mlir::ImplicitLocOpBuilder &b, mlir::Value value);

/// Packs elements of one type into integers of `wordBits` bits, the first
/// element lowest. The element width divides `wordBits`. The number of elements
/// is a multiple of those in a word.
llvm::SmallVector<mlir::Value> packWords(mlir::ImplicitLocOpBuilder &b,
                                         mlir::ValueRange elements,
                                         unsigned wordBits);

/// Inverse of packWords.
llvm::SmallVector<mlir::Value> unpackWords(mlir::ImplicitLocOpBuilder &b,
                                           mlir::ValueRange words,
                                           mlir::Type elementType);

/// Returns the elements of an LLVM vector, or the vector of the elements.
llvm::SmallVector<mlir::Value> unpackVector(mlir::ImplicitLocOpBuilder &b,
                                            mlir::Value vector);
mlir::Value packVector(mlir::ImplicitLocOpBuilder &b,
                       mlir::ValueRange elements);

/// Returns the bit of a thread's registers of `tile` that leads to the next
/// element along a dimension. Such neighbours are stored and computed in pairs.
/// Returns 0 if there is none.
unsigned findNeighbourBit(mlir::Type tile);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_REGISTERPACKING_H
