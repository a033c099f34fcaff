#include "lib/Analysis/ProgramOrder.h"

using namespace mlir;
using namespace tilewright;

bool tilewright::dependsOnProgramOrder(Operation *op) {
  if (isa<tile::AtomicCASOp>(op))
    return true;
  auto atomic = dyn_cast<tile::AtomicRMWOp>(op);
  return atomic && (atomic.getKind() == tile::AtomicKind::FAdd ||
                    atomic.getKind() == tile::AtomicKind::Xchg ||
                    !atomic.getResult().use_empty());
}

bool tilewright::mayWaitForPrograms(scf::WhileOp loop) {
  return loop
      ->walk([](Operation *op) {
        auto load = dyn_cast<tile::LoadOp>(op);
        bool seesOthers = isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op) ||
                          (load && load.getIsVolatile());
        return seesOthers ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult tilewright::refuseProgramOrder(tile::FuncOp kernel) {
  bool isRefused = false;
  kernel.walk([&](Operation *op) {
    if (!dependsOnProgramOrder(op))
      return;
    isRefused = true;
    InFlightDiagnostic error =
        op->emitError("the result of this atomic operation depends on the "
                      "order of programs, which a GPU does not fix, but the "
                      "kernel is compiled with deterministic=True");
    error.attachNote() << "let each program write to a place of its own, and "
                          "combine these in a second kernel";
  });
  return failure(isRefused);
}
