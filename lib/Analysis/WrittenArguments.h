// Which arguments of a kernel it may write through. Read-only arrays may be
// passed for the others.
#ifndef TILEWRIGHT_LIB_ANALYSIS_WRITTENARGUMENTS_H
#define TILEWRIGHT_LIB_ANALYSIS_WRITTENARGUMENTS_H

#include "dialect/Tile/TileOps.h"

#include "llvm/ADT/BitVector.h"

namespace tilewright {

/// One bit for each argument: set unless no store and no atomic operation of
/// the kernel reaches an address that comes from it. Pointers are followed
/// through arithmetic, control flow and integers, but not through memory.
/// Calls are taken to write through whatever they are given.
llvm::BitVector findWrittenArguments(tile::FuncOp kernel);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_WRITTENARGUMENTS_H
