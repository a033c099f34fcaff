// The chain of calls in the user's source that leads to an op.

#ifndef TILEWRIGHT_LIB_ANALYSIS_FACTS_SOURCEFRAMES_H
#define TILEWRIGHT_LIB_ANALYSIS_FACTS_SOURCEFRAMES_H

#include "mlir/IR/Location.h"

#include "llvm/ADT/SmallVector.h"

namespace tilewright {

/// The range of an expression and the function that contains it. The location
/// of the front end for it is a `NameLoc` with the function's name around a
/// `FileLineColRange`, whose end column is exclusive. Columns count characters.
struct SourceFrame {
  mlir::FileLineColRange range;
  /// Null if the location does not name the function.
  mlir::StringAttr function;

  /// Returns the location of this frame alone.
  mlir::Location getLoc() const;
};

/// Returns the frames of `loc`, the innermost call first. Ops merged by a fold
/// have several locations; the first one that names a file counts.
llvm::SmallVector<SourceFrame> getSourceFrames(mlir::Location loc);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_FACTS_SOURCEFRAMES_H
