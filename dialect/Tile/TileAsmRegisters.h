// The registers that the constraints of inline assembly name.

#ifndef TILEWRIGHT_DIALECT_TILE_TILEASMREGISTERS_H
#define TILEWRIGHT_DIALECT_TILE_TILEASMREGISTERS_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace tilewright::tile {

struct AsmRegisters {
  /// One letter per register; an operand in a result's register has its letter.
  llvm::SmallVector<char> outputs, inputs;

  /// Returns nothing and sets `problem` for invalid constraints.
  static std::optional<AsmRegisters> parse(llvm::StringRef constraints,
                                           std::string &problem);
};

/// Returns the width of the registers of a letter; 0 for other letters.
unsigned getAsmRegisterBits(char letter);

/// Returns the width of an element (a number or a pointer).
unsigned getAsmElementBits(mlir::Type element);

/// Returns the number of registers that `pack` elements take.
unsigned getNumAsmRegisters(mlir::Type element, unsigned pack);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_TILEASMREGISTERS_H
