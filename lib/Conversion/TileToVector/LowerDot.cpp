// Lowers dots in register tiles: a few rows by a few vectors of the result stay
// in registers during the loop over K.

#include "lib/Conversion/TileToVector/KernelLowering.h"
#include "lib/Conversion/TileToVector/ShortFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace mlir;

namespace tilewright::cpu {

namespace {
/// Consecutive columns of the result in `vectors` vectors of `lanes` elements.
struct Panel {
  int64_t begin;
  int64_t end;
  unsigned vectors;
  unsigned lanes;
  int64_t width() const { return static_cast<int64_t>(vectors) * lanes; }
};

class DotEmitter {
public:
  DotEmitter(Emitter &e, const Buffer &a, const Buffer &b, const Buffer &c)
      : e(e), a(a), b(b), c(c) {}
  void emit();

private:
  SmallVector<Panel> splitColumns() const;
  void emitRows(const Panel &panel, Value column);
  void emitRegisterTile(const Panel &panel, unsigned rows, Value row,
                        Value column);
  SmallVector<Value> step(const Panel &panel, unsigned rows, Value row,
                          Value column, Value k, ValueRange accs);
  Value multiplyAdd(Value x, Value y, Value acc);
  SmallVector<Indices> getChunks(const Panel &panel, unsigned rows, Value row,
                                 Value column);

