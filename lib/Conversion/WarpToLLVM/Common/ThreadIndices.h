// The index of a thread in its CTA, and the elements of a tile that it holds.
//
// A layout is linear over F2, so the element of (register, lane, warp) is the
// element of (0, lane, warp) xor that of (register, 0, 0). The first depends on
// the thread alone and is computed once; the second is a constant. A thread's
// number is lane + 32 * warp, so the first is a linear map of the bits of one
// special register.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_THREADINDICES_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_THREADINDICES_H

#include "lib/Layout/LinearLayout.h"
#include "lib/Layout/WgmmaTiling.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

inline constexpr unsigned kWarpSize = 32;
/// The threads of a warpgroup.
inline constexpr unsigned kGroupThreads = kWarpsPerGroup * kWarpSize;

/// Emits an i32 constant.
mlir::Value emitI32(mlir::ImplicitLocOpBuilder &b, int64_t value);

/// Returns the index of this thread (i32) in its CTA, or in its role or
/// ping-pong group if it has one. The next two return the indices of its lane
/// and its warp.
mlir::Value emitThreadId(mlir::ImplicitLocOpBuilder &b);
mlir::Value emitLaneId(mlir::ImplicitLocOpBuilder &b);
mlir::Value emitWarpId(mlir::ImplicitLocOpBuilder &b);
/// Returns the index of this thread's ping-pong group (i32), or null outside of
/// roles with such groups.
mlir::Value emitPingPongGroup(mlir::ImplicitLocOpBuilder &b);

/// Emits the linear map over F2 that takes bit i of `input` (i32) to
/// columns[i].
mlir::Value emitLinearMap(mlir::ImplicitLocOpBuilder &b, mlir::Value input,
                          llvm::ArrayRef<uint64_t> columns);

/// Returns the coordinate along output axis `out` of register 0 of this thread.
mlir::Value emitThreadOffset(mlir::ImplicitLocOpBuilder &b,
                             const LinearLayout &layout, LayoutAxis out);

/// Returns the coordinate along output axis `out` of register `reg` of thread
/// 0.
uint64_t getRegisterOffset(const LinearLayout &layout, unsigned reg,
                           LayoutAxis out);

/// Returns `threadOffset` xor `registerOffset`, as a disjoint or if `layout`
/// shows that no bit can be set in both.
mlir::Value emitElementOffset(mlir::ImplicitLocOpBuilder &b,
                              const LinearLayout &layout, LayoutAxis out,
                              mlir::Value threadOffset,
                              uint64_t registerOffset);

/// Returns the indices (i32) of the element in each register of this thread:
/// result[register][dimension].
llvm::SmallVector<llvm::SmallVector<mlir::Value>>
emitIndices(mlir::ImplicitLocOpBuilder &b, const LinearLayout &layout);

/// Returns the row-major index (i32) of the element in each register of this
/// thread.
llvm::SmallVector<mlir::Value> emitFlatIndices(mlir::ImplicitLocOpBuilder &b,
                                               const LinearLayout &layout);

/// If several threads hold copies of the elements of `layout`: whether this
/// thread acts for them (i1). Null if every thread acts.
mlir::Value emitIsOwner(mlir::ImplicitLocOpBuilder &b,
                        const LinearLayout &layout);

/// Whether `reg` is the first register of its thread with its element.
bool isOwnerRegister(const LinearLayout &layout, unsigned reg);

/// Whether this thread is the first of its CTA, role or ping-pong group (i1).
mlir::Value emitIsFirstThread(mlir::ImplicitLocOpBuilder &b);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_THREADINDICES_H
