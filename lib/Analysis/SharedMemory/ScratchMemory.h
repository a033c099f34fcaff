// The shared memory that ops use while they run, beside what tiles in shared
// memory take. Its place is the op's `warp.shared_offset`.

#pragma once

#include "mlir/IR/Operation.h"

namespace tilewright {

/// Bytes that lowering `op` (a reduction, an atomic, a gather, a histogram or a
/// layout conversion) takes; zero for all other ops. The op writes and reads
/// them, with barriers in between, but with none before its first write or
/// after its last read.
int64_t getScratchBytes(mlir::Operation *op);

/// How many numbers the table has by which elements of an atomic that have the
/// same address find their order, a power of two; zero where order makes no
/// difference. The table stands where results are handed over later.
int64_t getOrderTableSize(mlir::Operation *atomic);

/// Whether `op`, an atomic operation, begins with a barrier of the program:
/// what its threads did before is done when one of them acts.
bool beginsWithBarrier(mlir::Operation *op);

/// Whether `op`, an atomic operation, has a barrier behind its access: what
/// follows it in the program comes after that.
bool endsWithBarrier(mlir::Operation *op);

/// Whether an atomic hands its result from the threads that execute it to
/// others that hold copies.
bool needsResultExchange(mlir::Operation *atomic);

} // namespace tilewright
