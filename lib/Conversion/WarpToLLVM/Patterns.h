// The patterns by op family, one file per family.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_PATTERNS_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_PATTERNS_H

#include "lib/Analysis/Facts/IntegerRanges.h"
#include "lib/Analysis/Target/NvidiaTarget.h"
#include "lib/Conversion/WarpToLLVM/Common/TypeConverter.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright {

class AccessWidths;
class RepeatedRegisters;
using CastRanges = llvm::DenseMap<mlir::Operation *, CastFacts>;

/// Whether `op` casts integers to bf16 by an f32 that may round, on a GPU
/// without a direct instruction. Such scalars are converted together with the
/// tiles.
bool castsThroughOddF32(mlir::Operation *op, const NvidiaTarget &target);

/// `arith` and `math` on tiles, register by register, and constants.
void populateElementwiseToLLVM(const WarpTypeConverter &converter,
                               const NvidiaTarget &target,
                               const RepeatedRegisters &repeated,
                               mlir::RewritePatternSet &patterns);
/// Casts from and to 8-bit floats, from integers to floats, and of pointers.
void populateCastToLLVM(const WarpTypeConverter &converter,
                        const NvidiaTarget &target,
                        const RepeatedRegisters &repeated,
                        const CastRanges &ranges,
                        mlir::RewritePatternSet &patterns);
/// Finds the ranges of integers that are cast to floats. Runs before any
/// rewrite, since it follows ops on tiles.
CastRanges findCastRanges(mlir::ModuleOp module);
/// range, splat, expand_dims, broadcast, reshape, transpose.
void populateShapeToLLVM(const WarpTypeConverter &converter,
                         mlir::RewritePatternSet &patterns);
/// addptr, load, store.
void populateMemoryToLLVM(const WarpTypeConverter &converter,
                          const AccessWidths &widths,
                          const RepeatedRegisters &repeated,
                          mlir::RewritePatternSet &patterns);
void populateReduceToLLVM(const WarpTypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
void populateScanToLLVM(const WarpTypeConverter &converter,
                        mlir::RewritePatternSet &patterns);
/// gather.
void populateGatherToLLVM(const WarpTypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
/// histogram.
void populateHistogramToLLVM(const WarpTypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
/// inline_asm.
void populateInlineAsmToLLVM(const WarpTypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
/// map.
void populateMapToLLVM(const WarpTypeConverter &converter,
                       mlir::RewritePatternSet &patterns);
/// warp.convert_layout.
void populateConvertLayoutToLLVM(const WarpTypeConverter &converter,
                                 const NvidiaTarget &target,
                                 mlir::RewritePatternSet &patterns);
/// warp.alloc, warp.local_load, warp.local_store.
void populateSharedTileToLLVM(const WarpTypeConverter &converter,
                              const NvidiaTarget &target,
                              mlir::RewritePatternSet &patterns);
/// Erases the releases of slots that the threads fill by cp.async: CTA barriers
/// order those. Call before any rewrite.
llvm::LogicalResult dropReleasesOfCopies(mlir::ModuleOp module);
/// warp.ring and the ops on its slots.
void populateRingToLLVM(const WarpTypeConverter &converter,
                        mlir::RewritePatternSet &patterns);
/// warp.tma_load, warp.async_copy.
void populateRingCopyToLLVM(const WarpTypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
/// warp.cluster_rank, warp.cluster_barrier.
void populateClusterToLLVM(const WarpTypeConverter &converter,
                           mlir::RewritePatternSet &patterns);
/// warp.ring.put_scalar, warp.ring.get_scalar.
void populateRingScalarToLLVM(const WarpTypeConverter &converter,
                              mlir::RewritePatternSet &patterns);
/// warp.tma_store, warp.tma_store_wait.
void populateTmaStoreToLLVM(const WarpTypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
/// warp.acquire_map_memory, warp.release_map_memory.
void populateMapMemoryToLLVM(const WarpTypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
/// warp.make_tensor_map, warp.ring.drain.
void populateTensorMapToLLVM(const WarpTypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
/// Lowers each warp.specialize, whose roles no longer hold tiles.
void lowerRoles(mlir::ModuleOp module);
/// warp.pingpong_leads, warp.pingpong_wait, warp.pingpong_pass.
void populatePingPongToLLVM(const WarpTypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
/// func, return, program_id, num_programs.
void populateProgramToLLVM(const WarpTypeConverter &converter,
                           mlir::RewritePatternSet &patterns);
/// warp.ticket_wait, warp.ticket_pass.
void populateTicketToLLVM(const WarpTypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
/// launch_wait, launch_dependents.
void populateLaunchToLLVM(const WarpTypeConverter &converter,
                          const NvidiaTarget &target,
                          mlir::RewritePatternSet &patterns);
/// atomic_rmw, atomic_cas.
void populateAtomicToLLVM(const WarpTypeConverter &converter,
                          const NvidiaTarget &target,
                          const AccessWidths &widths,
                          mlir::RewritePatternSet &patterns);
/// assert, print.
void populateDebugToLLVM(const WarpTypeConverter &converter,
                         const NvidiaTarget &target,
                         mlir::RewritePatternSet &patterns);
/// warp.mma.
void populateMmaToLLVM(const WarpTypeConverter &converter,
                       const NvidiaTarget &target,
                       mlir::RewritePatternSet &patterns);
/// Merges each warp.wgmma_wait into the op directly before it, if the wait
/// names exactly the accumulators of that op.
void mergeWaits(mlir::ModuleOp module);
/// warp.wgmma, warp.wgmma_wait, warp.proxy_fence.
void populateWgmmaToLLVM(const WarpTypeConverter &converter,
                         const NvidiaTarget &target,
                         mlir::RewritePatternSet &patterns);
/// warp.acc_decl, warp.acc_store, warp.acc_load.
void populatePinnedAccumulatorsToLLVM(const WarpTypeConverter &converter,
                                      mlir::RewritePatternSet &patterns);
/// Dots without tensor cores.
void populateFmaDotToLLVM(const WarpTypeConverter &converter,
                          const NvidiaTarget &target,
                          mlir::RewritePatternSet &patterns);
/// arith.divf of f32. With `withoutCalls` it is expanded inline, since a call
/// costs more in kernels with wgmma.
void populateDivisionToLLVM(const mlir::LLVMTypeConverter &converter,
                            bool withoutCalls,
                            mlir::RewritePatternSet &patterns);
/// arith.remf of f32.
void populateRemainderToLLVM(const mlir::LLVMTypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
/// Square roots of f32 and divisions of 64-bit integers, expanded inline for
/// kernels in which a call costs more.
void populateCallFreeToLLVM(const mlir::LLVMTypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
/// Math functions on scalars.
void populateMathToLLVM(const mlir::LLVMTypeConverter &converter,
                        mlir::RewritePatternSet &patterns);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_PATTERNS_H
