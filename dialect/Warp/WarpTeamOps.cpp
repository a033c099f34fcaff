#include "dialect/Warp/WarpOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::warp;

#define GET_OP_CLASSES
#include "dialect/Warp/WarpTeamOps.cpp.inc"

int64_t tilewright::warp::getTeamBytes(SpecializeOp roles) {
  auto bytes = roles->getAttrOfType<IntegerAttr>(WarpDialect::kTeamBytesAttr);
  return bytes ? bytes.getInt() : 0;
}

static LogicalResult verifyInTeam(Operation *op) {
  auto role = SpecializeOp::getRole(op->getBlock());
  if (role && role->first.getNumTeams(role->second) > 1) // C1
    return success();
  return op->emitOpError("is for teams, and stands in no role that has some");
}

LogicalResult TeamLeadsOp::verify() { return verifyInTeam(*this); }

LogicalResult TeamWaitOp::verify() { return verifyInTeam(*this); }

LogicalResult TeamPassOp::verify() { return verifyInTeam(*this); }
