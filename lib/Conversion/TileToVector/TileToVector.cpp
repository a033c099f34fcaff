// Emits the function around a kernel's body: arguments, programs, memory.

#include "lib/Conversion/TileToVector/KernelLowering.h"
#include "lib/Conversion/TileToVector/Legality.h"
#include "lib/Conversion/TileToVector/Passes.h"

namespace tilewright::cpu {
#define GEN_PASS_DEF_CONVERTTILETOVECTOR
#include "lib/Conversion/TileToVector/Passes.h.inc"
} // namespace tilewright::cpu

using namespace mlir;

namespace tilewright::cpu {

static LLVM::LLVMFuncOp createFunction(OpBuilder &b, tile::FuncOp kernel) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()),
      {pointer, pointer, b.getI64Type(), b.getI64Type()});
  return LLVM::LLVMFuncOp::create(b, kernel.getLoc(), kernel.getName(), type);
}

/// Reads a kernel argument from its slot.
static Value readArgument(Emitter &e, Value slots, unsigned number, Type type) {
  Value slot = e.offsetPointer(slots, e.i64(8 * number));
  Type lowered = e.lowerElement(type);
  // A boolean's slot holds a whole integer.
  if (!lowered.isInteger(1))
    return LLVM::LoadOp::create(e.b, e.loc, lowered, slot);
  Value whole = LLVM::LoadOp::create(e.b, e.loc, e.b.getI64Type(), slot);
  return arith::TruncIOp::create(e.b, e.loc, lowered, whole);
}

/// The number of programs along each axis.
static SmallVector<Value, 3> readGrid(Emitter &e, Value grid) {
  SmallVector<Value, 3> sizes;
  for (unsigned axis = 0; axis < 3; ++axis)
    sizes.push_back(LLVM::LoadOp::create(
        e.b, e.loc, e.b.getI32Type(), e.offsetPointer(grid, e.i64(4 * axis))));
  return sizes;
}

static SmallVector<Value, 3> splitProgram(Emitter &e, Value program,
                                          ArrayRef<Value> sizes) {
  SmallVector<Value, 3> ids;
  Value rest = program;
  for (unsigned axis = 0; axis < 3; ++axis) {
    Value id = rest;
    if (axis < 2) {
      Value size =
          arith::ExtUIOp::create(e.b, e.loc, e.b.getI64Type(), sizes[axis]);
      id = arith::RemUIOp::create(e.b, e.loc, rest, size);
      rest = arith::DivUIOp::create(e.b, e.loc, rest, size);
    }
    ids.push_back(arith::TruncIOp::create(e.b, e.loc, e.b.getI32Type(), id));
  }
  return ids;
}

static void lowerKernel(tile::FuncOp kernel, unsigned vectorBits,
                        unsigned maxDimensions) {
  OpBuilder b(kernel);
  LLVM::LLVMFuncOp function = createFunction(b, kernel);
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  Emitter e(kernel, vectorBits, maxDimensions, b);
  e.entry = entry;
  for (auto [number, argument] : llvm::enumerate(kernel.getArguments()))
    e.scalars.map(argument, readArgument(e, entry->getArgument(0), number,
                                         argument.getType()));
  SmallVector<Value, 3> sizes = readGrid(e, entry->getArgument(1));
  auto programs = scf::ForOp::create(e.b, e.loc, entry->getArgument(2),
                                     entry->getArgument(3), e.i64(1));
  LLVM::ReturnOp::create(e.b, e.loc, ValueRange{});
  e.b.setInsertionPoint(programs.getBody()->getTerminator());
  SmallVector<Value, 3> ids =
      splitProgram(e, programs.getInductionVar(), sizes);
  KernelLowering(e, ids, sizes).lowerBody(kernel.getBody().front());
  e.loc = kernel.getLoc();
  e.assignAllocations();
}

namespace {
struct ConvertTileToVectorPass
    : impl::ConvertTileToVectorBase<ConvertTileToVectorPass> {
  using ConvertTileToVectorBase::ConvertTileToVectorBase;

  void runOnOperation() override {
    SmallVector<tile::FuncOp> functions(getOperation().getOps<tile::FuncOp>());
    for (tile::FuncOp function : functions)
      if (function.isKernel() && failed(checkLegality(function)))
        return signalPassFailure();
    for (tile::FuncOp function : functions) {
      if (function.isKernel())
        lowerKernel(function, vectorBits, maxDimensions);
      function.erase();
    }
  }
};
} // namespace

} // namespace tilewright::cpu
