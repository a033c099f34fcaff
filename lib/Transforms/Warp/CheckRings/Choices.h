// Enumerates trip counts of loops and outcomes of branches for the simulation
// of roles.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_CHOICES_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_CHOICES_H

#include "lib/Transforms/Warp/CheckRings/PingPongParity.h"
#include "lib/Transforms/Warp/CheckRings/SameValues.h"

namespace tilewright::warp {

/// Loops and conditions that are the same in two roles are one unknown.
/// Constants and ping-pong parities are not unknowns. `parity` evaluates
/// parities for the group whose steps are expanded.
class Choices {
public:
  explicit Choices(PingPongParity &parity) : parity(parity) {}

  /// Adds a loop. Loops of producers come first, because they are not peeled.
  void addLoop(mlir::Operation *loop);
  /// Adds a condition. All loops must have been added.
  void addCondition(mlir::Value condition);
  /// Adds a skip. Fails with an error unless a loop is known to have as many
  /// iterations as the skip has slots.
  llvm::LogicalResult addSkip(RingSkipOp op);

  /// Selects combination `number` of values. Returns false if there is none or
  /// too many have been tried. One trip count exceeds `mostSlots`, so that
  /// loops wrap around every ring.
  bool choose(size_t number, int64_t mostSlots);

  int64_t getTrips(mlir::Operation *loop) const;
  int64_t getSkipped(RingSkipOp op) const;
  bool isTaken(mlir::Value condition);
  /// Returns the loop of which `condition` excludes the first iteration, or
  /// null.
  mlir::Operation *getLoopNotFirst(mlir::Value condition);

  /// Attaches a note for each chosen value.
  void describe(mlir::InFlightDiagnostic &error) const;

private:
  /// A number that trip counts or branches depend on.
  struct Unknown {
    /// A loop, or the condition of a branch.
    mlir::Operation *loop = nullptr;
    mlir::Value condition;
    /// How many values it is tried with.
    size_t numValues = 2;
  };
  /// The meaning of a condition: its unknown is greater than `least`, or the
  /// negation of that.
  struct Meaning {
    unsigned unknown = 0;
    int64_t least = 0;
    bool isOpposite = false;
  };

  PingPongParity &parity;
  SameValues same;
  std::vector<Unknown> unknowns;
  /// For each loop its unknown and the iterations to subtract from it.
  llvm::DenseMap<mlir::Operation *, std::pair<unsigned, int64_t>> loops;
  llvm::DenseMap<mlir::Value, Meaning> conditions;
  /// For each skip whose slot count is not constant, the loop with that trip
  /// count.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> skipped;
  /// The number chosen for each unknown.
  llvm::SmallVector<int64_t> chosen;
};

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_CHOICES_H
