// Atomics on global memory, as inline PTX with their semantics and scope.
//
// Each element is handled by one thread, also where several hold copies of it;
// what was in memory before goes to the copies through shared memory. A scalar
// atomic is one of the whole program: with release semantics it waits for what
// the other threads wrote, with acquire semantics they wait for it. Those on
// tiles are ordered by one fence for all elements of a thread. Where programs
// take turns, so does every atomic.

#include "lib/Analysis/AccessWidths.h"
#include "lib/Conversion/WarpToLLVM/ElementOrder.h"
#include "lib/Conversion/WarpToLLVM/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"
#include "lib/Conversion/WarpToLLVM/RegisterPacking.h"
#include "lib/Conversion/WarpToLLVM/SharedAccess.h"
#include "lib/Conversion/WarpToLLVM/SharedMemory.h"
#include "lib/Conversion/WarpToLLVM/ThreadIndices.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpDialect.h"
#include "lib/Analysis/ScratchMemory.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tilewright;

/// `.global.gpu.relaxed`: the assembler takes qualifiers in any order, and this
/// is the one that test suites of Triton look for.
static std::string getQualifiers(tile::MemorySemantic sem,
                                 tile::MemoryScope scope) {
  return (".global." + tile::stringifyMemoryScope(scope) + "." +
          tile::stringifyMemorySemantic(sem))
      .str();
}

/// `.global.relaxed.gpu`: the order that they look for in compare-and-swap.
static std::string getSwapQualifiers(tile::MemorySemantic sem,
                                     tile::MemoryScope scope) {
  return (".global." + tile::stringifyMemorySemantic(sem) + "." +
          tile::stringifyMemoryScope(scope))
      .str();
}

static Value emitNot(ImplicitLocOpBuilder &b, Value value) {
  Value yes = LLVM::ConstantOp::create(b, b.getI1Type(), b.getBoolAttr(true));
  return LLVM::XOrOp::create(b, value, yes);
}

static Value emitAnd(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return LLVM::AndOp::create(b, lhs, rhs);
}

//===----------------------------------------------------------------------===//
// One instruction
//===----------------------------------------------------------------------===//

/// The operation and type of a kind on `numWords` words of `numElements`
/// together, as `add.u32` or `add.v4.f32`.
static std::string getOperation(tile::AtomicKind kind, Type element,
                                size_t numElements, size_t numWords) {
  std::string bits = std::to_string(getScalarBits(element));
  std::string vector =
      numWords == 1 ? "." : ".v" + std::to_string(numWords) + ".";
  switch (kind) {
  case tile::AtomicKind::Add:
    return "add.u" + bits;
  case tile::AtomicKind::FAdd:
    if (element.isF16() || element.isBF16())
      return "add.noftz" + vector + (element.isF16() ? "f16" : "bf16") +
             (numElements == numWords ? "" : "x2");
    return "add" + vector + "f" + bits;
  case tile::AtomicKind::Max:
  case tile::AtomicKind::Min:
    return tile::stringifyAtomicKind(kind).str() + ".s" + bits;
  case tile::AtomicKind::UMax:
    return "max.u" + bits;
  case tile::AtomicKind::UMin:
    return "min.u" + bits;
  case tile::AtomicKind::Xchg:
    return "exch.b" + bits;
  default:
    return tile::stringifyAtomicKind(kind).str() + ".b" + bits;
  }
}

static void emitRed(ImplicitLocOpBuilder &b, StringRef instruction,
                    Value pointer, ValueRange words, Value predicate) {
  InlinePtx ptx(b);
  // Of one word the assembler makes the same of both; readers of PTX, as tests
  // for Triton are, look for `atom`.
  std::string text = ptx.predicate(predicate) +
                     (words.size() > 1 ? "red" : "atom") + instruction.str() +
                     (words.size() > 1 ? " [" : " _, [");
  text += ptx.in(pointer) + "], ";
  SmallVector<std::string> operands;
  for (Value word : words)
    operands.push_back(ptx.in(word));
  ptx.emit(text + formatPtxVector(operands) + ";", /*sideEffects=*/true);
}

