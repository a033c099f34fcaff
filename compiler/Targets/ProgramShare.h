// How many programs of a kernel share a multiprocessor, as far as registers
// decide.
//
// Programs that wait for memory need others beside them. How many registers let
// how many programs fit is a staircase, and assemblers that are told nothing
// stop where the code likes it best, which may be one register above a step:
// gradients of layer norm in 8 warps took 145 registers, so one program fitted
// where 128 let two run, a sixth faster. So kernels without products of tiles
// are assembled for 32 warps on a multiprocessor first. Where that spills much
// half as many are tried, and half of these.
#pragma once

#include "compiler/Driver.h"
#include "lib/Target/NVPTX/Assembler.h"

namespace tilewright {

/// Bounds the registers of the kernels in `module`, functions of LLVM's dialect
/// made of those that `programs` names, so that as many programs fit as it
/// says. Kernels whose roles have budgets of their own are left alone.
void bindPrograms(mlir::ModuleOp module,
                  const llvm::StringMap<int64_t> &programs);

/// For each kernel of `module`, whose tiles have layouts, how many of its
/// programs are to share a multiprocessor, if its registers let them; none
/// where it has products of tiles, which keep a multiprocessor busy otherwise,
/// or roles, or less than four warps.
llvm::StringMap<int64_t> countSharingPrograms(mlir::ModuleOp module);

/// Assembles `ptx` of a kernel that says how many programs are to share a
/// multiprocessor. Where they have too few registers, `ptx` is changed to say
/// fewer.
llvm::Expected<Assembly> assembleShared(std::string &ptx, llvm::StringRef arch,
                                        const AssemblerOptions &options);

} // namespace tilewright
