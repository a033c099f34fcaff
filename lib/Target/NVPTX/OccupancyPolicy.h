// Assembles a kernel with a register bound if that raises occupancy.
//
// Kernels that wait for memory gain from higher occupancy. Occupancy is a step
// function of registers, and an assembler may end one register above a step.
// But a bound on registers serialises more instructions.
//
// The rules; their measurements are in benchmarks/notes/occupancy.md:
//
// P1. A kernel is assembled without a bound first. If that leaves registers
//     unused but spills, it is assembled for one CTA per SM. The result is kept
//     if it spills a quarter less.
// P2. No bound is tried for a kernel with one of:
//     1. No goal: see lib/Transforms/Warp/Registers/OccupancyAnalysis.h.
//     2. Text that takes long to assemble.
//     3. Spills without a bound, unless ring slots were given up for the goal.
//     4. No report of resources, as from the driver's assembler.
// P3. A bound is tried if it allows at least half as many CTAs more. One CTA
//     more is enough if threads compute operands of dots in registers.
// P4. A bound below three fifths of the unbounded registers is not tried, with
//     two exceptions up to 32 warps per SM:
//     1. The first bound of a kernel without dots.
//     2. Each bound of a kernel that gave up ring slots.
// P5. A bound is kept if a thread spills nothing, or little with few warps and
//     twice the occupancy. Otherwise the next lower number of CTAs is tried.
#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_OCCUPANCYPOLICY_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_OCCUPANCYPOLICY_H

#include "lib/Analysis/Target/OccupancyGoal.h"
#include "lib/Target/NVPTX/Assembler.h"

namespace tilewright {

/// Assembles `ptx` with the occupancy of `goal`. On return `ptx` has the bound
/// that was kept, if any.
llvm::Expected<Assembly> assembleForOccupancy(std::string &ptx,
                                              llvm::StringRef arch,
                                              const AssemblerOptions &options,
                                              OccupancyGoal goal);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_OCCUPANCYPOLICY_H
