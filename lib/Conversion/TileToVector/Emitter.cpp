#include "lib/Conversion/TileToVector/Emitter.h"

#include "lib/Conversion/TileToVector/ShortFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace tilewright::cpu {

static constexpr int64_t kAlignment = 64;
/// In large kernels deeper nests become one loop.
static constexpr unsigned kMaxNest = 3;
/// More bytes than this are taken from the thread's scratch memory, not its
/// stack.
static constexpr int64_t kMaxStackBytes = 64 * 1024;
static constexpr StringLiteral kScratchFunction = "tw_host_scratch";

bool Buffer::isRowMajor() const {
  int64_t expected = 1;
  for (unsigned dim = shape.size(); dim-- > 0;) {
    if (shape[dim] > 1 && strides[dim] != expected)
      return false;
    expected *= shape[dim];
  }
  return true;
}

unsigned chunkLanes(int64_t size, unsigned limit) {
  return llvm::bit_floor(static_cast<uint64_t>(std::min<int64_t>(size, limit)));
}

/// Returns the total rank of all tiles with deep nests. Nests for many of them
/// would take minutes to compile, as in a sort by steps of two.
static unsigned countDimensions(Operation *function) {
  unsigned count = 0;
  function->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<RankedTensorType>(type))
        count += tile.getRank() > kMaxNest ? tile.getRank() : 0;
  });
  return count;
}

Emitter::Emitter(Operation *function, unsigned vectorBits,
                 unsigned maxDimensions, OpBuilder builder)
    : b(builder), loc(function->getLoc()), vectorBits(vectorBits),
      plan(function), mergesLoops(countDimensions(function) > maxDimensions) {}

Value Emitter::constant(TypedAttr value) {
  return arith::ConstantOp::create(b, loc, value);
}

Value Emitter::i64(int64_t value) {
  return constant(b.getI64IntegerAttr(value));
}

Value Emitter::zero(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::ZeroOp::create(b, loc, type);
  return constant(b.getZeroAttr(type));
}

Value Emitter::splat(Value scalar, unsigned lanes) {
  auto type = VectorType::get({lanes}, scalar.getType());
  return vector::BroadcastOp::create(b, loc, type, scalar);
}

Value Emitter::iota(Type element, unsigned lanes) {
  SmallVector<APInt> values;
  const unsigned width = element.getIntOrFloatBitWidth();
  for (unsigned i = 0; i < lanes; ++i)
    values.push_back(APInt(width, i, false, /*implicitTrunc=*/true));
  return constant(
      DenseElementsAttr::get(VectorType::get({lanes}, element), values));
}

Value Emitter::add(Value lhs, Value rhs) {
  return b.createOrFold<arith::AddIOp>(loc, lhs, rhs);
}

Value Emitter::mul(Value lhs, Value rhs) {
  return b.createOrFold<arith::MulIOp>(loc, lhs, rhs);
}

