// Source locations as JSON.

#ifndef TILEWRIGHT_COMPILER_SOURCELINES_H
#define TILEWRIGHT_COMPILER_SOURCELINES_H

#include "mlir/IR/AsmState.h"
#include "llvm/Support/JSON.h"

namespace tilewright {

/// Returns the files, lines and columns of `loc`, the innermost call first:
/// [[file, line, column], ...].
llvm::json::Array getFrames(mlir::Location loc);

/// Returns the ranges of `loc`, the innermost call first: objects with "file",
/// "line", "column", "end_line", "end_column" and "function". The end column
/// is exclusive; the function is empty if it is not known.
llvm::json::Array getRanges(mlir::Location loc);

/// Returns [[line, frames], ...] for the lines of a printed module whose ops
/// have a known source.
llvm::json::Array getSourceLines(const mlir::AsmState::LocationMap &locations);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_SOURCELINES_H
