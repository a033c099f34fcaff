// Where a thread stands in its program, and which elements of a tile it holds.
//
// A layout is linear over F2, so the element of (register, lane, warp) is the
// element of (0, lane, warp) xor that of (register, 0, 0). The first depends on
// the thread alone and is computed once; the second is a constant. Lanes and
// warps number the threads of a program through: thread = lane + 32 * warp, so
// the first is a linear map of the bits of one special register.

#pragma once

#include "lib/Layout/LinearLayout.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

inline constexpr unsigned kWarpSize = 32;

/// An i32 constant.
mlir::Value emitI32(mlir::ImplicitLocOpBuilder &b, int64_t value);

/// The number of this thread in its program, or in its role or team where it
/// stands in one, of its lane and of its warp (i32).
mlir::Value emitThreadId(mlir::ImplicitLocOpBuilder &b);
mlir::Value emitLaneId(mlir::ImplicitLocOpBuilder &b);
mlir::Value emitWarpId(mlir::ImplicitLocOpBuilder &b);
/// The number of this thread's team (i32), null outside of roles of teams.
mlir::Value emitPingPongGroup(mlir::ImplicitLocOpBuilder &b);

/// The linear map over F2 that takes bit i of `input` (i32) to columns[i].
mlir::Value emitLinearMap(mlir::ImplicitLocOpBuilder &b, mlir::Value input,
                          llvm::ArrayRef<uint64_t> columns);

/// Along output axis `out`, what `layout` gives register 0 of this thread.
mlir::Value emitThreadOffset(mlir::ImplicitLocOpBuilder &b,
                             const LinearLayout &layout, LayoutAxis out);

/// Along output axis `out`, what `layout` gives `reg` of thread 0.
uint64_t getRegisterOffset(const LinearLayout &layout, unsigned reg,
                           LayoutAxis out);

/// `threadOffset` xor `registerOffset`, as an addition where `layout` shows
/// that no bit can be set in both.
mlir::Value emitElementOffset(mlir::ImplicitLocOpBuilder &b,
                              const LinearLayout &layout, LayoutAxis out,
                              mlir::Value threadOffset,
                              uint64_t registerOffset);

/// The indices (i32) of the element in each register of this thread:
/// result[register][dimension].
llvm::SmallVector<llvm::SmallVector<mlir::Value>>
emitIndices(mlir::ImplicitLocOpBuilder &b, const LinearLayout &layout);

/// The row-major index (i32) of the element in each register of this thread.
llvm::SmallVector<mlir::Value> emitFlatIndices(mlir::ImplicitLocOpBuilder &b,
                                               const LinearLayout &layout);

/// Where several threads hold copies of the elements of `layout`: whether this
/// thread is the one that acts for them (i1). Null where every thread acts.
mlir::Value emitIsOwner(mlir::ImplicitLocOpBuilder &b,
                        const LinearLayout &layout);

/// Whether `reg` is the first register of its thread with its element.
bool isOwnerRegister(const LinearLayout &layout, unsigned reg);

/// This thread is the first of its program, or of its role or team (i1).
mlir::Value emitIsFirstThread(mlir::ImplicitLocOpBuilder &b);

} // namespace tilewright
