// From debug lines of LLVM IR and PTX back to the ops of the module.
//
// Debug lines have neither the end of an expression nor the name of its
// function. The locations of the ops have both.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_DEBUGLINES_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_DEBUGLINES_H

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringRef.h"

namespace llvm {
class DILocation;
} // namespace llvm

namespace tilewright {

/// Returns the location of the op that `debug` comes from, or one made of
/// `debug` if no op is there.
mlir::Location getSourceLoc(mlir::ModuleOp module,
                            const llvm::DILocation *debug);

/// Returns the location of the op that an assembler refuses in `log`, the first
/// one if there are several. Null if the log names no line of `ptx` that
/// comes from an op. Inlined calls have no debug lines in PTX, so the op is one
/// of those at the position, preferably with the refused inline assembly.
mlir::LocationAttr findRefusedLoc(mlir::ModuleOp module, llvm::StringRef ptx,
                                  llvm::StringRef log);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_DEBUGLINES_H
