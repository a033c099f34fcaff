// Values that are computed for an iteration before it begins.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_PIPELINE_PREFETCHSLICE_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_PIPELINE_PREFETCHSLICE_H

#include "lib/Transforms/Warp/Pipeline/PipelinePlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright::warp {

/// The inputs of a prefetch slice for one iteration.
struct SliceInputs {
  mlir::Value index;
  llvm::SmallVector<mlir::Value> carried;

  void appendTo(llvm::SmallVectorImpl<mlir::Value> &values) const {
    values.push_back(index);
    llvm::append_range(values, carried);
  }
};

/// Returns the inputs of the slice for the first iteration.
inline SliceInputs getFirstInputs(mlir::scf::ForOp loop,
                                  const AddressSlice &slice) {
  SliceInputs first{loop.getLowerBound(), {}};
  for (unsigned number : slice.carried)
    first.carried.push_back(loop.getInits()[number]);
  return first;
}

/// Masks `load` off unless `enable` holds.
inline void maskOff(mlir::ImplicitLocOpBuilder &b, tile::LoadOp load,
                    mlir::Value enable) {
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(load);
  mlir::Value mask = enable;
  if (auto tile = mlir::dyn_cast<mlir::RankedTensorType>(load.getType()))
    mask = tile::SplatOp::create(b, tile.clone(b.getI1Type()), enable);
  if (load.getMask())
    mask = mlir::arith::AndIOp::create(b, load.getMask(), mask);
  load.getMaskMutable().assign(mask);
}

/// Emits the slice for one iteration; its loads are masked off unless `enable`
/// holds. `map` has the values from outside of the slice, and receives the
/// computed ones.
inline void emitSlice(mlir::ImplicitLocOpBuilder &b, mlir::scf::ForOp loop,
                      const AddressSlice &slice, const SliceInputs &inputs,
                      mlir::Value enable, mlir::IRMapping &map) {
  map.map(loop.getInductionVar(), inputs.index);
  for (auto [number, value] : llvm::zip_equal(slice.carried, inputs.carried))
    map.map(loop.getRegionIterArgs()[number], value);
  for (mlir::Operation &op : loop.getBody()->without_terminator()) {
    if (!slice.ops.contains(&op))
      continue;
    mlir::Operation *copy = b.clone(op, map);
    if (auto load = mlir::dyn_cast<tile::LoadOp>(copy))
      maskOff(b, load, enable);
  }
}

/// Returns the inputs of the slice for the iteration after the one that `map`
/// was computed for.
inline SliceInputs advance(mlir::ImplicitLocOpBuilder &b, mlir::scf::ForOp loop,
                           const AddressSlice &slice, const SliceInputs &inputs,
                           const mlir::IRMapping &map) {
  SliceInputs next{mlir::arith::AddIOp::create(b, inputs.index, loop.getStep()),
                   {}};
  for (unsigned number : slice.carried)
    next.carried.push_back(
        map.lookupOrDefault(loop.getYieldedValues()[number]));
  return next;
}

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_PIPELINE_PREFETCHSLICE_H
