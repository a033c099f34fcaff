#include "dialect/Warp/WarpDialect.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/ExtraSlots.h"
#include "dialect/Warp/WarpLayoutInterface.h"
#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

#include "dialect/Warp/WarpDialect.cpp.inc"

namespace {
/// Layouts are long: the textual IR names each once, at its top.
struct WarpAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const final {
    auto layout = dyn_cast<LinearAttr>(attr);
    if (!layout)
      return AliasResult::NoAlias;
    os << (layout.isDistributed() ? "layout" : "shared");
    return AliasResult::FinalAlias;
  }
};
} // namespace

void WarpDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialect/Warp/WarpClusterOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Warp/WarpLayoutOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Warp/WarpMapOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Warp/WarpMemoryOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Warp/WarpMmaOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Warp/WarpRingOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Warp/WarpRoleOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Warp/WarpPingPongOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Warp/WarpTicketOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Warp/WarpWgmmaOps.cpp.inc"
      >();
  addInterfaces<WarpAliases, WarpLayoutInterface>();
}

Operation *WarpDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

bool tilewright::warp::hasLayouts(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  return function && function->hasAttr(WarpDialect::kNumWarpsAttr);
}

bool tilewright::warp::isExplicit(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    function = op->getParentOfType<FunctionOpInterface>();
  return function && function->hasAttr(WarpDialect::kExplicitAttr);
}

/// Returns the value of an attribute that must be a non-negative i32.
static FailureOr<int64_t> getCount(Operation *op, NamedAttribute attribute) {
  auto value = dyn_cast<IntegerAttr>(attribute.getValue());
  if (!value || !value.getType().isSignlessInteger(32) || value.getInt() < 0)
    return op->emitError("'")
           << attribute.getName().getValue()
           << "' must be a non-negative i32, got " << attribute.getValue();
  return value.getInt();
}

static LogicalResult verifyClusterSize(Operation *func, int64_t size) {
  if (llvm::isPowerOf2_64(size) && size > 1 && size <= kMaxClusterSize)
    return success();
  return func->emitError("'") << WarpDialect::kClusterSizeAttr
                              << "' must be a power of two from 2 to "
                              << kMaxClusterSize << ", got " << size;
}

/// Checks that every layout in `func` is for `numWarps` warps.
static LogicalResult verifyNumWarps(Operation *func, int64_t numWarps) {
  if (!llvm::isPowerOf2_64(numWarps) || numWarps > 32)
    return func->emitError("'")
           << WarpDialect::kNumWarpsAttr
           << "' must be a power of two up to 32, got " << numWarps;
  auto check = [&](Operation *op, Type type) -> LogicalResult {
    LinearAttr attr = getLinearAttr(type);
    if (!attr)
      return success();
    int64_t warps = attr.getLayout().getInSize(LayoutAxis::Warp);
    if (warps == numWarps)
      return success();
    return op->emitError("has a layout for ")
           << warps << " warps in a function of " << numWarps << ": " << type;
  };
  WalkResult result = func->walk([&](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (failed(check(op, type)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (failed(check(op, type)))
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult WarpDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (isa<FunctionOpInterface>(op) &&
      ((name == kTensorMapsAttr && isa<ArrayAttr>(attribute.getValue())) ||
       ((name == kPersistentAttr || name == kPaddedGridAttr ||
         name == kExplicitAttr || name == kOrderedAttr ||
         name == kSingleWaveAttr) &&
        isa<UnitAttr>(attribute.getValue()))))
    return success();
  if ((name == kOrderedAttr || name == kByElementAttr) &&
      isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op) &&
      isa<UnitAttr>(attribute.getValue()))
    return success();
  bool ofFunction = name == kNumWarpsAttr || name == kSharedSizeAttr ||
                    name == kBlockWarpsAttr || name == kClusterSizeAttr ||
                    name == kExtraSizeAttr;
  if (auto extra = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
      extra && extra.size() == 3 && name == kExtraSlotsAttr && isa<RingOp>(op))
    return success();
  bool ofRoles = name == kPingPongBytesAttr && isa<SpecializeOp>(op);
  if (!ofFunction && !ofRoles && name != kSharedOffsetAttr)
    return op->emitError("unknown attribute '") << name << "'";
  if (ofFunction && !isa<FunctionOpInterface, ModuleOp>(op))
    return op->emitError("'") << name << "' belongs on a function or module";
  FailureOr<int64_t> count = getCount(op, attribute);
  if (failed(count))
    return failure();
  if (name == kClusterSizeAttr)
    return verifyClusterSize(op, *count);
  return name == kNumWarpsAttr ? verifyNumWarps(op, *count) : success();
}
