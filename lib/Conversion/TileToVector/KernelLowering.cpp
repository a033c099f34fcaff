#include "lib/Conversion/TileToVector/KernelLowering.h"

#include "lib/Conversion/TileToVector/Transpose.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace tilewright::cpu {

void KernelLowering::lowerBody(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (deferLoad(op))
      continue;
    auto store = dyn_cast<tile::StoreOp>(op);
    if (store && fuseLoadsIntoStore(store))
      continue;
    if (!isVirtual(op))
      emitDeferredLoads();
    lowerOp(op);
  }
  emitDeferredLoads();
}

void KernelLowering::lowerOp(Operation &op) {
  e.loc = op.getLoc();
  llvm::TypeSwitch<Operation *>(&op)
      .Case<scf::ForOp>([&](auto op) { lowerFor(op); })
      .Case<scf::IfOp>([&](auto op) { lowerIf(op); })
      .Case<scf::WhileOp>([&](auto op) { lowerWhile(op); })
      .Case<tile::StoreOp>([&](auto op) { lowerStore(op); })
      .Case<tile::AtomicRMWOp, tile::AtomicCASOp>(
          [&](auto op) { lowerAtomic(op); })
      .Case<tile::ReduceOp>([&](auto op) { lowerReduce(op); })
      .Case<tile::MapOp>([&](auto op) { lowerMap(op); })
      .Case<tile::GatherOp>([&](auto op) { lowerGather(op); })
      .Case<tile::HistogramOp>([&](auto op) { lowerHistogram(op); })
      .Case<tile::DotOp>([&](auto op) { lowerDot(op); })
      .Case<tile::ReshapeOp>([&](auto op) { lowerReshape(op); })
      .Case<tile::AssertOp>([&](auto op) { lowerAssert(op); })
      .Case<tile::PrintOp>([&](auto op) { lowerPrint(op); })
      // Kernels run one after the other.
      .Case<tile::LaunchWaitOp, tile::LaunchDependentsOp>([](auto) {})
      .Default([&](Operation *op) {
        if (llvm::none_of(op->getResults(), isTile))
          return lowerScalarOp(*op);
        for (Value result : op->getResults())
          if (e.plan.isBuffered(result))
            materialize(result);
      });
}

void KernelLowering::lowerScalarOp(Operation &op) {
  Value result = op.getNumResults() ? op.getResult(0) : Value();
  Value lowered;
  if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
    lowered = programIds[static_cast<unsigned>(id.getAxis())];
  } else if (auto count = dyn_cast<tile::NumProgramsOp>(op)) {
    lowered = gridSizes[static_cast<unsigned>(count.getAxis())];
  } else if (auto load = dyn_cast<tile::LoadOp>(op)) {
    return lowerScalarLoad(load);
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    TypedAttr value = constant.getValue();
    Type type = e.lowerElement(value.getType());
    if (auto number = dyn_cast<FloatAttr>(value);
        number && type != value.getType())
      value = e.b.getIntegerAttr(type, number.getValue().bitcastToAPInt());
    lowered = e.constant(value);
  } else if (isa<ub::PoisonOp>(op)) {
    lowered = e.zero(e.lowerElement(result.getType()));
  } else if (auto add = dyn_cast<tile::AddPtrOp>(op)) {
    Value offset = e.scalars.lookup(add.getOffset());
    if (offset.getType() != e.b.getI64Type())
      offset = arith::ExtSIOp::create(e.b, e.loc, e.b.getI64Type(), offset);
    auto pointer = cast<tile::PtrType>(add.getPtr().getType());
    Value bytes = e.mul(offset, e.i64(e.bytesOf(pointer.getPointee())));
    lowered = e.offsetPointer(e.scalars.lookup(add.getPtr()), bytes);
  } else if (auto cast = dyn_cast<tile::IntToPtrOp>(op)) {
    lowered = e.offsetPointer(nullptr, e.scalars.lookup(cast.getSource()));
  } else if (auto cast = dyn_cast<tile::PtrToIntOp>(op)) {
    lowered = LLVM::PtrToIntOp::create(e.b, e.loc, e.b.getI64Type(),
                                       e.scalars.lookup(cast.getSource()));
  } else if (auto cast = dyn_cast<tile::BitcastOp>(op)) {
    lowered = e.scalars.lookup(cast.getSource());
  } else {
    auto results = emitElementwise(e, &op, lookupScalars(op.getOperands()), 1);
    return mapScalars(op.getResults(), results);
  }
  e.scalars.map(result, lowered);
}