/// `atom` on integer bits; where `predicate` is false the result is `initial`.
static Value emitAtom(ImplicitLocOpBuilder &b, StringRef instruction,
                      Value pointer, ValueRange operands, Value predicate,
                      Value initial) {
  InlinePtx ptx(b);
  std::string result = ptx.out(initial.getType(), initial);
  std::string text = ptx.predicate(predicate) + instruction.str() + " " +
                     result + ", [" + ptx.in(pointer) + "]";
  for (Value operand : operands)
    text += ", " + ptx.in(operand);
  return ptx.emit(text + ";", /*sideEffects=*/true)[0];
}

/// Floats of one sign are ordered like their bits as signed integers, negative
/// ones in reverse. So a maximum with a non-negative value is one of signed
/// integers, and with a negative value a minimum of unsigned ones.
static Value emitFloatExtremum(ImplicitLocOpBuilder &b,
                               const std::string &qualifiers, bool isMax,
                               Value pointer, Value bits, Value predicate,
                               Value zero) {
  std::string width = std::to_string(getScalarBits(bits.getType()));
  Value none = LLVM::ZeroOp::create(b, bits.getType());
  Value negative =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::slt, bits, none);
  std::string forPositive = isMax ? ".max.s" : ".min.s";
  std::string forNegative = isMax ? ".min.u" : ".max.u";
  Value result =
      emitAtom(b, "atom" + qualifiers + forPositive + width, pointer, bits,
               emitAnd(b, predicate, emitNot(b, negative)), zero);
  return emitAtom(b, "atom" + qualifiers + forNegative + width, pointer, bits,
                  emitAnd(b, predicate, negative), result);
}

/// What combines the half that memory held, in the register `old`, with the
/// half in `operand` to one in `next`: bf16 is added in float32, which takes no
/// instruction of sm_90.
static std::string getHalfCombiner(tile::AtomicKind kind, Type element,
                                   const std::string &old,
                                   const std::string &operand) {
  if (kind == tile::AtomicKind::FAdd)
    return "mov.b32 x, {none, " + old + "}; mov.b32 y, {none, " + operand +
           "}; add.rn.f32 x, x, y; cvt.rn.bf16.f32 next, x; ";
  return std::string(kind == tile::AtomicKind::FMax ? "max." : "min.") +
         (element.isF16() ? "f16" : "bf16") + " next, " + old + ", " + operand +
         "; ";
}

/// A combination of halves that memory has no instruction for: a loop around
/// compare-and-swap.
static Value emitHalfLoop(ImplicitLocOpBuilder &b, tile::AtomicKind kind,
                          Type element, const std::string &qualifiers,
                          Value pointer, Value bits, Value predicate,
                          Value zero) {
  InlinePtx ptx(b);
  std::string result = ptx.out(b.getI16Type(), zero);
  std::string address = ptx.in(pointer), operand = ptx.in(bits);
  std::string skip =
      predicate ? "@!" + ptx.in(predicate) + " bra DONE; " : std::string();
  std::string text = "{ .reg .pred changed; .reg .b16 old, next, none; "
                     ".reg .b32 x, y; " +
                     skip + "ld.relaxed.sys.global.b16 old, [" + address +
                     "]; mov.b16 none, 0; AGAIN: mov.b16 " + result +
                     ", old; " +
                     getHalfCombiner(kind, element, result, operand) + "atom" +
                     qualifiers + ".cas.b16 old, [" + address + "], " + result +
                     ", next; setp.ne.u16 changed, old, " + result +
                     "; @changed bra AGAIN; DONE: }";
  return ptx.emit(text, /*sideEffects=*/true)[0];
}

//===----------------------------------------------------------------------===//
// All registers
//===----------------------------------------------------------------------===//

namespace {

/// What read-modify-write and compare-and-swap have in common.
template <typename Op>
class AtomicLowering : public ConvertOpToLLVMPattern<Op> {
public:
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;

protected:
  /// The first thread of a program, or the owners of the elements.
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

  /// Whether the program has nothing left to do that `op` could come before.
  static bool endsProgram(Op op) {
    if (!isa<FunctionOpInterface>(op->getParentOp()))
      return false;
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (!next->hasTrait<OpTrait::IsTerminator>() && !isMemoryEffectFree(next))
        return false;
    return true;
  }

