// Source locations as JSON.

#pragma once

#include "mlir/IR/AsmState.h"
#include "llvm/Support/JSON.h"

namespace tilewright {

/// Returns the files, lines and columns of `loc`, the innermost call first:
/// [[file, line, column], ...].
llvm::json::Array getFrames(mlir::Location loc);

/// Returns [[line, frames], ...] for the lines of a printed module whose ops
/// have a known source.
llvm::json::Array getSourceLines(const mlir::AsmState::LocationMap &locations);

} // namespace tilewright