void KernelLowering::lowerScalarLoad(tile::LoadOp load) {
  Evaluator evaluator(e, 1);
  Value value = emitLoad(e, evaluator, load, {}, 1).value;
  if (isa<tile::PtrType>(load.getResult().getType()))
    value = e.offsetPointer(nullptr, value);
  e.scalars.map(load.getResult(), value);
}

Buffer KernelLowering::rowMajorBufferFor(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  return e.allocate(type.getShape(), e.storageOf(type.getElementType()));
}

/// Allocates the buffer of `tile`. A load along another dimension than the
/// innermost one keeps its order in memory.
Buffer KernelLowering::bufferFor(Value tile) {
  if (Value argument = e.plan.getReusedArgument(tile))
    return e.buffers.lookup(argument);
  auto load = tile.getDefiningOp<tile::LoadOp>();
  if (!load || e.plan.isRowMajor(tile))
    return rowMajorBufferFor(tile);
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<unsigned> order(type.getRank());
  std::iota(order.begin(), order.end(), 0u);
  const unsigned inner = getContiguousDim(load.getPtr());
  if (inner != getInnermostDim(type.getShape())) {
    order.erase(order.begin() + inner);
    order.push_back(inner);
  }
  return e.allocate(type.getShape(), e.storageOf(type.getElementType()), order);
}

/// Returns the dimension along which chunks of the definition of `tile` run.
static unsigned getLaneDim(Value tile) {
  if (auto load = tile.getDefiningOp<tile::LoadOp>())
    return getContiguousDim(load.getPtr());
  return getInnermostDim(cast<RankedTensorType>(tile.getType()).getShape());
}

static unsigned getMaxLanes(const Emitter &e, Value tile) {
  auto load = tile.getDefiningOp<tile::LoadOp>();
  return load && load.getIsVolatile() ? 1 : e.maxLanes();
}

void KernelLowering::fill(const Buffer &buffer, Value tile) {
  fillConverted(buffer, tile, [](Value value) { return value; });
}

/// Evaluates `tile` in its storage type, converts it, and writes it.
void KernelLowering::fillConverted(const Buffer &buffer, Value tile,
                                   Convert convert) {
  if (fillTransposed(buffer, tile, convert))
    return;
  auto type = cast<RankedTensorType>(tile.getType());
  e.forEachChunk(type.getShape(), getLaneDim(tile), getMaxLanes(e, tile),
                 [&](ArrayRef<Index> at, unsigned lanes) {
                   Evaluator evaluator(e, lanes);
                   e.writeBuffer(
                       buffer, at, lanes,
                       convert(evaluator.evaluateForStorage(tile, at)));
                 });
}

/// Returns the dimension along which the elements of `tile` are contiguous in
/// the buffer that they are read from, if any.
std::optional<unsigned> KernelLowering::getReadDim(Value tile) {
  if (auto buffer = e.buffers.find(tile); buffer != e.buffers.end()) {
    for (auto [dim, size] : llvm::enumerate(buffer->second.shape))
      if (size > 1 && buffer->second.strides[dim] == 1)
        return dim;
    return std::nullopt;
  }
  Operation *op = tile.getDefiningOp();
  if (auto transpose = dyn_cast_or_null<tile::TransposeOp>(op)) {
    auto source = getReadDim(transpose.getSource());
    if (!source)
      return std::nullopt;
    const auto *found = llvm::find(transpose.getOrder(), *source);
    return found - transpose.getOrder().begin();
  }
  if (op && isComputedByElement(op) && op->getNumOperands() == 1)
    return getReadDim(op->getOperand(0));
  return std::nullopt;
}

