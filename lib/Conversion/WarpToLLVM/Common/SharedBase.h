// The shared memory of a program: one dynamic allocation, whose size the
// launch states, cut up at fixed offsets by the allocation pass.

#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// The symbol of the dynamic shared memory of every kernel of a module.
inline constexpr llvm::StringLiteral kSharedSymbol = "__tilewright_shared";

/// Address space numbers of NVPTX.
inline constexpr unsigned kGlobalSpace = 1;
inline constexpr unsigned kSharedSpace = 3;
/// That of all blocks of a cluster.
inline constexpr unsigned kClusterSharedSpace = 7;

/// Declares the symbol, once a module. Patterns only refer to it.
void declareSharedMemory(mlir::ModuleOp module);

/// Removes the declaration where no kernel uses it.
void eraseUnusedSharedMemory(mlir::ModuleOp module);

/// The offset that the allocation pass gave `op`; reports an error if none.
mlir::FailureOr<int64_t> getSharedOffset(mlir::Operation *op);

/// The address `offset` bytes into shared memory, or into that of this team:
/// !llvm.ptr<3>.
mlir::Value emitSharedAddress(mlir::ImplicitLocOpBuilder &b, int64_t offset);

/// base + offset bytes (`offset` an i32 value).
mlir::Value emitByteOffset(mlir::ImplicitLocOpBuilder &b, mlir::Value base,
                           mlir::Value offset);

/// The hardware barrier of a role: behind that of the block.
constexpr int32_t getRoleBarrier(unsigned role) { return int32_t(role) + 1; }

/// That of a warpgroup, and so of a team: behind those of the roles.
constexpr int32_t getGroupBarrier(unsigned numRoles, unsigned group) {
  return getRoleBarrier(numRoles) + int32_t(group);
}

/// All threads of the program, role or team meet, and what they wrote to shared
/// memory before is visible to all after.
void emitBarrier(mlir::ImplicitLocOpBuilder &b);

} // namespace tilewright
