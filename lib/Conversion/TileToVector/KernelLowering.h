// Lowers the body of one kernel, op by op, in order.

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_KERNELLOWERING_H
#define TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_KERNELLOWERING_H

#include "lib/Conversion/TileToVector/Evaluator.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::cpu {

class KernelLowering {
public:
  KernelLowering(Emitter &emitter, llvm::ArrayRef<mlir::Value> programIds,
                 llvm::ArrayRef<mlir::Value> gridSizes)
      : e(emitter), programIds(programIds), gridSizes(gridSizes) {}

  /// Lowers all ops of `block` but its terminator at the insertion point.
  void lowerBody(mlir::Block &block);

private:
  void lowerOp(mlir::Operation &op);
  void lowerScalarOp(mlir::Operation &op);

  // Deferred loads, which share loops with others.
  bool isVirtual(mlir::Operation &op);
  bool deferLoad(mlir::Operation &op);
  bool readsDeferredLoad(mlir::Value value);
  void emitDeferredLoads();
  bool fuseLoadsIntoStore(tile::StoreOp store);
  mlir::Value firstAddress(mlir::Value pointers);
  mlir::Value mayShareLoop(tile::StoreOp store);

  // Tiles with a buffer.
  void materialize(mlir::Value tile);
  void fill(const Buffer &buffer, mlir::Value tile);
  using Convert = llvm::function_ref<mlir::Value(mlir::Value)>;
  void fillConverted(const Buffer &buffer, mlir::Value tile, Convert convert);
  bool fillTransposed(const Buffer &buffer, mlir::Value tile, Convert convert);
  std::optional<unsigned> getReadDim(mlir::Value tile);
  Buffer bufferFor(mlir::Value tile);
  Buffer rowMajorBufferFor(mlir::Value tile);
  void lowerReshape(tile::ReshapeOp op);
  void lowerConstant(mlir::arith::ConstantOp op);

  // Control flow.
  void lowerFor(mlir::scf::ForOp op);
  void lowerIf(mlir::scf::IfOp op);
  void lowerWhile(mlir::scf::WhileOp op);
  void enterTiles(mlir::ValueRange sources, mlir::ValueRange arguments);
  void assignTiles(mlir::ValueRange sources, mlir::ValueRange targets);
  llvm::SmallVector<mlir::Value> lookupScalars(mlir::ValueRange values);
  void mapScalars(mlir::ValueRange from, mlir::ValueRange to);
  llvm::SmallVector<mlir::Type> scalarTypes(mlir::TypeRange types);

  // Memory.
  void lowerScalarLoad(tile::LoadOp op);
  void lowerStore(tile::StoreOp op);
  void lowerAtomic(mlir::Operation *op);

  // Reductions.
  using Values = llvm::SmallVector<mlir::Value>;
  void lowerReduce(tile::ReduceOp op);
  void reduceAcross(tile::ReduceOp op, llvm::ArrayRef<Buffer> results);
  void reduceAlong(tile::ReduceOp op, llvm::ArrayRef<Buffer> results);
  Values reduceLine(tile::ReduceOp op, llvm::ArrayRef<Index> at);
  Values reduceChunks(tile::ReduceOp op, llvm::ArrayRef<Index> at,
                      int64_t begin, int64_t end, unsigned lanes);
  Values foldLanes(tile::ReduceOp op, Values values, unsigned lanes);
  Values evaluateOperands(tile::ReduceOp op, llvm::ArrayRef<Index> at,
                          unsigned lanes);
  Values combine(tile::ReduceOp op, mlir::ValueRange lhs, mlir::ValueRange rhs,
                 unsigned lanes);
  /// Applies the region of a reduction or a map to scalars, or to vectors if it
  /// is `isVectorizable`.
  Values applyRegion(mlir::Block &block, mlir::ValueRange arguments,
                     unsigned lanes);
  Values applyToScalars(mlir::Block &block, mlir::ValueRange arguments);

  // Functions of elements.
  void lowerMap(tile::MapOp op);
  Values evaluateMap(tile::MapOp op, llvm::ArrayRef<Index> at, unsigned lanes);

  // Elements chosen by index.
  void lowerGather(tile::GatherOp op);
  void lowerHistogram(tile::HistogramOp op);

  // Dots.
  void lowerDot(tile::DotOp op);
  Buffer operandBuffer(mlir::Value tile, mlir::Type compute, bool isExact);

  // Messages and checks.
  void lowerAssert(tile::AssertOp op);
  void lowerPrint(tile::PrintOp op);
  Buffer makePrintCoords(unsigned rank);
  mlir::Value globalString(llvm::StringRef text);
  mlir::Value globalData(mlir::Type type, mlir::Attribute value);
  mlir::LLVM::LLVMFuncOp runtimeFunction(llvm::StringRef name,
                                         llvm::ArrayRef<mlir::Type> arguments);

  Emitter &e;
  llvm::SmallVector<mlir::Value, 3> programIds;
  llvm::SmallVector<mlir::Value, 3> gridSizes;
  llvm::SmallVector<mlir::Operation *> deferredLoads;
};

/// Whether every op of the region works on vectors as on scalars.
bool isVectorizable(mlir::Region &region);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_KERNELLOWERING_H
