#include "dialect/Tile/TileAsmRegisters.h"
#include "dialect/Tile/TileOps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::tile;

#define GET_OP_CLASSES
#include "dialect/Tile/TileAsmOps.cpp.inc"

static constexpr unsigned kMaxPack = 32;

static LogicalResult verifyTypes(InlineAsmOp op) {
  if (op.getResults().empty()) // C1
    return op.emitOpError("needs at least one result");
  Type first = op.getResult(0).getType();
  for (Value value : llvm::concat<Value>(op.getOperands(), op.getResults())) {
    Type type = value.getType(), element = getElementTypeOrSelf(type);
    if (!haveSameForm(type, first)) // C1
      return op.emitOpError("has operands and results of one shape, got ")
             << type << " and " << first;
    bool isResult = isa<OpResult>(value) && value.getDefiningOp() == op;
    if (element.isInteger(1) || (isResult && isa<PtrType>(element))) // C1
      return op.emitOpError("works on numbers of 8 bits or more, got ") << type;
  }
  return success();
}

/// Whether a register of the letter fits those of a group of `pack` elements.
static bool fits(char letter, Type element, unsigned pack) {
  unsigned width = getAsmRegisterBits(letter),
           bits = getAsmElementBits(element);
  if (bits >= 32)
    return width == bits;
  unsigned all = bits * pack;
  return all >= 32 ? width == 32 : width >= all && width <= 32;
}

static LogicalResult verifyRegisters(InlineAsmOp op, ArrayRef<char> letters,
                                     TypeRange types, StringRef kind) {
  unsigned next = 0;
  for (Type type : types) {
    Type element = getElementTypeOrSelf(type);
    for (unsigned i = getNumAsmRegisters(element, op.getPack()); i > 0; --i) {
      char letter = next < letters.size() ? letters[next++] : 0;
      if (!letter || !fits(letter, element, op.getPack())) // C3
        return op.emitOpError("needs ")
               << kind << " registers for " << op.getPack() << " x " << element
               << ", the constraints '" << op.getConstraints()
               << "' have none that fit";
    }
  }
  if (next != letters.size()) // C3
    return op.emitOpError("uses ") << next << " " << kind << " registers, the "
                                   << "constraints name " << letters.size();
  return success();
}

/// Checks that each `$` of the text names one of `count` registers (C4).
static LogicalResult verifyText(InlineAsmOp op, unsigned count) {
  StringRef rest = op.getText();
  for (size_t at; (at = rest.find('$')) != StringRef::npos;) {
    rest = rest.drop_front(at + 1);
    if (rest.consume_front("$"))
      continue;
    bool braced = rest.consume_front("{");
    unsigned number;
    bool isNumber = !rest.consumeInteger(10, number);
    if (!isNumber || number >= count || (braced && !rest.consume_front("}")))
      return op.emitOpError("has a '$' in its text that is not followed by a "
                            "register number below ")
             << count << "; a literal '$' is written '$$'";
  }
  return success();
}

LogicalResult InlineAsmOp::verify() {
  if (failed(verifyTypes(*this)))
    return failure();
  if (!llvm::isPowerOf2_32(getPack()) || getPack() > kMaxPack) // C2
    return emitOpError("packs a power of two up to ")
           << kMaxPack << " elements, got " << static_cast<int32_t>(getPack());
  std::string problem;
  auto registers = AsmRegisters::parse(getConstraints(), problem);
  if (!registers) // C3
    return emitOpError("has constraints with ")
           << problem << "; they are '=' and a letter of h, r, f, l and d for "
           << "each register of a result, then a letter for each of an operand";
  if (failed(verifyRegisters(*this, registers->outputs,
                             getOperation()->getResultTypes(), "output")) ||
      failed(verifyRegisters(*this, registers->inputs,
                             getOperation()->getOperandTypes(), "input")))
    return failure();
  return verifyText(*this,
                    registers->outputs.size() + registers->inputs.size());
}

void InlineAsmOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}
