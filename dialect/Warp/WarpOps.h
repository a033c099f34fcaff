// All ops of the `warp` dialect.

#ifndef TILEWRIGHT_DIALECT_WARP_WARPOPS_H
#define TILEWRIGHT_DIALECT_WARP_WARPOPS_H

#include "dialect/Tile/TileTypes.h"
#include "dialect/Warp/WarpDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilewright::warp {

/// Shared memory, as the resource of memory effects.
struct SharedMemory : public mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "<SharedMemory>"; }
};

} // namespace tilewright::warp

#define GET_OP_CLASSES
#include "dialect/Warp/WarpClusterOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Warp/WarpLayoutOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Warp/WarpMapOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Warp/WarpMemoryOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Warp/WarpMmaOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Warp/WarpRingOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Warp/WarpRoleOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Warp/WarpPingPongOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Warp/WarpTicketOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/Warp/WarpWgmmaOps.h.inc"

namespace tilewright::warp {
/// Returns the stride in bytes between the shared memory of two ping-pong
/// groups of `roles`; 0 before allocation.
int64_t getPingPongBytes(SpecializeOp roles);

/// Returns the alloc of `memory` or of the source of its transposes, or null
/// for a slot of a ring.
AllocOp getAlloc(mlir::Value memory);
} // namespace tilewright::warp

#endif // TILEWRIGHT_DIALECT_WARP_WARPOPS_H
