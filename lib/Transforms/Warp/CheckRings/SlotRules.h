// Checks each op against the state before it, and updates the state.
// CheckRingsPasses.td lists the rules under the names that errors use.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_SLOTRULES_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_SLOTRULES_H

#include "lib/Transforms/Warp/CheckRings/PathState.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tilewright::warp {

/// Reports that `op` breaks the rule of that name.
mlir::InFlightDiagnostic reportRule(mlir::Operation *op, llvm::StringRef rule);

/// Applies the rules to ops without regions.
class SlotRules {
public:
  explicit SlotRules(mlir::FunctionOpInterface function);

  /// Updates `state` by `op`. Fails with an error if `op` breaks a rule. For a
  /// release whose condition is not known, `released` is its assumed value.
  llvm::LogicalResult apply(mlir::Operation *op, PathState &state,
                            bool released = true);

  /// Checks the state at the end of a role or of the function.
  llvm::LogicalResult finish(mlir::Operation *end, const PathState &state);
  /// Checks the state at the end of the function.
  llvm::LogicalResult leave(mlir::Operation *end, const PathState &state);

  /// Whether `operand` may be the accumulator of a pending wgmma.
  static bool takesPendingAccumulator(mlir::OpOperand &operand);

  /// Fails if `op` or an op in its regions uses the accumulator of a pending
  /// wgmma.
  llvm::LogicalResult checkAccumulators(mlir::Operation *op,
                                        const PathState &state);

private:
  llvm::LogicalResult visit(RingOp op);
  llvm::LogicalResult visit(AllocOp op);
  llvm::LogicalResult visit(RingAcquireOp op);
  llvm::LogicalResult visit(RingCommitOp op);
  llvm::LogicalResult visit(RingWaitOp op);
  llvm::LogicalResult visit(RingSkipOp op);
  llvm::LogicalResult visit(RingReleaseOp op, bool released);
  llvm::LogicalResult visit(TmaLoadOp op);
  llvm::LogicalResult visit(RingPutScalarOp op);
  llvm::LogicalResult visit(RingGetScalarOp op);
  llvm::LogicalResult visit(AsyncCopyOp op);
  llvm::LogicalResult visit(WgmmaOp op);
  llvm::LogicalResult visit(WgmmaWaitOp op);
  llvm::LogicalResult visit(TmaStoreOp op);
  llvm::LogicalResult visit(TmaStoreWaitOp op);
  llvm::LogicalResult visitOther(mlir::Operation *op);

  RingProgress *findRing(mlir::Operation *op, RingOp ring);
  llvm::LogicalResult shareRing(mlir::Operation *op, RingOp ring);
  llvm::LogicalResult checkIndex(mlir::Operation *op, mlir::Value index,
                                 RingOp ring, int64_t sequence);
  llvm::LogicalResult checkHeld(mlir::Operation *op, const Known &tile,
                                Known::Kind kind);
  llvm::LogicalResult fill(mlir::Operation *op, mlir::Value tile,
                           Completion by);
  llvm::LogicalResult fillOnce(mlir::Operation *op, mlir::Value tile);
  llvm::LogicalResult read(mlir::Operation *op, mlir::Value tile);
  llvm::LogicalResult readAsynchronously(mlir::Operation *op, mlir::Value tile,
                                         std::vector<Memory> &reads);
  llvm::LogicalResult store(mlir::Operation *op, mlir::Value tile);
  llvm::LogicalResult checkContent(mlir::Operation *op, const Memory &memory);
  llvm::LogicalResult overwrite(mlir::Operation *op, mlir::Operation *origin);
  void nameSlot(mlir::Operation *op, Known::Kind slot, Known::Kind tile,
                RingOp ring, int64_t sequence);

  PathState *state = nullptr;
  /// All rings of the function.
  std::vector<RingOp> rings;
};

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_SLOTRULES_H
