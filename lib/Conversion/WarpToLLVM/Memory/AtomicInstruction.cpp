#include "lib/Conversion/WarpToLLVM/Memory/AtomicInstruction.h"

#include "lib/Analysis/Memory/AccessWidths.h"
#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/RegisterPacking.h"

#include "dialect/Warp/WarpDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilewright;

/// Returns for example `.global.gpu.relaxed`. The assembler takes qualifiers in
/// any order; Triton's tests expect this one.
static std::string getQualifiers(tile::MemorySemantic sem,
                                 tile::MemoryScope scope) {
  return (".global." + tile::stringifyMemoryScope(scope) + "." +
          tile::stringifyMemorySemantic(sem))
      .str();
}

/// Returns for example `.global.relaxed.gpu`, the order that Triton's tests
/// expect for compare-and-swap.
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

Value tilewright::emitAnd(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return LLVM::AndOp::create(b, lhs, rhs);
}

/// Returns the operation and type of an atomic of `numElements` elements in
/// `numWords` words, for example `add.u32` or `add.v4.f32`.
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

/// Emits an atomic whose result is unused. For one word the assembler produces
/// the same code for `red` and `atom`; Triton's tests expect `atom`. It has a
/// result register, since ptxas 13.0 crashes on bf16 additions with destination
/// `_`.
static void emitRed(ImplicitLocOpBuilder &b, StringRef instruction,
                    Value pointer, ValueRange words, Value predicate) {
  InlinePtx ptx(b);
  std::string result =
      words.size() > 1 ? "" : ptx.out(words.front().getType()) + ", ";
  std::string text = ptx.predicate(predicate) +
                     (words.size() > 1 ? "red" : "atom") + instruction.str() +
                     " " + result + "[" + ptx.in(pointer) + "], ";
  SmallVector<std::string> operands;
  for (Value word : words)
    operands.push_back(ptx.in(word));
  ptx.emit(text + formatPtxVector(operands) + ";", /*sideEffects=*/true);
}

/// Emits `atom` on integer bits. If `predicate` is false the result is
/// `initial`.
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
/// ones in reverse. So a maximum with a non-negative value is a signed integer
/// maximum, and one with a negative value an unsigned minimum.
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

/// Returns PTX that combines the f16 or bf16 value in register `old`, read from
/// memory, with `operand` into `next`. bf16 is added in f32, which needs no
/// sm_90 instruction.
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

/// Emits an f16 or bf16 atomic that has no instruction, as a compare-and-swap
/// loop.
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

SmallVector<Value> tilewright::emitAtomic(ImplicitLocOpBuilder &b,
                                          tile::AtomicRMWOp op, Value pointer,
                                          ValueRange elements, Value predicate,
                                          const NvidiaTarget &target) {
  Type element = elements[0].getType();
  unsigned bits = getScalarBits(element);
  SmallVector<Value> words = packWords(
      b, elements,
      std::max<unsigned>(bits, std::min<unsigned>(bits * elements.size(), 32)));
  Value word = words[0];
  Value zero = LLVM::ZeroOp::create(b, word.getType());
  std::string qualifiers = getQualifiers(
      fencesOncePerThread(op) ? tile::MemorySemantic::Relaxed : op.getSem(),
      op.getScope());
  tile::AtomicKind kind = op.getKind();
  Value old;
  bool isExtremum =
      kind == tile::AtomicKind::FMax || kind == tile::AtomicKind::FMin;
  bool isOldBrainAdd = getElementTypeOrSelf(op.getType()).isBF16() &&
                       kind == tile::AtomicKind::FAdd &&
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

Value tilewright::emitAtomicSwap(ImplicitLocOpBuilder &b, tile::AtomicCASOp op,
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
