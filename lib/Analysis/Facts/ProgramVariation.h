// Estimates how a scalar differs between neighbouring programs, whose ids along
// the first axis of the grid are consecutive.
//
// The program id differs `Often`, from each program to the next, and so do
// values computed from it. A quotient of it changes rarely: it differs
// `Seldom`. Values that do not depend on it differ `Never`. Kernels compute
// rows and columns of tiles by quotients and remainders. So the operand that
// neighbours share is the one whose coordinates differ seldom.
//
// `Never` is a proof: the value is equal in all programs whose ids agree along
// the other axes, at the same step of the loops around it. The other two are
// estimates.

#ifndef TILEWRIGHT_LIB_ANALYSIS_FACTS_PROGRAMVARIATION_H
#define TILEWRIGHT_LIB_ANALYSIS_FACTS_PROGRAMVARIATION_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Value.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tilewright {

enum class Variation { Never, Seldom, Often };

class ProgramVariation {
public:
  /// `common` are values that are known not to differ.
  explicit ProgramVariation(llvm::ArrayRef<mlir::Value> common = {});

  Variation get(mlir::Value value);
  bool isCommon(mlir::Value value) { return get(value) == Variation::Never; }

private:
  Variation visit(mlir::Value value);
  Variation visitArgument(mlir::BlockArgument argument);
  Variation visitResult(mlir::OpResult result);
  Variation join(mlir::ValueRange values);

  /// Grows monotonically; loop-carried values are visited to a fixed point.
  llvm::DenseMap<mlir::Value, Variation> known;
  llvm::DenseSet<mlir::Value> common, seen;
  bool changed = false;
};

/// Whether `condition` compares two values that are both computed from the
/// program id, as the row and the column of a tile. Idle programs are then
/// scattered over the grid.
bool variesOverGrid(mlir::Value condition);

/// Whether only one arm of `branch` has dots, and programs scattered over the
/// grid take it. CTAs that run several programs in sequence would then have
/// unequal work.
bool isUneven(mlir::scf::IfOp branch,
              llvm::function_ref<bool(mlir::Operation *)> isDot);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_FACTS_PROGRAMVARIATION_H