Value Emitter::offsetPointer(Value pointer, Value bytes) {
  Type pointerType = LLVM::LLVMPointerType::get(b.getContext());
  Type type = pointerType;
  if (auto vector = dyn_cast<VectorType>(bytes.getType()))
    type = VectorType::get(vector.getShape(), pointerType);
  if (!pointer)
    return LLVM::IntToPtrOp::create(b, loc, type, bytes);
  return LLVM::GEPOp::create(b, loc, type, b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Type Emitter::lowerElement(Type type) const {
  Type element = getElementTypeOrSelf(type);
  if (isa<tile::PtrType>(element))
    return LLVM::LLVMPointerType::get(type.getContext());
  if (travelsAsBits(element))
    return IntegerType::get(type.getContext(), element.getIntOrFloatBitWidth());
  return element;
}

Type Emitter::storageOf(Type element) const {
  MLIRContext *context = element.getContext();
  if (isa<tile::PtrType>(element))
    return IntegerType::get(context, 64);
  if (element.isInteger(1))
    return IntegerType::get(context, 8);
  return lowerElement(element);
}

unsigned Emitter::bytesOf(Type element) const {
  return storageOf(element).getIntOrFloatBitWidth() / 8;
}

Buffer Emitter::allocate(ArrayRef<int64_t> shape, Type storage,
                         ArrayRef<unsigned> order) {
  Buffer buffer;
  buffer.storage = storage;
  buffer.shape.assign(shape.begin(), shape.end());
  buffer.strides.assign(shape.size(), 1);
  SmallVector<unsigned> dims(order);
  if (dims.empty()) {
    dims.resize(shape.size());
    std::iota(dims.begin(), dims.end(), 0u);
  }
  int64_t elements = 1;
  for (unsigned dim : llvm::reverse(dims)) {
    buffer.strides[dim] = elements;
    elements *= shape[dim];
  }
  // A whole number of cache lines keeps full-width access inside the buffer.
  const int64_t bytes = llvm::alignTo(
      elements * (storage.getIntOrFloatBitWidth() / 8), kAlignment);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(entry);
  auto op =
      LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()),
                             b.getI8Type(), i64(bytes), kAlignment);
  allocations.push_back({op, bytes});
  buffer.pointer = op;
  return buffer;
}

void Emitter::assignAllocations() {
  int64_t total = 0;
  for (const Allocation &allocation : allocations)
    total += allocation.bytes;
  if (total <= kMaxStackBytes)
    return;
  auto module = entry->getParentOp()->getParentOfType<ModuleOp>();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  OpBuilder::InsertionGuard guard(b);
  if (!module.lookupSymbol(kScratchFunction)) {
    b.setInsertionPointToStart(module.getBody());
    LLVM::LLVMFuncOp::create(
        b, loc, kScratchFunction,
        LLVM::LLVMFunctionType::get(pointer, {b.getI64Type()}));
  }
  b.setInsertionPointToStart(entry);
  Value scratch = LLVM::CallOp::create(b, loc, TypeRange{pointer},
                                       kScratchFunction, ValueRange{i64(total)})
                      .getResult();
  int64_t offset = 0;
  for (Allocation &allocation : allocations) {
    allocation.op.replaceAllUsesWith(offsetPointer(scratch, i64(offset)));
    allocation.op.erase();
    offset += allocation.bytes;
  }
  allocations.clear();
}

/// Returns the offset of the chunk's first element, in elements, and the step
/// between lanes (0 if all are the same).
static std::pair<Value, int64_t> locate(Emitter &e, const Buffer &buffer,
                                        ArrayRef<Index> at) {
  Value offset = e.i64(0);
  int64_t step = 0;
  for (auto [index, stride] : llvm::zip(at, buffer.strides)) {
    offset = e.add(offset, e.mul(index.base, e.i64(stride)));
    if (index.varies)
      step = stride;
  }
  return {offset, step};
}

static Value strideLanes(Emitter &e, int64_t stepBytes, unsigned lanes) {
  Value iota = e.iota(e.b.getI64Type(), lanes);
  return e.mul(iota, e.splat(e.i64(stepBytes), lanes));
}

static Value allLanes(Emitter &e, unsigned lanes) {
  auto type = VectorType::get({lanes}, e.b.getI1Type());
  return e.constant(DenseElementsAttr::get(type, true));
}

Lanes Emitter::readBuffer(const Buffer &buffer, ArrayRef<Index> at,
                          unsigned lanes) {
  const int64_t bytes = buffer.storage.getIntOrFloatBitWidth() / 8;
  auto [offset, step] = locate(*this, buffer, at);
  Value pointer = offsetPointer(buffer.pointer, mul(offset, i64(bytes)));
  if (step == 0 || lanes == 1)
    return Lanes::uniform(
        LLVM::LoadOp::create(b, loc, buffer.storage, pointer, bytes));
  auto type = VectorType::get({lanes}, buffer.storage);
  if (step == 1)
    return Lanes::vector(LLVM::LoadOp::create(b, loc, type, pointer, bytes));
  Value pointers =
      offsetPointer(pointer, strideLanes(*this, step * bytes, lanes));
  return Lanes::vector(LLVM::masked_gather::create(
      b, loc, type, pointers, allLanes(*this, lanes), ValueRange{zero(type)},
      static_cast<uint32_t>(bytes)));
}

