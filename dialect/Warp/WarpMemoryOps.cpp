#include "dialect/Warp/WarpOps.h"
#include "lib/Layout/TmaTiling.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// Parses `(tensor) -> !warp.shared` with a source, `!warp.shared` without.
static ParseResult parseAllocTypes(OpAsmParser &parser, Type &source,
                                   Type &result) {
  if (failed(parser.parseOptionalLParen()))
    return parser.parseType(result);
  return failure(parser.parseType(source) || parser.parseRParen() ||
                 parser.parseArrow() || parser.parseType(result));
}

static void printAllocTypes(OpAsmPrinter &printer, Operation *, Type source,
                            Type result) {
  if (source)
    printer << '(' << source << ") -> ";
  printer << result;
}

#define GET_OP_CLASSES
#include "dialect/Warp/WarpMemoryOps.cpp.inc"

static LogicalResult verifyLayout(Operation *op, RankedTensorType tile) {
  if (!getLinearAttr(tile) && (tile.getEncoding() || hasLayouts(op)))
    return op->emitOpError("needs a tile with a #warp.linear layout, got ")
           << tile;
  return success();
}

/// Checks that `tile` has the type of `memory`, and a layout if tiles have
/// layouts.
static LogicalResult verifyTile(Operation *op, Type tile, SharedType memory) {
  auto tensor = cast<RankedTensorType>(tile);
  if (failed(verifyLayout(op, tensor)))
    return failure();
  if (tensor.getShape() != memory.getShape() ||
      tensor.getElementType() != memory.getElementType()) // C1
    return op->emitOpError("moves ")
           << tensor << " but the shared memory is " << memory;
  return success();
}

LogicalResult AllocOp::verify() {
  if (!llvm::isPowerOf2_32(getCluster()) || getCluster() > 16) // C2
    return emitOpError("needs a cluster size that is a power of two up to 16, "
                       "got ")
           << getCluster();
  return getSource() ? verifyTile(*this, getSource().getType(), getType())
                     : success();
}

void AllocOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  OpResult result = getOperation()->getOpResult(0);
  effects.emplace_back(MemoryEffects::Allocate::get(), result,
                       SharedMemory::get());
  if (getSource())
    effects.emplace_back(MemoryEffects::Write::get(), result,
                         SharedMemory::get());
}

LogicalResult LocalLoadOp::verify() {
  SharedType memory = getMemory().getType();
  if (!getStart())
    return verifyTile(*this, getType(), memory);
  RankedTensorType tile = getType();
  if (failed(verifyLayout(*this, tile)))
    return failure();
  if (tile.getElementType() != memory.getElementType()) // C1
    return emitOpError("moves ")
           << tile << " but the shared memory is " << memory;
  ArrayRef<int64_t> start = *getStart(), inner = tile.getShape(),
                    outer = memory.getShape();
  bool fits = start.size() == outer.size() && inner.size() == outer.size();
  for (size_t dim = 0; fits && dim < start.size(); ++dim)
    fits = start[dim] >= 0 && start[dim] % inner[dim] == 0 &&
           start[dim] + inner[dim] <= outer[dim];
  if (!fits) // C2
    return emitOpError("needs a start in ")
           << memory << " that is a multiple of the extents of " << tile
           << ", got [" << start << "]";
  return success();
}

AllocOp warp::getAlloc(Value memory) {
  while (auto other = memory.getDefiningOp<SharedTransposeOp>())
    memory = other.getSource();
  return memory.getDefiningOp<AllocOp>();
}

LogicalResult RemoteLoadOp::verify() {
  if (failed(verifyTile(*this, getType(), getMemory().getType()))) // C1
    return failure();
  AllocOp alloc = getAlloc(getMemory());
  if (alloc && alloc.getCluster() > 1) // C2
    return success();
  auto error = emitOpError("reads memory that other CTAs do not have");
  error.attachNote(getMemory().getLoc()) << "allocated here";
  return error;
}

LogicalResult LocalStoreOp::verify() {
  return verifyTile(*this, getSource().getType(), getMemory().getType());
}

static bool isPermutation(ArrayRef<int32_t> order, size_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int32_t dim : order)
    if (dim >= 0 && size_t(dim) < rank)
      seen.set(dim);
  return order.size() == rank && seen.all();
}

LogicalResult SharedTransposeOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto source = dyn_cast<SharedType>(adaptor.getSource().getType());
  if (!source)
    return emitOptionalError(loc, "needs a tile in shared memory");
  ArrayRef<int32_t> order = adaptor.getOrder();
  if (!isPermutation(order, source.getShape().size())) // C1
    return emitOptionalError(loc, "needs an order of ",
                             source.getShape().size(), " dimensions, got [",
                             order, "]");
  SmallVector<int64_t> shape;
  for (int32_t dim : order)
    shape.push_back(source.getShape()[dim]);
  LinearLayout layout = source.getLayout().getLayout().transpose(order);
  types.push_back(SharedType::get(context, shape, source.getElementType(),
                                  LinearAttr::get(context, layout)));
  return success();
}

//===----------------------------------------------------------------------===//
// Copies to global memory
//===----------------------------------------------------------------------===//

bool TmaStoreOp::canReduce(tile::AtomicKind kind, Type element) {
  using tile::AtomicKind;
  if (kind == AtomicKind::FAdd)
    return element.isF16() || element.isBF16() || element.isF32();
  return kind != AtomicKind::Xchg &&
         (element.isInteger(32) || element.isInteger(64));
}

LogicalResult TmaStoreOp::verify() {
  RankedTensorType type = getSource().getType();
  size_t rank = getOffsets().size();
  if (int64_t(rank) < type.getRank() || rank < 1 || rank > 5) // C1
    return emitOpError("needs one to five offsets, at least one for each "
                       "dimension of ")
           << type << ", got " << rank;
  if (!tmaLayout(type.getShape(),
                 8 * getElementBytes(type.getElementType()))) // C2
    return emitOpError("cannot copy rows of ") << type;
  SharedType staging = getStaging().getType();
  if (staging.getShape().size() != 1 ||
      !staging.getElementType().isInteger(8)) // C3
    return emitOpError("needs a one-dimensional staging tile of bytes, got ")
           << staging;
  if (getReduction() &&
      !canReduce(*getReduction(), type.getElementType())) // C4
    return emitOpError("has no reduction '")
           << tile::stringifyAtomicKind(*getReduction()) << "' of "
           << type.getElementType();
  return success();
}
