// Atomics on global memory.
//
// 1. One thread handles each element, even if several hold copies of it. The
//    old value reaches the copies through shared memory.
// 2. A scalar atomic acts for the whole program. With release semantics it
//    waits for the writes of the other threads; with acquire semantics they
//    wait for it.
// 3. One fence per thread orders the elements of an atomic on a tile.
// 4. In deterministic kernels atomics run in ticket order.

#include "lib/Analysis/Memory/AccessWidths.h"
#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/RegisterPacking.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Memory/AtomicInstruction.h"
#include "lib/Conversion/WarpToLLVM/Memory/ElementOrder.h"
#include "lib/Conversion/WarpToLLVM/Memory/SharedAccess.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpDialect.h"
#include "lib/Analysis/SharedMemory/ScratchMemory.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tilewright;

namespace {

/// The common part of read-modify-write and compare-and-swap.
template <typename Op>
class AtomicLowering : public ConvertOpToLLVMPattern<Op> {
public:
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;

protected:
  /// Returns the condition of the threads that act: the first thread of the
  /// program, or the owners of the elements.
  static Value emitOwner(ImplicitLocOpBuilder &b, Op op) {
    Type type = op.getPtr().getType();
    if (!isa<RankedTensorType>(type))
      return emitIsFirstThread(b);
    return emitIsOwner(b, getLayoutOrScalar(type));
  }

  static void emitReleaseBarrier(ImplicitLocOpBuilder &b, Op op) {
    if (beginsWithBarrier(op))
      emitBarrier(b);
  }

  /// Whether no op with memory effects follows `op` in the program.
  static bool endsProgram(Op op) {
    if (!isa<FunctionOpInterface>(op->getParentOp()))
      return false;
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (!next->hasTrait<OpTrait::IsTerminator>() && !isMemoryEffectFree(next))
        return false;
    return true;
  }

  /// Calls `emitOne` for every `width`-th register that its thread owns, with
  /// the condition under which it acts. Returns the old value in memory per
  /// register, null for copies.
  static FailureOr<SmallVector<Value>>
  emitElements(ImplicitLocOpBuilder &b, Op op, Value owner, ValueRange pointers,
               ValueRange masks, unsigned width, Type element,
               ElementOrder::EmitOne emitOne) {
    LinearLayout layout = getLayoutOrScalar(op.getPtr().getType());
    SmallVector<ElementOrder::Element> elements;
    for (unsigned reg = 0; reg < pointers.size(); reg += width)
      if (isOwnerRegister(layout, reg))
        elements.push_back(
            {reg, emitAnd(b, owner, masks.empty() ? Value() : masks[reg])});
    SmallVector<Value> results(pointers.size());
    if (getOrderTableSize(op) != 0) {
      FailureOr<int64_t> offset = getSharedOffset(op);
      if (failed(offset))
        return failure();
      ElementOrder(b, layout, pointers, emitSharedAddress(b, *offset),
                   getOrderTableSize(op))
          .emit(elements, element, emitOne, results);
      return results;
    }
    for (auto [reg, condition] : elements)
      llvm::copy(emitOne(b, reg, condition), results.begin() + reg);
    return results;
  }

