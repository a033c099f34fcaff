// The registers of inline assembly, as its constraints name them.

#pragma once

#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace tilewright::tile {

struct AsmRegisters {
  /// A letter for each; an operand in the register of a result has its letter.
  llvm::SmallVector<char> outputs, inputs;

  /// Sets `problem` and gives nothing for constraints that are none.
  static std::optional<AsmRegisters> parse(llvm::StringRef constraints,
                                           std::string &problem);
};

/// The width of the registers that a letter stands for; 0 for other letters.
unsigned getAsmRegisterBits(char letter);

/// The width of an element (a number or a pointer).
unsigned getAsmElementBits(mlir::Type element);

/// How many registers `pack` elements take.
unsigned getNumAsmRegisters(mlir::Type element, unsigned pack);

} // namespace tilewright::tile
