// Where in the user's source something comes from, as JSON.

#pragma once

#include "mlir/IR/AsmState.h"
#include "llvm/Support/JSON.h"

namespace tilewright {

/// The files, lines and columns behind `loc`, the innermost call first:
/// [[file, line, column], ...].
llvm::json::Array getFrames(mlir::Location loc);

/// [[line, frames], ...] for the lines of a printed module that ops with a
/// known source stand in.
llvm::json::Array getSourceLines(const mlir::AsmState::LocationMap &places);

} // namespace tilewright
