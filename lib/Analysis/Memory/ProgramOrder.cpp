#include "lib/Analysis/Memory/ProgramOrder.h"

using namespace mlir;
using namespace tilewright;

bool tilewright::dependsOnProgramOrder(Operation *op) {
  if (isa<tile::AtomicCASOp>(op))
    return true;
  if (auto store = dyn_cast<tile::DescriptorStoreOp>(op))
    return store.getReduction() == tile::AtomicKind::FAdd;
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
