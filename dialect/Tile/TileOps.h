// All ops of the `tile` dialect.

#ifndef TILEWRIGHT_DIALECT_TILE_TILEOPS_H
#define TILEWRIGHT_DIALECT_TILE_TILEOPS_H

#include "dialect/Tile/TileDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "dialect/Tile/TileAsmOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Tile/TileAtomicOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Tile/TileCastOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Tile/TileDebugOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Tile/TileDescriptorOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Tile/TileDotOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Tile/TileIndexOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Tile/TileLaunchOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Tile/TileMemoryOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Tile/TileProgramOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Tile/TileReduceOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Tile/TileShapeOps.h.inc"

namespace tilewright::tile {

/// Whether an atomic operation makes earlier writes of its program visible.
inline bool releases(MemorySemantic order) {
  return order == MemorySemantic::Release || order == MemorySemantic::AcqRel;
}

/// Whether later accesses of the program see what others have released.
inline bool acquires(MemorySemantic order) {
  return order == MemorySemantic::Acquire || order == MemorySemantic::AcqRel;
}

/// Returns the memory order of an atomic on a scalar, which acts for the whole
/// program; nothing for all other ops. Atomics on tiles act per thread.
std::optional<MemorySemantic> getProgramOrder(mlir::Operation *op);

/// Whether `op` moves pointers by zero, and only carries a promise about them.
bool isPromise(mlir::Operation *op);

/// Whether `value` has the promise `tile.non_negative`.
bool isPromisedNonNegative(mlir::Value value);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_TILEOPS_H
