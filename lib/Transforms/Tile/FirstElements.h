// The first of each group of neighbours in a tile, computed alone.

#pragma once

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Facts/AffineTiles.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>

namespace tilewright::tile {

/// For each dimension of a tile the size of the groups of which the first index
/// is kept, a power of two. A side that is shorter is kept as it is: it was 1
/// before it was repeated.
using Cut = llvm::SmallVector<int64_t, 4>;

/// The type of what is left of a tile.
mlir::RankedTensorType cutType(mlir::Type type, const Cut &cut);

/// How the source of `op`, which changes shapes only, is cut where its result
/// is by `cut`; nothing for other ops.
std::optional<Cut> cutSource(mlir::Operation *op, const Cut &cut);

/// Whether each element of the one result is computed of those of the operands
/// at its place, and nothing else happens.
bool isElementwise(mlir::Operation *op);

/// Computes the first elements of groups along some dimensions.
class FirstElements {
public:
  FirstElements(mlir::ImplicitLocOpBuilder &b, AffineTileAnalysis &tiles)
      : b(b), tiles(tiles) {}

  /// Whether they can be computed. Values that are `known` to be are not looked
  /// at again: a sorting network uses each of its own twice.
  static bool canGet(mlir::Value tile, AffineTileAnalysis &tiles,
                     llvm::DenseSet<mlir::Value> &known);
  mlir::Value get(mlir::Value tile, const Cut &cut);

private:
  struct Step;

  static std::optional<Step> findStep(mlir::Value tile,
                                      AffineTileAnalysis &tiles);
  mlir::Value compute(mlir::Value tile, const Cut &cut);
  mlir::Value getRange(RangeOp range, mlir::RankedTensorType type,
                       int64_t group);
  mlir::Value getCarried(const Step &step, const Cut &cut);

  mlir::ImplicitLocOpBuilder &b;
  AffineTileAnalysis &tiles;
  /// What was computed, by the tile and how it is cut.
  std::map<std::pair<void *, std::vector<int64_t>>, mlir::Value> made;
};

} // namespace tilewright::tile