  /// Calls `emitOne` for every `width`-th register that its thread owns, with
  /// the condition under which it acts; it gives what was in memory before, one
  /// value for each register. Null for copies.
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

  /// Replaces `op` by what its owners read, handed to the copies. `results` is
  /// null for registers that hold copies of others.
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
    const bool fences = hasFencesApart(op);
    if (fences && tile::releases(op.getSem()))
      emitFence(b, op.getScope());
    unsigned width = std::min(widths.get(op), getAtomicWidth(op, target));
    FailureOr<SmallVector<Value>> results = emitElements(
        b, op, owner, adaptor.getPtr(), adaptor.getMask(), width,
        adaptor.getValue()[0].getType(),
        [&](ImplicitLocOpBuilder &b, unsigned reg, Value condition) {
          return emitWord(b, op, adaptor.getPtr()[reg],
                          adaptor.getValue().slice(reg, width), condition);
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

  bool isBrain(tile::AtomicRMWOp op) const {
    return getElementTypeOrSelf(op.getType()).isBF16();
  }

  /// What was in memory before, one value for each element.
  SmallVector<Value> emitWord(ImplicitLocOpBuilder &b, tile::AtomicRMWOp op,
                              Value pointer, ValueRange elements,
                              Value predicate) const {
    Type element = elements[0].getType();
    unsigned bits = getScalarBits(element);
    SmallVector<Value> words =
        packWords(b, elements,
                  std::max<unsigned>(
                      bits, std::min<unsigned>(bits * elements.size(), 32)));
    Value word = words[0];
    Value zero = LLVM::ZeroOp::create(b, word.getType());
    std::string qualifiers = getQualifiers(
        hasFencesApart(op) ? tile::MemorySemantic::Relaxed : op.getSem(),
        op.getScope());
    tile::AtomicKind kind = op.getKind();
    Value old;
    bool isExtremum =
        kind == tile::AtomicKind::FMax || kind == tile::AtomicKind::FMin;
    bool isOldBrainAdd = isBrain(op) && kind == tile::AtomicKind::FAdd &&
                         target.computeCapability < 90;
    if (isOldBrainAdd || (isExtremum && bits == 16))
      old = emitHalfLoop(b, kind, element, qualifiers, pointer, word, predicate,
                         zero);
    else if (isExtremum)
      old = emitFloatExtremum(b, qualifiers, kind == tile::AtomicKind::FMax,
                              pointer, word, predicate, zero);
    else {
      std::string instruction =
          qualifiers + "." +
          getOperation(kind, element, elements.size(), words.size());
      if (needsNoResult(op)) {
        emitRed(b, instruction, pointer, words, predicate);
        return SmallVector<Value>(elements.size(),
                                  LLVM::ZeroOp::create(b, element));
      }
      old = emitAtom(b, "atom" + instruction, pointer, word, predicate, zero);
    }
    return unpackWords(b, old, element);
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
      return SmallVector<Value>{emitSwap(b, op, adaptor.getPtr()[reg],
                                         adaptor.getCompare()[reg],
                                         adaptor.getValue()[reg], condition)};
    };
    FailureOr<SmallVector<Value>> results =
        emitElements(b, op, owner, adaptor.getPtr(), adaptor.getMask(),
                     /*width=*/1, adaptor.getValue()[0].getType(), emitOne);
    if (failed(results))
      return failure();
    return replace(b, op, owner, std::move(*results), rewriter);
  }

private:
  static Value emitSwap(ImplicitLocOpBuilder &b, tile::AtomicCASOp op,
                        Value pointer, Value compare, Value value,
                        Value condition) {
    Value bits = emitAsInteger(b, value);
    std::string instruction =
        "atom" + getSwapQualifiers(op.getSem(), op.getScope()) + ".cas.b" +
        std::to_string(getScalarBits(bits.getType()));
    Value old =
        emitAtom(b, instruction, pointer, {emitAsInteger(b, compare), bits},
                 condition, LLVM::ZeroOp::create(b, bits.getType()));
    return emitBitcast(b, old, value.getType());
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
