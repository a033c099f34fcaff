// The plan of software pipelining for a loop: the loads that fill a ring, and
// the slices that compute their addresses early.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_PIPELINE_PIPELINEPLAN_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_PIPELINE_PIPELINEPLAN_H

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {

class AxisInfoAnalysis;

namespace warp {

/// A load whose tile goes to shared memory in each iteration.
struct PipelinedLoad {
  tile::LoadOp load;
  /// The transposes between load and memory, in order.
  llvm::SmallVector<tile::TransposeOp> views;
  AllocOp alloc;
  /// Elements of one copy.
  int64_t vector;
};

/// The part of a loop body that early values depend on.
struct AddressSlice {
  llvm::SetVector<mlir::Operation *> ops;
  /// Loop-carried values, by position.
  llvm::SetVector<unsigned> carried;
  /// Loads, such as of an index or a page, whose results come from elsewhere.
  /// The slice contains neither them nor the ops they depend on.
  llvm::SetVector<mlir::Operation *> loads;

  /// Adds the ops that `value` depends on. Loads join `loads`, or the slice
  /// itself if `keepsLoads`. Returns the reason why the value cannot be
  /// computed early, or an empty string.
  llvm::StringRef add(mlir::scf::ForOp loop, mlir::Value value,
                      bool keepsLoads);
};

/// A ring of one slot, refilled as soon as it has been read.
struct RefilledRing {
  RingType type;
  llvm::SmallVector<PipelinedLoad> loads;
  /// The first op that reads the slot, and the last one that uses it.
  mlir::Operation *first, *last;
};

struct PipelinePlan {
  mlir::scf::ForOp loop;
  llvm::SmallVector<PipelinedLoad> loads;
  /// The ops that the addresses of copies depend on.
  AddressSlice slice;
  /// The loads of `slice`, and the ops that these depend on.
  AddressSlice indices;
  RingType ring;
  /// Replaces `ring`, if not empty, in the order of use.
  llvm::SmallVector<RefilledRing> refilled;

  /// Returns by how many iterations the copies are early.
  int64_t getDistance() const {
    return refilled.empty() ? ring.getNumSlots() - 1 : 1;
  }
};

struct PipelineOptions {
  /// Slots of a ring, for loops without a hint.
  int64_t numStages;
  /// Bytes of shared memory of a CTA.
  int64_t limit;
};

/// Returns the plan for an innermost loop, or nothing.
std::optional<PipelinePlan> planPipeline(mlir::scf::ForOp loop,
                                         const AxisInfoAnalysis &axes,
                                         const PipelineOptions &options);

/// Returns an op of `loop` that may write the memory read early through the
/// pointers `read`, or may wait for such a write elsewhere. Returns null if
/// there is none.
mlir::Operation *findInterference(mlir::scf::ForOp loop,
                                  llvm::ArrayRef<mlir::Value> read);

/// Groups the loads of a plan into rings of one slot. Each mma by threads has
/// its ring; mmas that add to each other share one. Returns nothing if the
/// loads have other uses or mmas overlap.
llvm::SmallVector<RefilledRing>
planRefilledRings(llvm::ArrayRef<PipelinedLoad> loads);

/// Rewrites the loop of `plan`.
void rotateLoop(PipelinePlan &plan);

} // namespace warp
} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_PIPELINE_PIPELINEPLAN_H
