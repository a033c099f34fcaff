// Writes the producer role: the loads from descriptors and the control flow
// around them.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_PRODUCERWRITER_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_PRODUCERWRITER_H

#include "lib/Analysis/SharedMemory/ProducerSlice.h"
#include "lib/Transforms/Warp/Specialize/SpecializePlan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright::warp {

/// Writes the producer role of a function.
class ProducerWriter {
public:
  ProducerWriter(mlir::OpBuilder &b, llvm::ArrayRef<LoadGroup> groups,
                 llvm::ArrayRef<mlir::Value> rings, const ProducerSlice &slice)
      : b(b), slice(slice) {
    for (const LoadGroup &group : groups)
      for (const TmaLoad &load : group.loads)
        groupOf[load.load] = {&group, rings[group.ring]};
  }

  /// Makes the producer read the result of `op`, which the consumers compute,
  /// from `ring`.
  void readFromRing(mlir::Operation *op, mlir::Value ring) {
    ringOf[op] = ring;
  }

  /// Writes those of `ops` that the producer runs.
  template <typename RangeT> void write(RangeT &&ops) {
    for (mlir::Operation &op : ops)
      if (slice.keeps(&op))
        writeOp(op);
  }

  mlir::IRMapping map;

private:
  void writeOp(mlir::Operation &op);
  void writeLoop(mlir::scf::ForOp loop);
  void writeLoop(mlir::scf::WhileOp loop);
  void writeBranch(mlir::scf::IfOp branch);
  void writeGroup(const LoadGroup &group, mlir::Value ring);
  void writeGetScalar(mlir::Operation &op, mlir::Value ring);
  llvm::SmallVector<mlir::Value> lookup(mlir::ValueRange values) const {
    return llvm::map_to_vector(
        values, [&](mlir::Value value) { return map.lookupOrDefault(value); });
  }

  mlir::OpBuilder &b;
  const ProducerSlice &slice;
  llvm::DenseMap<mlir::Operation *, std::pair<const LoadGroup *, mlir::Value>>
      groupOf;
  llvm::DenseMap<mlir::Operation *, mlir::Value> ringOf;
};

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_PRODUCERWRITER_H
