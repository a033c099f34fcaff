// The shared memory of a CTA: one dynamic allocation, whose size the launch
// states. The allocation pass assigns fixed offsets in it.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_SHAREDBASE_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_SHAREDBASE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// The symbol of the dynamic shared memory of every kernel of a module.
inline constexpr llvm::StringLiteral kSharedSymbol = "__tilewright_shared";

/// Address space numbers of NVPTX.
inline constexpr unsigned kGlobalSpace = 1;
inline constexpr unsigned kSharedSpace = 3;
/// The address space of shared memory of all CTAs in a cluster.
inline constexpr unsigned kClusterSharedSpace = 7;

/// Declares the symbol, once per module. Patterns only refer to it.
void declareSharedMemory(mlir::ModuleOp module);

/// Erases the declaration if no kernel uses it.
void eraseUnusedSharedMemory(mlir::ModuleOp module);

/// Returns the offset that the allocation pass gave `op`, or reports an error.
mlir::FailureOr<int64_t> getSharedOffset(mlir::Operation *op);

/// Returns the address (!llvm.ptr<3>) `offset` bytes into shared memory, or
/// into the part of this thread's ping-pong group.
mlir::Value emitSharedAddress(mlir::ImplicitLocOpBuilder &b, int64_t offset);

/// Returns `base` + `offset` bytes (`offset` is an i32 value).
mlir::Value emitByteOffset(mlir::ImplicitLocOpBuilder &b, mlir::Value base,
                           mlir::Value offset);

/// Returns the hardware barrier of a role. Barrier 0 is that of the CTA.
constexpr int32_t getRoleBarrier(unsigned role) { return int32_t(role) + 1; }

/// Returns the barrier of a warpgroup, also used by ping-pong groups: they
/// follow those of the roles.
constexpr int32_t getGroupBarrier(unsigned numRoles, unsigned group) {
  return getRoleBarrier(numRoles) + int32_t(group);
}

/// Emits a barrier of all threads of the CTA, role or ping-pong group. Earlier
/// writes to shared memory are visible after it.
void emitBarrier(mlir::ImplicitLocOpBuilder &b);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_SHAREDBASE_H
