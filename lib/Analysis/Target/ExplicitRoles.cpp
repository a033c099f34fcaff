#include "lib/Analysis/Target/ExplicitRoles.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

SpecializeOp warp::getRoles(tile::FuncOp func) {
  SpecializeOp found;
  func.walk([&](SpecializeOp roles) {
    found = roles;
    return WalkResult::interrupt();
  });
  return found;
}

bool warp::touchesTiles(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

bool warp::hasTiles(Region &region) {
  return region
      .walk([](Operation *op) {
        return WalkResult(touchesTiles(op) ? failure() : success());
      })
      .wasInterrupted();
}

SmallVector<unsigned> warp::getComputingRoles(SpecializeOp roles) {
  SmallVector<unsigned> computing;
  for (auto [number, role] : llvm::enumerate(roles.getRoles()))
    if (hasTiles(role))
      computing.push_back(number);
  return computing;
}