  /// Replaces `op` by the values that the owners read and passes them to the
  /// copies. `results` is null for registers that hold copies.
  static LogicalResult replace(ImplicitLocOpBuilder &b, Op op, Value owner,
                               SmallVector<Value> results,
                               ConversionPatternRewriter &rewriter) {
    fillCopies(getLayoutOrScalar(op.getType()), results);
    if (needsResultExchange(op)) {
      if (failed(emitExchange(b, op, owner, results)))
        return failure();
    } else if (endsWithBarrier(op) && !endsProgram(op)) {
      emitBarrier(b);
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  static void fillCopies(const LinearLayout &layout,
                         MutableArrayRef<Value> results) {
    llvm::SmallDenseMap<uint64_t, Value> byElement;
    for (auto [reg, value] : llvm::enumerate(results))
      if (value)
        byElement[layout.applyFlat(reg)] = value;
    for (auto [reg, value] : llvm::enumerate(results))
      if (!value)
        value = byElement.lookup(layout.applyFlat(reg));
  }

  static LogicalResult emitExchange(ImplicitLocOpBuilder &b, Op op, Value owner,
                                    MutableArrayRef<Value> results) {
    FailureOr<int64_t> offset = getSharedOffset(op);
    if (failed(offset))
      return failure();
    LinearLayout layout = getLayoutOrScalar(op.getType());
    Type element = results[0].getType();
    Value base = emitSharedAddress(b, *offset);
    SmallVector<Value> addresses;
    Value bytes = emitI32(b, getScalarBits(element) / 8);
    for (Value index : emitFlatIndices(b, layout))
      addresses.push_back(
          emitByteOffset(b, base, LLVM::MulOp::create(b, index, bytes)));
    for (auto [reg, value] : llvm::enumerate(results))
      if (isOwnerRegister(layout, reg))
        emitSharedStore(b, addresses[reg], value, owner);
    emitBarrier(b);
    for (auto [address, value] : llvm::zip(addresses, results))
      value = emitSharedLoad(b, address, element, 1)[0];
    return success();
  }
};

class AtomicRMWLowering : public AtomicLowering<tile::AtomicRMWOp> {
public:
  AtomicRMWLowering(const WarpTypeConverter &converter,
                    const NvidiaTarget &target, const AccessWidths &widths)
      : AtomicLowering(converter), target(target), widths(widths) {}

  LogicalResult
  matchAndRewrite(tile::AtomicRMWOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    emitReleaseBarrier(b, op);
    Value owner = emitOwner(b, op);
    const bool fences = fencesOncePerThread(op);
    if (fences && tile::releases(op.getSem()))
      emitFence(b, op.getScope());
    unsigned width = std::min(widths.get(op), getAtomicWidth(op, target));
    FailureOr<SmallVector<Value>> results = emitElements(
        b, op, owner, adaptor.getPtr(), adaptor.getMask(), width,
        adaptor.getValue()[0].getType(),
        [&](ImplicitLocOpBuilder &b, unsigned reg, Value condition) {
          return emitAtomic(b, op, adaptor.getPtr()[reg],
                            adaptor.getValue().slice(reg, width), condition,
                            target);
        });
    if (failed(results))
      return failure();
    if (fences && tile::acquires(op.getSem()) && !endsProgram(op))
      emitFence(b, op.getScope());
    return replace(b, op, owner, std::move(*results), rewriter);
  }

private:
  static void emitFence(ImplicitLocOpBuilder &b, tile::MemoryScope scope) {
    InlinePtx(b).emit("fence.acq_rel." +
                          tile::stringifyMemoryScope(scope).str() + ";",
                      /*sideEffects=*/true);
  }

  const NvidiaTarget target;
  const AccessWidths &widths;
};

class AtomicCASLowering : public AtomicLowering<tile::AtomicCASOp> {
public:
  using AtomicLowering::AtomicLowering;

  LogicalResult
  matchAndRewrite(tile::AtomicCASOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    emitReleaseBarrier(b, op);
    Value owner = emitOwner(b, op);
    auto emitOne = [&](ImplicitLocOpBuilder &b, unsigned reg, Value condition) {
      return SmallVector<Value>{emitAtomicSwap(
          b, op, adaptor.getPtr()[reg], adaptor.getCompare()[reg],
          adaptor.getValue()[reg], condition)};
    };
    FailureOr<SmallVector<Value>> results =
        emitElements(b, op, owner, adaptor.getPtr(), adaptor.getMask(),
                     /*width=*/1, adaptor.getValue()[0].getType(), emitOne);
    if (failed(results))
      return failure();
    return replace(b, op, owner, std::move(*results), rewriter);
  }
};

} // namespace

void tilewright::populateAtomicToLLVM(const WarpTypeConverter &converter,
                                      const NvidiaTarget &target,
                                      const AccessWidths &widths,
                                      RewritePatternSet &patterns) {
  patterns.add<AtomicRMWLowering>(converter, target, widths);
  patterns.add<AtomicCASLowering>(converter);
}
