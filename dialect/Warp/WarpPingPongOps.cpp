#include "dialect/Warp/WarpOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::warp;

#define GET_OP_CLASSES
#include "dialect/Warp/WarpPingPongOps.cpp.inc"

int64_t tilewright::warp::getPingPongBytes(SpecializeOp roles) {
  auto bytes =
      roles->getAttrOfType<IntegerAttr>(WarpDialect::kPingPongBytesAttr);
  return bytes ? bytes.getInt() : 0;
}

static LogicalResult verifyInPingPongGroup(Operation *op) {
  auto role = SpecializeOp::getRole(op->getBlock());
  if (role && role->first.getNumPingPongGroups(role->second) > 1) // C1
    return success();
  return op->emitOpError("must be in a role with ping-pong groups");
}

LogicalResult PingPongLeadsOp::verify() { return verifyInPingPongGroup(*this); }

LogicalResult PingPongWaitOp::verify() { return verifyInPingPongGroup(*this); }

LogicalResult PingPongPassOp::verify() { return verifyInPingPongGroup(*this); }
