// Finds the number of CTAs per SM that a kernel gains from, as far as registers
// limit it.
//
// The rules; their measurements are in benchmarks/notes/occupancy.md:
//
// A1. The dots of a kernel wait for threads: chained dots without a producer,
// or
//     operands that threads load or compute. Its goal is 16 computing warps per
//     SM.
// A2. A kernel has no dots. Its goal is 32 warps per SM, or 48 in CTAs of 16
//     warps. If iterations load few bytes, the goal is enough warps for 32 KB
//     in flight, at most 64.
// A3. Fewer CTAs of such a kernel have the registers for its tiles. These are
//     the tiles that are live across an exchange between threads, or those that
//     a loop carries and an iteration loads. Its goal is that number of CTAs.
// A4. No goal, and so no bound, for a kernel with one of:
//     1. Dots of other kinds, which keep the tensor cores busy at low
//     occupancy.
//     2. Roles that have register budgets of their own.
//     3. A scan in a loop, which carries a state. There are as many programs as
//        sequences, often one per SM, and they need registers more.
//     4. A persistent loop along one axis that accumulates over rows. Each
//        program computes a partial sum.
//     5. CTAs of fewer than four warps, or of as many as the goal.
//     6. At most one CTA per SM (`single_wave`).
//
// Shared memory limits each goal.
#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_REGISTERS_OCCUPANCYANALYSIS_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_REGISTERS_OCCUPANCYANALYSIS_H

#include "lib/Analysis/Target/OccupancyGoal.h"

#include "mlir/IR/BuiltinOps.h"

namespace tilewright::warp {

/// Returns the goal of the kernel in `module`, whose tiles have layouts.
OccupancyGoal findOccupancyGoal(mlir::ModuleOp module);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_REGISTERS_OCCUPANCYANALYSIS_H
