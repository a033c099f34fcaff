// Where the programs of a kernel depend on each other.
#ifndef TILEWRIGHT_LIB_ANALYSIS_MEMORY_PROGRAMORDER_H
#define TILEWRIGHT_LIB_ANALYSIS_MEMORY_PROGRAMORDER_H

#include "dialect/Tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright {

/// Whether what `op` leaves in memory, or gives, depends on which program runs
/// first: sums of floats round, exchanges keep the last value, and every
/// atomic gives what the ones before it have left.
bool dependsOnProgramOrder(mlir::Operation *op);

/// Whether the loop may go on until another program writes something: it reads
/// memory in a way that sees what others write. Work queues look the same.
bool mayWaitForPrograms(mlir::scf::WhileOp loop);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MEMORY_PROGRAMORDER_H