/// Fills a buffer from a tile that is contiguous along another dimension.
/// Square blocks are read along that one, transposed in registers, and written
/// along the other. Returns false if the shape is not made of such blocks.
bool KernelLowering::fillTransposed(const Buffer &buffer, Value tile,
                                    Convert convert) {
  auto type = cast<RankedTensorType>(tile.getType());
  ArrayRef<int64_t> shape = type.getShape();
  std::optional<unsigned> read = getReadDim(tile);
  const unsigned write = getInnermostDim(shape);
  const int64_t lanes =
      e.vectorBits / std::max(32u, 8 * e.bytesOf(type.getElementType()));
  if (!read || *read == write || buffer.strides[write] != 1 ||
      shape[*read] % lanes || shape[write] % lanes)
    return false;
  // The corners of the blocks form a coarser grid.
  SmallVector<int64_t> corners(shape);
  corners[*read] /= lanes;
  corners[write] /= lanes;
  e.forEachChunk(corners, write, 1, [&](ArrayRef<Index> corner, unsigned) {
    Indices at(corner);
    for (unsigned dim : {*read, write})
      at[dim].base = e.mul(corner[dim].base, e.i64(lanes));
    const Indices origin = at;
    Values rows;
    Evaluator evaluator(e, lanes);
    at[*read].varies = true;
    for (int64_t i = 0; i < lanes; ++i) {
      at[write].base = e.add(origin[write].base, e.i64(i));
      rows.push_back(convert(evaluator.evaluateForStorage(tile, at)));
    }
    at = origin;
    at[write].varies = true;
    for (auto [i, column] : llvm::enumerate(transposeRows(e.b, e.loc, rows))) {
      at[*read].base = e.add(origin[*read].base, e.i64(i));
      e.writeBuffer(buffer, at, lanes, column);
    }
  });
  return true;
}

void KernelLowering::materialize(Value tile) {
  if (auto constant = tile.getDefiningOp<arith::ConstantOp>();
      constant && !isa<SplatElementsAttr>(constant.getValue()))
    return lowerConstant(constant);
  Buffer buffer = bufferFor(tile);
  fill(buffer, tile);
  e.buffers[tile] = buffer;
}

void KernelLowering::lowerReshape(tile::ReshapeOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Buffer view = e.buffers.lookup(op.getSource());
  view.shape.assign(type.getShape().begin(), type.getShape().end());
  view.strides.assign(type.getRank(), 1);
  for (int64_t dim = type.getRank() - 1; dim > 0; --dim)
    view.strides[dim - 1] = view.strides[dim] * view.shape[dim];
  e.buffers[op.getResult()] = view;
}

/// Emits a constant of many values as data of the module.
void KernelLowering::lowerConstant(arith::ConstantOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  auto values = cast<DenseElementsAttr>(op.getValue());
  Type storage = e.storageOf(type.getElementType());
  auto integer = e.b.getIntegerType(storage.getIntOrFloatBitWidth());
  SmallVector<APInt> words;
  for (Attribute value : values.getValues<Attribute>()) {
    auto number = dyn_cast<FloatAttr>(value);
    APInt bits = number ? number.getValue().bitcastToAPInt()
                        : cast<IntegerAttr>(value).getValue();
    words.push_back(bits.zext(integer.getWidth()));
  }
  auto dataType =
      RankedTensorType::get({static_cast<int64_t>(words.size())}, integer);
  Buffer buffer;
  buffer.storage = storage;
  buffer.pointer = globalData(LLVM::LLVMArrayType::get(integer, words.size()),
                              DenseElementsAttr::get(dataType, words));
  buffer.shape.assign(type.getShape().begin(), type.getShape().end());
  buffer.strides.assign(type.getRank(), 1);
  for (int64_t dim = type.getRank() - 1; dim > 0; --dim)
    buffer.strides[dim - 1] = buffer.strides[dim] * buffer.shape[dim];
  e.buffers[op.getResult()] = buffer;
}

void KernelLowering::lowerStore(tile::StoreOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getPtr().getType());
  ArrayRef<int64_t> shape = type ? type.getShape() : ArrayRef<int64_t>();
  e.forEachChunk(shape, getContiguousDim(op.getPtr()), e.maxLanes(),
                 [&](ArrayRef<Index> at, unsigned lanes) {
                   Evaluator evaluator(e, lanes);
                   emitStore(e, evaluator, op, at, lanes);
                 });
}

} // namespace tilewright::cpu
