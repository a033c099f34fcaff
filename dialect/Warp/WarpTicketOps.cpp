#include "dialect/Warp/WarpOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::warp;

#define GET_OP_CLASSES
#include "dialect/Warp/WarpTicketOps.cpp.inc"

static LogicalResult verifyOutsideOfRoles(Operation *op) {
  auto role = SpecializeOp::getRole(op->getBlock());
  if (!role) // C1
    return success();
  auto error = op->emitOpError("must be outside of roles: it is for all "
                               "threads of the program");
  error.attachNote(role->first.getLoc()) << "the roles are defined here";
  return error;
}

LogicalResult TicketWaitOp::verify() { return verifyOutsideOfRoles(*this); }

LogicalResult TicketPassOp::verify() { return verifyOutsideOfRoles(*this); }
