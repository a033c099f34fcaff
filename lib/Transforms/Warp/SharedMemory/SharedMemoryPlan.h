// Where in shared memory the tiles, rings and scratch of a kernel lie.

#pragma once

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tilewright {

/// Memory of one op, and from which to which op it is needed.
struct SharedPiece {
  mlir::Operation *op;
  int64_t size;
  unsigned firstOp, lastOp;
  /// The rings whose slots nobody touches any more when this is first needed.
  llvm::SmallPtrSet<mlir::Operation *, 2> idleRings = {};
  int64_t offset = 0;

  int64_t end() const { return offset + size; }
  bool livesWith(const SharedPiece &other) const;
  /// The part of this that `other`, which lives with it, has to stay clear of.
  int64_t getPinnedStart(const SharedPiece &other) const;
};

/// All memory of a function, by offset, and the bytes it takes.
struct SharedPlacement {
  llvm::SmallVector<SharedPiece> pieces;
  int64_t bytes = 0;
};

/// Places all that `function` needs close together: what is not needed at the
/// same time may lie in the same place. The pieces of teams lie in one, one
/// team's behind the other's.
SharedPlacement placePieces(mlir::FunctionOpInterface function);

/// The same with what spares barriers lying apart, where it costs no other
/// program its place on a multiprocessor that has `limit` bytes.
SharedPlacement placePiecesApart(mlir::FunctionOpInterface function,
                                 int64_t limit);

} // namespace tilewright