  Emitter &e;
  const Buffer &a, &b, &c;
};
} // namespace

/// Rows of a register tile: the registers that the vectors of the columns and
/// one factor leave free. Processors with 512-bit vectors have 32, others 16.
static unsigned maxRows(unsigned vectorBits) {
  return vectorBits >= 512 ? 12 : 6;
}
static constexpr unsigned kVectorsPerPanel = 2;

SmallVector<Panel> DotEmitter::splitColumns() const {
  const unsigned width = e.vectorBits / c.storage.getIntOrFloatBitWidth();
  const int64_t columns = c.shape[1];
  SmallVector<Panel> panels;
  for (int64_t begin = 0; begin < columns;) {
    const int64_t left = columns - begin;
    const unsigned lanes = chunkLanes(left, width);
    const unsigned vectors = std::min<int64_t>(left / lanes, kVectorsPerPanel);
    const int64_t step = static_cast<int64_t>(vectors) * lanes;
    const int64_t end = begin + left / step * step;
    panels.push_back({begin, end, vectors, lanes});
    begin = end;
  }
  return panels;
}

void DotEmitter::emit() {
  for (const Panel &panel : splitColumns())
    e.forRange(panel.begin, panel.end, panel.width(),
               [&](Value column) { emitRows(panel, column); });
}

/// Chooses register tiles with as equal row counts as possible. 64 rows as 5 x
/// 12 and 4 would leave the last tile mostly idle.
static int64_t chooseRows(int64_t rows, int64_t limit) {
  for (int64_t count = limit; count > limit / 2; --count)
    if (rows % count == 0)
      return count;
  return std::min(rows, limit);
}

void DotEmitter::emitRows(const Panel &panel, Value column) {
  const int64_t all = c.shape[0];
  const int64_t rows = chooseRows(all, maxRows(e.vectorBits));
  const int64_t full = all / rows * rows;
  e.forRange(0, full, rows,
             [&](Value row) { emitRegisterTile(panel, rows, row, column); });
  if (full < all)
    emitRegisterTile(panel, all - full, e.i64(full), column);
}

SmallVector<Indices> DotEmitter::getChunks(const Panel &panel, unsigned rows,
                                           Value row, Value column) {
  SmallVector<Indices> chunks;
  for (unsigned i = 0; i < rows; ++i)
    for (unsigned j = 0; j < panel.vectors; ++j)
      chunks.push_back(
          {{e.add(row, e.i64(i)), false},
           {e.add(column, e.i64(j * panel.lanes)), panel.lanes > 1}});
  return chunks;
}

void DotEmitter::emitRegisterTile(const Panel &panel, unsigned rows, Value row,
                                  Value column) {
  SmallVector<Indices> chunks = getChunks(panel, rows, row, column);
  SmallVector<Value> accs;
  for (const Indices &chunk : chunks)
    accs.push_back(e.readBuffer(c, chunk, panel.lanes).value);
  auto loop = scf::ForOp::create(e.b, e.loc, e.i64(0), e.i64(a.shape[1]),
                                 e.i64(1), accs);
  {
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(e.b, e.loc,
                         step(panel, rows, row, column, loop.getInductionVar(),
                              loop.getRegionIterArgs()));
  }
  for (auto [chunk, acc] : llvm::zip(chunks, loop.getResults()))
    e.writeBuffer(c, chunk, panel.lanes, acc);
}

SmallVector<Value> DotEmitter::step(const Panel &panel, unsigned rows,
                                    Value row, Value column, Value k,
                                    ValueRange accs) {
  SmallVector<Value> factors;
  for (unsigned j = 0; j < panel.vectors; ++j) {
    Indices chunk = {{k, false},
                     {e.add(column, e.i64(j * panel.lanes)), panel.lanes > 1}};
    factors.push_back(e.readBuffer(b, chunk, panel.lanes).value);
  }
  SmallVector<Value> next;
  for (unsigned i = 0; i < rows; ++i) {
    Indices chunk = {{e.add(row, e.i64(i)), false}, {k, false}};
    Value factor = e.widen(e.readBuffer(a, chunk, panel.lanes), panel.lanes);
    for (unsigned j = 0; j < panel.vectors; ++j)
      next.push_back(
          multiplyAdd(factor, factors[j], accs[i * panel.vectors + j]));
  }
  return next;
}

Value DotEmitter::multiplyAdd(Value x, Value y, Value acc) {
  if (isa<FloatType>(getElementTypeOrSelf(x.getType())))
    // One instruction where the processor has it, never a call.
    return LLVM::FMulAddOp::create(e.b, e.loc, x, y, acc);
  return e.add(e.mul(x, y), acc);
}

/// Returns one matrix of a buffer of rank 3.
static Buffer getMatrix(Emitter &e, const Buffer &batch, Value number) {
  const int64_t bytes = batch.storage.getIntOrFloatBitWidth() / 8;
  Buffer matrix = batch;
  matrix.pointer = e.offsetPointer(
      batch.pointer, e.mul(number, e.i64(batch.strides[0] * bytes)));
  matrix.shape.erase(matrix.shape.begin());
  matrix.strides.erase(matrix.strides.begin());
  return matrix;
}

/// Emits c += a . b. Buffers of rank 3 are multiplied matrix by matrix.
static void emitDots(Emitter &e, const Buffer &a, const Buffer &b,
                     const Buffer &c) {
  if (c.shape.size() == 2)
    return DotEmitter(e, a, b, c).emit();
  e.forRange(0, c.shape[0], 1, [&](Value number) {
    Buffer lhs = getMatrix(e, a, number), rhs = getMatrix(e, b, number),
           acc = getMatrix(e, c, number);
    DotEmitter(e, lhs, rhs, acc).emit();
  });
}

/// Returns the type in which dots accumulate.
static Type getComputeType(tile::DotOp op) {
  Type element = getElementTypeOrSelf(op.getAcc().getType());
  return isShortFloat(element) ? Float32Type::get(op.getContext()) : element;
}

static Value toCompute(Emitter &e, Value value, Type element, Type compute) {
  if (isa<FloatType>(element))
    return convertFloat(e.b, e.loc, value, element, compute);
  if (element == compute)
    return value;
  Type type = compute;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(compute);
  return arith::ExtSIOp::create(e.b, e.loc, type, value);
}

/// Returns a row-major buffer of the elements of `tile` in the compute type.
/// That is the tile's own buffer if it fits.
Buffer KernelLowering::operandBuffer(Value tile, Type compute, bool isExact) {
  auto type = cast<RankedTensorType>(tile.getType());
  Type element = type.getElementType();
  auto own = e.buffers.find(tile);
  if (isExact && own != e.buffers.end() && own->second.isRowMajor())
    return own->second;
  Buffer packed = e.allocate(type.getShape(), compute);
  fillConverted(packed, tile, [&](Value value) {
    return toCompute(e, value, element, compute);
  });
  return packed;
}

void KernelLowering::lowerDot(tile::DotOp op) {
  Type compute = getComputeType(op);
  const auto isCompute = [&](Value tile) {
    return getElementTypeOrSelf(tile.getType()) == compute;
  };
  // Operands first: the result may take the accumulator's memory.
  Buffer a = operandBuffer(op.getA(), compute, isCompute(op.getA()));
  Buffer b = operandBuffer(op.getB(), compute, isCompute(op.getB()));
  Buffer result = bufferFor(op.getResult());
  if (isCompute(op.getAcc())) {
    auto own = e.buffers.find(op.getAcc());
    if (own == e.buffers.end() || own->second.pointer != result.pointer)
      fill(result, op.getAcc());
    emitDots(e, a, b, result);
  } else {
    Buffer accBuffer = operandBuffer(op.getAcc(), compute, /*isExact=*/false);
    emitDots(e, a, b, accBuffer);
    auto type = cast<RankedTensorType>(op.getResult().getType());
    e.forEachChunk(type.getShape(), getInnermostDim(type.getShape()),
                   e.maxLanes(), [&](ArrayRef<Index> at, unsigned lanes) {
                     Value acc =
                         e.widen(e.readBuffer(accBuffer, at, lanes), lanes);
                     e.writeBuffer(result, at, lanes,
                                   convertFloat(e.b, e.loc, acc, compute,
                                                type.getElementType()));
                   });
  }
  e.buffers[op.getResult()] = result;
}

} // namespace tilewright::cpu
