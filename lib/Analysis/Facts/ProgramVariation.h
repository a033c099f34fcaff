// How a scalar differs between neighbouring programs, those whose numbers along
// the first side of the grid follow each other.
//
// The number of a program differs `Often`, from each to the next, and so does
// what is computed from it. A quotient of it changes only now and then: it
// differs `Seldom`. What does not depend on it differs `Never`. Numbers of
// tiles become rows and columns by remainders and quotients, so the operand
// that neighbours share is the one whose place differs seldom.
//
// `Never` is a proof: in all programs whose numbers agree along the other sides
// of the grid, the value is the same at the same step of the loops around it.
// The other two are likelihoods.

#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Value.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tilewright {

enum class Variation { Never, Seldom, Often };

class ProgramVariation {
public:
  /// `common` are values known not to differ.
  explicit ProgramVariation(llvm::ArrayRef<mlir::Value> common = {});

  Variation get(mlir::Value value);
  bool isCommon(mlir::Value value) { return get(value) == Variation::Never; }

private:
  Variation visit(mlir::Value value);
  Variation visitArgument(mlir::BlockArgument argument);
  Variation visitResult(mlir::OpResult result);
  Variation join(mlir::ValueRange values);

  /// Only grows; a loop's values are visited until nothing does.
  llvm::DenseMap<mlir::Value, Variation> known;
  llvm::DenseSet<mlir::Value> common, seen;
  bool changed = false;
};

/// Whether `condition` compares two things that are both counted from the
/// number of the program, as the row and the column of a tile: then programs
/// that have nothing to do lie scattered over the grid.
bool variesOverGrid(mlir::Value condition);

/// Whether `branch` is one between products and none that some programs take
/// and some do not, scattered over the grid: blocks that took programs in turn
/// would run more products, or fewer, than their share.
bool isUneven(mlir::scf::IfOp branch,
              llvm::function_ref<bool(mlir::Operation *)> isDot);

} // namespace tilewright
