// Finds dependences between the programs of a kernel.
#ifndef TILEWRIGHT_LIB_ANALYSIS_MEMORY_PROGRAMORDER_H
#define TILEWRIGHT_LIB_ANALYSIS_MEMORY_PROGRAMORDER_H

#include "dialect/Tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright {

/// Whether the result of `op`, or the memory after it, depends on the order of
/// programs: float additions round, exchanges keep the last value, and the
/// result of an atomic depends on the ones before it.
bool dependsOnProgramOrder(mlir::Operation *op);

/// Whether the loop may wait for a write of another program: it has an atomic
/// or a volatile load. Loops over work queues look the same.
bool mayWaitForPrograms(mlir::scf::WhileOp loop);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MEMORY_PROGRAMORDER_H
