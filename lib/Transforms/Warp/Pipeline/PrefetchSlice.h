// What is computed for an iteration of a loop before it begins.

#pragma once

#include "lib/Transforms/Warp/Pipeline/PipelinePlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright::warp {

/// The values of a slice that runs ahead of the loop, as one iteration sees
/// them.
struct Ahead {
  mlir::Value index;
  llvm::SmallVector<mlir::Value> carried;

  void appendTo(llvm::SmallVectorImpl<mlir::Value> &values) const {
    values.push_back(index);
    llvm::append_range(values, carried);
  }
};

/// What the first iteration sees.
inline Ahead getFirst(mlir::scf::ForOp loop, const AddressSlice &slice) {
  Ahead first{loop.getLowerBound(), {}};
  for (unsigned number : slice.carried)
    first.carried.push_back(loop.getInits()[number]);
  return first;
}

/// Where `enable` does not hold `load` reads nothing.
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

/// Computes the slice for one iteration; it loads where `enable` holds. `map`
/// has what is taken from elsewhere, and what is computed is added to it.
inline void emitSlice(mlir::ImplicitLocOpBuilder &b, mlir::scf::ForOp loop,
                      const AddressSlice &slice, const Ahead &ahead,
                      mlir::Value enable, mlir::IRMapping &map) {
  map.map(loop.getInductionVar(), ahead.index);
  for (auto [number, value] : llvm::zip_equal(slice.carried, ahead.carried))
    map.map(loop.getRegionIterArgs()[number], value);
  for (mlir::Operation &op : loop.getBody()->without_terminator()) {
    if (!slice.ops.contains(&op))
      continue;
    mlir::Operation *copy = b.clone(op, map);
    if (auto load = mlir::dyn_cast<tile::LoadOp>(copy))
      maskOff(b, load, enable);
  }
}

/// What the iteration behind the one that `map` was computed for sees.
inline Ahead advance(mlir::ImplicitLocOpBuilder &b, mlir::scf::ForOp loop,
                     const AddressSlice &slice, const Ahead &ahead,
                     const mlir::IRMapping &map) {
  Ahead next{mlir::arith::AddIOp::create(b, ahead.index, loop.getStep()), {}};
  for (unsigned number : slice.carried)
    next.carried.push_back(
        map.lookupOrDefault(loop.getYieldedValues()[number]));
  return next;
}

} // namespace tilewright::warp
