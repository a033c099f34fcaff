// Chooses the number of CTAs per multiprocessor, as far as registers limit it.
//
// Kernels that wait for memory gain from higher occupancy. Occupancy is a step
// function of registers, and an assembler may end one register above a step.
// But a bound on registers serialises more instructions. The rules:
//
// 1. Kernels without dots are assembled without a bound first. They are
//    assembled again with a bound if that allows at least half as many CTAs
//    more; after spills, with fewer CTAs.
// 2. Kernels whose dots wait for threads get the same treatment, up to 16
//    computing warps per multiprocessor and without spills. Examples: chained
//    dots without a producer, as in decoding, and operands that threads load or
//    compute.
// 3. Kernels that gave up ring slots for another CTA are bound at any natural
//    use of registers.
//
// Measurements: benchmarks/notes/occupancy.md. benchmarks/published.py decides.
#pragma once

#include "compiler/CompileKernel.h"
#include "lib/Target/NVPTX/Assembler.h"

namespace tilewright {

/// The number of CTAs per multiprocessor that a kernel gains from, and the
/// warps of each. Converts to false for other kernels.
struct OccupancyPolicy {
  int64_t ctas = 0, warps = 0;
  /// Whether it has dots, which wait for work of threads.
  bool hasDots = false;
  /// Whether ring slots were given up for another CTA.
  bool isPlanned = false;
  /// Whether threads compute operands of its dots in registers.
  bool computesInRegisters = false;

  explicit operator bool() const { return ctas > 1; }
};

/// Returns the policy of the kernel in `module`, whose tiles have layouts. The
/// number of CTAs is limited by 32 warps (more if an iteration loads few
/// bytes), shared memory, tiles live across barriers and tiles that an
/// iteration loads. Returns none for:
///
/// 1. kernels with dots that do not wait for threads,
/// 2. kernels with roles that have register budgets,
/// 3. CTAs of fewer than four warps,
/// 4. persistent loops that accumulate partial sums of rows.
OccupancyPolicy findOccupancyPolicy(mlir::ModuleOp module);

/// Assembles `ptx` with the occupancy of `share`. On return `ptx` has the bound
/// if it was kept. A bound is kept only if a thread spills little for it. If
/// the assembler uses too few registers, `ptx` requests one CTA per
/// multiprocessor.
llvm::Expected<Assembly> assembleShared(std::string &ptx, llvm::StringRef arch,
                                        const AssemblerOptions &options,
                                        OccupancyPolicy share);

} // namespace tilewright
