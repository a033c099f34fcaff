#include "dialect/Warp/WarpOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::warp;

#define GET_OP_CLASSES
#include "dialect/Warp/WarpClusterOps.cpp.inc"

LogicalResult ClusterBarrierOp::verify() {
  auto role = SpecializeOp::getRole((*this)->getBlock());
  if (!role) // C1
    return success();
  auto error = emitOpError("waits for threads that run another role");
  error.attachNote(role->first.getLoc()) << "the roles are given here";
  return error;
}
