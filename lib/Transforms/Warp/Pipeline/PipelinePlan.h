// What software pipelining will do to a loop: which loads fill a ring, and what
// computes their addresses ahead of the loop.

#pragma once

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

/// What values ahead of the loop depend on inside of it.
struct AddressSlice {
  llvm::SetVector<mlir::Operation *> ops;
  /// Values that the loop carries, by their number.
  llvm::SetVector<unsigned> carried;
  /// Loads, such as those of an index or a page, whose results are taken from
  /// elsewhere: they and what they depend on are no part of the slice.
  llvm::SetVector<mlir::Operation *> loads;

  /// Adds what `value` depends on. Loads join `loads`, or the slice itself if
  /// `keepsLoads`. Why it can not be computed ahead, or nothing.
  llvm::StringRef add(mlir::scf::ForOp loop, mlir::Value value,
                      bool keepsLoads);
};

/// A ring of one slot, filled again as soon as it has been read.
struct RefilledRing {
  RingType type;
  llvm::SmallVector<PipelinedLoad> loads;
  /// The first op that reads the slot, and the last one that needs it.
  mlir::Operation *first, *last;
};

struct PipelinePlan {
  mlir::scf::ForOp loop;
  llvm::SmallVector<PipelinedLoad> loads;
  /// What the copies' addresses depend on.
  AddressSlice slice;
  /// The loads of `slice`, and what these depend on.
  AddressSlice indices;
  RingType ring;
  /// What takes the place of `ring`, in the order of their uses; empty for
  /// nothing.
  llvm::SmallVector<RefilledRing> refilled;

  /// How many iterations the copies run ahead.
  int64_t getDistance() const {
    return refilled.empty() ? ring.getNumSlots() - 1 : 1;
  }
};

struct PipelineOptions {
  /// Slots of a ring, for loops that carry no hint.
  int64_t numStages;
  /// Bytes of shared memory of a program.
  int64_t limit;
};

/// What to do to an innermost loop, or nothing.
std::optional<PipelinePlan> planPipeline(mlir::scf::ForOp loop,
                                         const AxisInfoAnalysis &axes,
                                         const PipelineOptions &options);

/// What in `loop` may write what is read, through the pointers `read`, ahead of
/// it, or wait for who does; null if nothing does.
mlir::Operation *findInterference(mlir::scf::ForOp loop,
                                  llvm::ArrayRef<mlir::Value> read);

/// The loads of a plan in rings of one slot for each product that threads
/// compute, those of products that add to each other together. Empty where they
/// have other uses or products overlap.
llvm::SmallVector<RefilledRing>
planRefilledRings(llvm::ArrayRef<PipelinedLoad> loads);

/// Carries the plan out.
void rotateLoop(PipelinePlan &plan);

} // namespace warp
} // namespace tilewright