void Emitter::writeBuffer(const Buffer &buffer, ArrayRef<Index> at,
                          unsigned lanes, Value value) {
  const int64_t bytes = buffer.storage.getIntOrFloatBitWidth() / 8;
  auto [offset, step] = locate(*this, buffer, at);
  Value pointer = offsetPointer(buffer.pointer, mul(offset, i64(bytes)));
  if (lanes == 1 || step == 1) {
    LLVM::StoreOp::create(b, loc, value, pointer, bytes);
    return;
  }
  Value pointers =
      offsetPointer(pointer, strideLanes(*this, step * bytes, lanes));
  LLVM::masked_scatter::create(b, loc, value, pointers, allLanes(*this, lanes),
                               static_cast<uint32_t>(bytes));
}

Value Emitter::widen(const Lanes &value, unsigned lanes) {
  if (lanes == 1 || value.isVector())
    return value.value;
  Value start = splat(value.value, lanes);
  if (value.isUniform())
    return start;
  Value steps =
      mul(iota(value.value.getType(), lanes), splat(value.stride, lanes));
  return add(start, steps);
}

void Emitter::forRange(int64_t begin, int64_t end, int64_t step,
                       llvm::function_ref<void(Value)> body) {
  if (begin + step >= end) {
    if (begin < end)
      body(i64(begin));
    return;
  }
  auto loop = scf::ForOp::create(b, loc, i64(begin), i64(end), i64(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void Emitter::forEachIndex(ArrayRef<unsigned> dims, ArrayRef<int64_t> shape,
                           Indices &at, llvm::function_ref<void()> body) {
  if (dims.empty())
    return body();
  forRange(0, shape[dims.front()], 1, [&](Value index) {
    at[dims.front()] = {index, false};
    forEachIndex(dims.drop_front(), shape, at, body);
  });
}

void Emitter::forEachIndexInOneLoop(ArrayRef<unsigned> dims,
                                    ArrayRef<int64_t> shape, Indices &at,
                                    llvm::function_ref<void()> body) {
  int64_t count = 1;
  for (unsigned dim : dims)
    count *= shape[dim];
  forRange(0, count, 1, [&](Value rest) {
    for (unsigned dim : llvm::reverse(dims)) {
      Value size = i64(shape[dim]);
      at[dim] = {arith::RemUIOp::create(b, loc, rest, size), false};
      rest = arith::DivUIOp::create(b, loc, rest, size);
    }
    body();
  });
}

void Emitter::forEachChunkOfLine(int64_t size, unsigned laneDim,
                                 unsigned maxLanes, Indices &at,
                                 ChunkBody body) {
  for (int64_t begin = 0; begin < size;) {
    const unsigned lanes = chunkLanes(size - begin, maxLanes);
    const int64_t end = begin + llvm::alignDown(size - begin, lanes);
    forRange(begin, end, lanes, [&](Value index) {
      at[laneDim] = {index, lanes > 1};
      body(at, lanes);
    });
    begin = end;
  }
}

void Emitter::forEachChunk(ArrayRef<int64_t> shape, unsigned laneDim,
                           unsigned maxLanes, ChunkBody body) {
  if (shape.empty())
    return body({}, 1);
  Indices at(shape.size());
  SmallVector<unsigned> outer;
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    if (dim == laneDim)
      continue;
    if (shape[dim] > 1)
      outer.push_back(dim);
    else
      at[dim] = {i64(0), false};
  }
  const auto line = [&] {
    forEachChunkOfLine(shape[laneDim], laneDim, maxLanes, at, body);
  };
  if (mergesLoops && outer.size() > kMaxNest)
    forEachIndexInOneLoop(outer, shape, at, line);
  else
    forEachIndex(outer, shape, at, line);
}

} // namespace tilewright::cpu
