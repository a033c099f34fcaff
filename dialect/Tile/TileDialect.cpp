#include "dialect/Tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace tilewright::tile;

#include "dialect/Tile/TileDialect.cpp.inc"

namespace {
/// Every function that is not a kernel may be inlined everywhere.
struct TileInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *callable, bool) const final {
    auto func = dyn_cast<FuncOp>(callable);
    return !func || !func.isKernel();
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  void handleTerminator(Operation *op, ValueRange replacements) const final {
    for (auto [old, value] : llvm::zip_equal(replacements, op->getOperands()))
      old.replaceAllUsesWith(value);
  }
};
} // namespace

void TileDialect::initialize() {
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialect/Tile/TileAsmOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Tile/TileAtomicOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Tile/TileCastOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Tile/TileDebugOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Tile/TileDescriptorOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Tile/TileDotOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Tile/TileIndexOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Tile/TileLaunchOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Tile/TileMemoryOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Tile/TileProgramOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Tile/TileReduceOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Tile/TileShapeOps.cpp.inc"
      >();
  addInterfaces<TileInliner>();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

/// Loop hints: counts (i32, not negative) and flags.
static constexpr llvm::StringLiteral loopCounts[] = {"tile.num_stages",
                                                     "tile.loop_unroll_factor"};
static constexpr llvm::StringLiteral loopFlags[] = {
    "tile.flatten", "tile.warp_specialize", "tile.disallow_acc_multi_buffer",
    TileDialect::kDisableLicmAttr};

static LogicalResult verifyLoopHint(Operation *op, NamedAttribute hint,
                                    bool isCount) {
  llvm::StringRef name = hint.getName().strref();
  llvm::StringRef kind = op->getName().getStringRef();
  bool fits = kind == "scf.for" ||
              (kind == "scf.while" && name == TileDialect::kDisableLicmAttr);
  if (!fits)
    return op->emitError("'")
           << name << "' belongs on scf.for"
           << (name == TileDialect::kDisableLicmAttr ? " or scf.while" : "");
  if (!isCount && !isa<UnitAttr>(hint.getValue()))
    return op->emitError("'") << name << "' takes no value";
  auto count = dyn_cast<IntegerAttr>(hint.getValue());
  if (isCount && (!count || !count.getType().isInteger(32) ||
                  count.getValue().isNegative()))
    return op->emitError("'")
           << name << "' is an i32 of at least 0, got " << hint.getValue();
  return success();
}

/// Checks a promise on tiles and scalars. Lowered ops may inherit promises,
/// which nothing reads.
static LogicalResult verifyPromise(Operation *op, NamedAttribute promise) {
  llvm::StringRef name = promise.getName().strref();
  auto values = dyn_cast<DenseI32ArrayAttr>(promise.getValue());
  if (!values || !llvm::all_of(values.asArrayRef(), [](int32_t value) {
        return value > 0 && llvm::isPowerOf2_32(value);
      }))
    return op->emitError("'") << name << "' is an i32 array of powers of two, "
                              << "got " << promise.getValue();
  auto tile = op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                  : nullptr;
  if (!tile)
    return success();
  if (!isa<IntegerType, PtrType>(tile.getElementType()))
    return op->emitError("'")
           << name << "' is about integers and pointers, got " << tile;
  if (values.size() != tile.getRank())
    return op->emitError("'") << name << "' has " << values.size()
                              << " values for rank " << tile.getRank();
  return success();
}

/// Checks `tile.non_negative`, like other promises only in form.
static LogicalResult verifyNonNegative(Operation *op, NamedAttribute promise,
                                       Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<UnitAttr>(promise.getValue()) && !isa<FloatType, PtrType>(element))
    return success();
  return op->emitError("'") << TileDialect::kNonNegativeAttr
                            << "' takes no value and is about integers, got "
                            << promise.getValue() << " of " << type;
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (llvm::is_contained({kDivisibilityAttr, kContiguityAttr, kConstancyAttr},
                         attribute.getName().strref()))
    return verifyPromise(op, attribute);
  if (attribute.getName() == kNonNegativeAttr)
    return op->getNumResults() == 1
               ? verifyNonNegative(op, attribute, op->getResult(0).getType())
               : op->emitError("'")
                     << kNonNegativeAttr << "' belongs on ops of one result";
  bool isCount = llvm::is_contained(loopCounts, attribute.getName().strref());
  if (isCount || llvm::is_contained(loopFlags, attribute.getName().strref()))
    return verifyLoopHint(op, attribute, isCount);
  if (attribute.getName() != kKernelAttr)
    return op->emitError("unknown attribute '")
           << attribute.getName().strref() << "'";
  if (!isa<FuncOp>(op))
    return op->emitError("'") << kKernelAttr << "' belongs on tile.func";
  if (!isa<UnitAttr>(attribute.getValue()))
    return op->emitError("'") << kKernelAttr << "' takes no value";
  return success();
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argument,
                                                    NamedAttribute attribute) {
  if (attribute.getName() == kConstantAttr) {
    auto func = dyn_cast<FuncOp>(op);
    if (!isa<UnitAttr>(attribute.getValue()) || !func ||
        !isa<PtrType>(func.getArgument(argument).getType()))
      return op->emitError("'") << kConstantAttr
                                << "' takes no value and belongs on a "
                                   "pointer, which argument "
                                << argument << " is not";
    return success();
  }
  if (attribute.getName() == kNonNegativeAttr)
    return verifyNonNegative(
        op, attribute,
        cast<FunctionOpInterface>(op).getArgumentTypes()[argument]);
  if (attribute.getName() != kDivisibilityAttr)
    return op->emitError("unknown attribute '")
           << attribute.getName().strref() << "' on argument " << argument;
  auto value = dyn_cast<IntegerAttr>(attribute.getValue());
  if (!value || !value.getType().isInteger(32) ||
      !value.getValue().isPowerOf2())
    return op->emitError("'")
           << kDivisibilityAttr << "' of argument " << argument
           << " must be a power of two of type i32, got "
           << attribute.getValue();
  return success();
}
