// Elements narrower than a machine register, several to a word; and elements of
// any type as the integers that shuffles and inline PTX take.

#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Bits of an LLVM scalar: an integer, a float or a 64-bit pointer.
unsigned getScalarBits(mlir::Type type);

/// The same bits as another scalar type of the same width.
mlir::Value emitBitcast(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                        mlir::Type type);

/// The bits as an integer of the element's width.
mlir::Value emitAsInteger(mlir::ImplicitLocOpBuilder &b, mlir::Value value);

/// Elements of one type, the first lowest, in integers of `wordBits` bits.
/// Their width divides `wordBits` and their number the count of elements in a
/// word.
llvm::SmallVector<mlir::Value> packWords(mlir::ImplicitLocOpBuilder &b,
                                         mlir::ValueRange elements,
                                         unsigned wordBits);

/// Undoes packWords.
llvm::SmallVector<mlir::Value> unpackWords(mlir::ImplicitLocOpBuilder &b,
                                           mlir::ValueRange words,
                                           mlir::Type elementType);

/// The elements of an LLVM vector, and a vector of elements.
llvm::SmallVector<mlir::Value> unpackVector(mlir::ImplicitLocOpBuilder &b,
                                            mlir::Value vector);
mlir::Value packVector(mlir::ImplicitLocOpBuilder &b,
                       mlir::ValueRange elements);

/// The bit of a thread's registers of `tile` that leads to neighbours along a
/// side, which are stored, and computed with, in pairs; the first where none
/// does.
unsigned findNeighbourBit(mlir::Type tile);

} // namespace tilewright
