// Computes the elements of tiles, chunk by chunk, from their definitions.

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_EVALUATOR_H
#define TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_EVALUATOR_H

#include "lib/Conversion/TileToVector/Emitter.h"

#include <map>
#include <tuple>

namespace tilewright::cpu {

/// Evaluates tiles in the lanes of chunks that are all emitted at the current
/// insertion point. Values are reused, so an evaluator must not outlive the
/// block in which it was created.
class Evaluator {
public:
  Evaluator(Emitter &emitter, unsigned lanes) : e(emitter), lanes(lanes) {}

  /// `value` (a tile of numbers, or a scalar) at a chunk. Short
  /// floats may travel as integers, see `travelsAsBits`.
  Lanes evaluate(mlir::Value value, llvm::ArrayRef<Index> at);

  /// Like `evaluate`, as a vector; a scalar when there is one lane.
  mlir::Value evaluateWide(mlir::Value value, llvm::ArrayRef<Index> at) {
    return e.widen(evaluate(value, at), lanes);
  }

  /// `value`, a tile of pointers or a pointer, at a chunk.
  PointerLanes evaluatePointers(mlir::Value value, llvm::ArrayRef<Index> at);

  /// Like `evaluatePointers`, but 32-bit offsets whose steps are known only at
  /// run time may wrap around.
  PointerLanes evaluateAnyPointers(mlir::Value value, llvm::ArrayRef<Index> at);

  /// Pointers as addresses (i64).
  Lanes evaluateAddresses(mlir::Value value, llvm::ArrayRef<Index> at);

  /// Numbers as by `evaluate`, pointers as addresses.
  Lanes evaluateAsHeld(mlir::Value value, llvm::ArrayRef<Index> at);

  /// Numbers as they are kept in memory: booleans as bytes, pointers as
  /// addresses.
  mlir::Value evaluateForStorage(mlir::Value value, llvm::ArrayRef<Index> at);

private:
  using Key = std::tuple<void *, llvm::SmallVector<std::pair<void *, bool>>,
                         bool, bool>;

  /// Returns the cache key of `value` at a chunk.
  Key getKey(mlir::Value value, llvm::ArrayRef<Index> at) const;
  Lanes evaluateDefinition(mlir::Value value, llvm::ArrayRef<Index> at);
  Lanes evaluateUncached(mlir::Value value, llvm::ArrayRef<Index> at);
  Lanes evaluateShapeOp(mlir::Operation *op, llvm::ArrayRef<Index> at);
  Lanes evaluateElementwise(mlir::OpResult value, llvm::ArrayRef<Index> at);
  PointerLanes evaluatePointersUncached(mlir::Value value,
                                        llvm::ArrayRef<Index> at);
  Lanes fromStorage(Lanes stored, mlir::Type element);
  PointerLanes addPointers(tile::AddPtrOp op, llvm::ArrayRef<Index> at);
  Lanes addLanes(const Lanes &lhs, const Lanes &rhs);
  Lanes toI64(const Lanes &value);

  Emitter &e;
  unsigned lanes;
  /// Inside an address, whose sums and products are assumed not to wrap around.
  /// Operands of other ops, such as remainders, may.
  bool inAddress = false;
  /// Whether steps known only at run time are taken to be large.
  bool anySteps = false;
  std::map<Key, Lanes> known;
  std::map<Key, PointerLanes> knownPointers;
};

/// Returns the coordinates at which a shape op reads its source for the
/// result's chunk `at`.
Indices mapToSource(Emitter &emitter, mlir::Operation *op,
                    llvm::ArrayRef<Index> at);

/// The op `op` on lowered operands: scalars, or vectors of `lanes` elements.
llvm::SmallVector<mlir::Value> emitElementwise(Emitter &emitter,
                                               mlir::Operation *op,
                                               mlir::ValueRange operands,
                                               unsigned lanes);

/// Reads memory for a chunk of `load`.
Lanes emitLoad(Emitter &emitter, Evaluator &evaluator, tile::LoadOp load,
               llvm::ArrayRef<Index> at, unsigned lanes);
/// Writes memory for a chunk of `store`.
void emitStore(Emitter &emitter, Evaluator &evaluator, tile::StoreOp store,
               llvm::ArrayRef<Index> at, unsigned lanes);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_EVALUATOR_H
