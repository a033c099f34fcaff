// The state that all parts of the lowering of one kernel share: the builder,
// emitted values, buffers, and loops over chunks.

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_EMITTER_H
#define TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_EMITTER_H

#include "lib/Conversion/TileToVector/BufferPlan.h"
#include "lib/Conversion/TileToVector/Lanes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright::cpu {

/// Memory of one tile. Strides count elements.
struct Buffer {
  mlir::Value pointer;
  mlir::Type storage;
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<int64_t> strides;

  bool isRowMajor() const;
};

struct Emitter {
  Emitter(mlir::Operation *function, unsigned vectorBits,
          unsigned maxDimensions, mlir::OpBuilder builder);

  mlir::OpBuilder b;
  mlir::Location loc;
  /// Bits of the widest vector register.
  unsigned vectorBits;
  BufferPlan plan;
  /// Lowered scalars, by the `tile` level's values.
  mlir::IRMapping scalars;
  /// Buffers, by the `tile` level's tiles.
  llvm::DenseMap<mlir::Value, Buffer> buffers;

  /// The block in which memory for the whole call is allocated.
  mlir::Block *entry = nullptr;

  /// Lanes of a chunk of elementwise work: two registers of 32-bit elements, so
  /// that their latencies overlap.
  unsigned maxLanes() const { return vectorBits / 16; }

  mlir::Value i64(int64_t value);
  mlir::Value constant(mlir::TypedAttr value);
  /// A scalar or vector with every element `value` (an integer or a float).
  mlir::Value zero(mlir::Type type);
  mlir::Value splat(mlir::Value scalar, unsigned lanes);
  /// The vector <0, 1, 2, ...> of an integer type.
  mlir::Value iota(mlir::Type element, unsigned lanes);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  /// `pointer` moved by `bytes` (i64, or a vector of i64 for a vector of
  /// pointers). A null pointer makes addresses of plain integers.
  mlir::Value offsetPointer(mlir::Value pointer, mlir::Value bytes);
  /// Returns the lowered element type of a tile or a scalar.
  mlir::Type lowerElement(mlir::Type type) const;
  /// Returns the type of an element in memory.
  mlir::Type storageOf(mlir::Type element) const;
  unsigned bytesOf(mlir::Type element) const;

  /// Memory that lives as long as the call. `order` names the dimensions from
  /// the outermost to the innermost; empty for row-major.
  Buffer allocate(llvm::ArrayRef<int64_t> shape, mlir::Type storage,
                  llvm::ArrayRef<unsigned> order = {});
  /// Assigns memory to all allocations so far: on the stack if they are small,
  /// in the thread's scratch memory otherwise.
  void assignAllocations();

  /// Reads or writes a chunk. The value has the buffer's storage type.
  Lanes readBuffer(const Buffer &buffer, llvm::ArrayRef<Index> at,
                   unsigned lanes);
  void writeBuffer(const Buffer &buffer, llvm::ArrayRef<Index> at,
                   unsigned lanes, mlir::Value value);

  /// The vector (or with one lane the scalar) of `value`.
  mlir::Value widen(const Lanes &value, unsigned lanes);

  using ChunkBody =
      llvm::function_ref<void(llvm::ArrayRef<Index> at, unsigned lanes)>;
  /// Loops over a shape in chunks of at most `maxLanes` elements along
  /// `laneDim`. The body is emitted once for full chunks and once for each
  /// power of two in what remains.
  void forEachChunk(llvm::ArrayRef<int64_t> shape, unsigned laneDim,
                    unsigned maxLanes, ChunkBody body);
  void forRange(int64_t begin, int64_t end, int64_t step,
                llvm::function_ref<void(mlir::Value)> body);

private:
  /// Loops over all indices along some dimensions of a shape, the last of them
  /// innermost. Emits a nest, or one loop over a linear index that it splits.
  void forEachIndex(llvm::ArrayRef<unsigned> dims,
                    llvm::ArrayRef<int64_t> shape, Indices &at,
                    llvm::function_ref<void()> body);
  void forEachIndexInOneLoop(llvm::ArrayRef<unsigned> dims,
                             llvm::ArrayRef<int64_t> shape, Indices &at,
                             llvm::function_ref<void()> body);
  void forEachChunkOfLine(int64_t size, unsigned laneDim, unsigned maxLanes,
                          Indices &at, ChunkBody body);

  struct Allocation {
    mlir::LLVM::AllocaOp op;
    int64_t bytes;
  };
  /// Whether deep nests become one loop each. That takes a few more
  /// instructions and much less time to compile.
  bool mergesLoops;
  llvm::SmallVector<Allocation> allocations;
};

/// The largest power of two up to `limit` and `size`.
unsigned chunkLanes(int64_t size, unsigned limit);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_EMITTER_H
