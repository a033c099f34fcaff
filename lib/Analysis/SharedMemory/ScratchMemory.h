// Scratch: shared memory that an op uses while it executes, in addition to
// tiles in shared memory. It is at the op's `warp.shared_offset`.

#ifndef TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_SCRATCHMEMORY_H
#define TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_SCRATCHMEMORY_H

#include "mlir/IR/Operation.h"

namespace tilewright {

/// The scratch bytes of `op`: a reduction, a scan, an atomic, a gather, a
/// histogram or a layout conversion. Zero for all other ops. The op has
/// barriers between its writes and reads, but none before its first write or
/// after its last read.
int64_t getScratchBytes(mlir::Operation *op);

/// The number of entries, a power of two, of the table that orders the elements
/// of an atomic with equal addresses. Zero if the order does not matter. The
/// table shares the scratch memory in which results are exchanged later.
int64_t getOrderTableSize(mlir::Operation *atomic);

/// Whether `op`, an atomic operation, begins with a barrier of the CTA: earlier
/// accesses of its threads are complete when one of them performs the atomic.
bool beginsWithBarrier(mlir::Operation *op);

/// Whether `op`, an atomic operation, has a barrier after its access: later
/// accesses of the program come after it.
bool endsWithBarrier(mlir::Operation *op);

/// Whether the threads that execute an atomic pass its result to others that
/// hold copies.
bool needsResultExchange(mlir::Operation *atomic);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_SCRATCHMEMORY_H
