// How many programs of a kernel share a multiprocessor, as far as registers
// decide.
//
// Programs that wait for memory need others beside them. How many registers let
// how many programs fit is a staircase, and assemblers that are told nothing
// stop where the code likes it best, which may be one register above a step:
// gradients of layer norm in 8 warps took 145 registers, so one program fitted
// where 128 let two run, a sixth faster. But a bound has its price: more steps
// are taken one after the other. So kernels without products of tiles are
// assembled as they are first, and a second time with a bound where that lets
// half as many programs more share a multiprocessor; fewer are tried where that
// spills. So are those whose products wait for what threads compute from
// others, as decoding does, if no producer loads for them, or for operands that
// threads load or make: up to 16 warps that compute share a multiprocessor if
// nothing is kept in memory for that. (A convolution of 3 x 3 in 128 x 128 took
// 168 registers and 319 us, with 128 for two programs 255; states of chunks in
// 64 x 128 with a producer 226 and 115 us, with 168 102.) Those that gave up
// slots for other programs are bound whatever they take: decoding with latent
// keys in 8 warps took 255 registers and 653 us, with 128 451.
#pragma once

#include "compiler/CompileKernel.h"
#include "lib/Target/NVPTX/Assembler.h"

namespace tilewright {

/// Of a kernel that gains by others beside it: how many of its programs share
/// a multiprocessor if the assembler is told so, and the warps of each. None
/// for other kernels.
struct OccupancyPolicy {
  int64_t programs = 0, warps = 0;
  /// Whether it has products, which wait for what threads compute.
  bool hasDots = false;
  /// Whether slots were given up for other programs.
  bool isPlanned = false;
  /// Whether threads make operands of its products in registers.
  bool makesInRegisters = false;

  explicit operator bool() const { return programs > 1; }
};

/// That of the kernel in `module`, whose tiles have layouts: as many programs
/// as 32 warps (more where an iteration loads little), shared memory, the tiles
/// that are kept across barriers and those that an iteration loads let. None
/// where it has other products of tiles than such as wait for threads, which
/// keep a multiprocessor busy otherwise, or roles, or less than four warps, or
/// sums up over rows that its programs share.
OccupancyPolicy findOccupancyPolicy(mlir::ModuleOp module);

/// Assembles `ptx` of a kernel with that share: bound to it if `ptx` then says
/// so. What is bound counts if a thread keeps little for it in memory. A kernel
/// that the assembler gives too few registers is told to be alone.
llvm::Expected<Assembly> assembleShared(std::string &ptx, llvm::StringRef arch,
                                        const AssemblerOptions &options,
                                        OccupancyPolicy share);

} // namespace tilewright
