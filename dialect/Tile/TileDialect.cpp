#include "dialect/Tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace tilewright::tile;

#include "dialect/Tile/TileDialect.cpp.inc"

namespace {
/// Every function of the dialect may be inlined into every other.
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
#include "dialect/Tile/TileAtomicOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Tile/TileCastOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Tile/TileDebugOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialect/Tile/TileDotOps.cpp.inc"
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

/// Hints of a loop: counts (i32, not negative) and flags.
static constexpr llvm::StringLiteral loopCounts[] = {"tile.num_stages",
                                                     "tile.loop_unroll_factor"};
static constexpr llvm::StringLiteral loopFlags[] = {
    "tile.flatten", "tile.warp_specialize", "tile.disallow_acc_multi_buffer",
    "tile.disable_licm"};

static LogicalResult verifyLoopHint(Operation *op, NamedAttribute hint,
                                    bool isCount) {
  llvm::StringRef name = hint.getName().strref();
  if (op->getName().getStringRef() != "scf.for")
    return op->emitError("'") << name << "' belongs on scf.for";
  if (!isCount && !isa<UnitAttr>(hint.getValue()))
    return op->emitError("'") << name << "' takes no value";
  auto count = dyn_cast<IntegerAttr>(hint.getValue());
  if (isCount && (!count || !count.getType().isInteger(32) ||
                  count.getValue().isNegative()))
    return op->emitError("'")
           << name << "' is an i32 of at least 0, got " << hint.getValue();
  return success();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
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
