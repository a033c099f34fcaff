// Computes only the first element of each group of neighbours in a tile.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_TILE_FIRSTELEMENTS_H
#define TILEWRIGHT_LIB_TRANSFORMS_TILE_FIRSTELEMENTS_H

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Facts/AffineTiles.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>

namespace tilewright::tile {

/// The group size of each dimension of a tile, a power of two. Only the first
/// index of each group is kept. A dimension that is shorter than its group has
/// size 1, as the source of a broadcast, and stays.
using Cut = llvm::SmallVector<int64_t, 4>;

/// Returns the type of the kept elements of a tile.
mlir::RankedTensorType cutType(mlir::Type type, const Cut &cut);

/// Returns the cut of the source of `op` if its result is cut by `cut`. Returns
/// nothing if `op` is not a shape op.
std::optional<Cut> cutSource(mlir::Operation *op, const Cut &cut);

/// Computes the first elements of groups along some dimensions.
class FirstElements {
public:
  FirstElements(mlir::ImplicitLocOpBuilder &b, AffineTileAnalysis &tiles)
      : b(b), tiles(tiles) {}

  /// Whether the first elements of `tile` can be computed. Values in `known`
  /// can, and are not visited again: a sorting network uses each of its values
  /// twice.
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
  /// The computed values, by tile and cut.
  std::map<std::pair<void *, std::vector<int64_t>>, mlir::Value> made;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_TRANSFORMS_TILE_FIRSTELEMENTS_H
