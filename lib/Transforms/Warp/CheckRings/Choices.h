// How often loops of roles run and which way branches take, in every way that
// is tried.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_CHOICES_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_CHOICES_H

#include "lib/Transforms/Warp/CheckRings/PingPongTurns.h"
#include "lib/Transforms/Warp/CheckRings/SameValues.h"

namespace tilewright::warp {

/// Loops and conditions that are the same in two roles are one unknown; what is
/// constant, or a turn, is none. `turns` are those of the team whose steps are
/// asked for.
class Choices {
public:
  explicit Choices(PingPongTurns &turns) : turns(turns) {}

  /// First the loops of producers, which are whole, then those of the others.
  void addLoop(mlir::Operation *loop);
  /// Once all loops are known.
  void addCondition(mlir::Value condition);
  /// Fails, with an error, where no loop is known to run as often as slots are
  /// passed by.
  llvm::LogicalResult addSkip(RingSkipOp op);

  /// Chooses the ways of that number; false where there is none, or where too
  /// many have been tried. Loops run as often as slots of `mostSlots` are more
  /// than full, too.
  bool choose(size_t number, int64_t mostSlots);

  int64_t getTrips(mlir::Operation *loop) const;
  int64_t getSkipped(RingSkipOp op) const;
  bool isTaken(mlir::Value condition);
  /// The loop that `condition` asks of whether it is not in its first
  /// iteration.
  mlir::Operation *getLoopNotFirst(mlir::Value condition);

  /// Notes what was chosen.
  void describe(mlir::InFlightDiagnostic &error) const;

private:
  /// One number that loops or branches depend on.
  struct Unknown {
    /// A loop, or the condition of a branch.
    mlir::Operation *loop = nullptr;
    mlir::Value condition;
    /// How many values it is tried with.
    size_t numValues = 2;
  };
  /// What a condition says: that its unknown is more than a number, or that it
  /// is not.
  struct Meaning {
    unsigned unknown = 0;
    int64_t least = 0;
    bool isOpposite = false;
  };

  PingPongTurns &turns;
  SameValues same;
  std::vector<Unknown> unknowns;
  /// For each loop its unknown, and by how many iterations it has less.
  llvm::DenseMap<mlir::Operation *, std::pair<unsigned, int64_t>> loops;
  llvm::DenseMap<mlir::Value, Meaning> conditions;
  /// Of skips whose number is not constant, the loop with as many iterations.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> skipped;
  /// The number chosen for each unknown.
  llvm::SmallVector<int64_t> chosen;
};

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_CHOICES_H
