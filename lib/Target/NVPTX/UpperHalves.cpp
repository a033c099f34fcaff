#include "lib/Target/NVPTX/UpperHalves.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

#include <limits>

using namespace llvm;

static constexpr int64_t kLeast = std::numeric_limits<int32_t>::min();

namespace {
/// Opcodes of NVPTX by name: the headers that define them are private to LLVM.
struct Opcodes {
  explicit Opcodes(const TargetInstrInfo &info);

  /// The `mul.wide` with the operands of a `mul.hi`.
  DenseMap<unsigned, unsigned> wide;
  unsigned multiplySigned, extend, shiftLeft, negate, split;
};

class WidenUpperHalves final : public MachineFunctionPass {
public:
  WidenUpperHalves() : MachineFunctionPass(id) {}

  StringRef getPassName() const override { return "Widen upper halves"; }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(MachineFunction &function) override;

private:
  static char id;
};

/// Writes instructions before one that they replace.
class Writer {
public:
  Writer(MachineInstr &place, const Opcodes &opcodes,
         const TargetInstrInfo &info)
      : place(place), opcodes(opcodes), info(info),
        registers(place.getMF()->getRegInfo()) {}

  /// Writes the 64-bit product of the operands of `place` by the opcode `wide`
  /// and returns it.
  Register multiply(unsigned wide);

  /// Defines the result of `place` as the upper half of `product`.
  void takeUpperHalf(Register product);

private:
  MachineInstrBuilder build(unsigned opcode, Register result) {
    return BuildMI(*place.getParent(), place, place.getDebugLoc(),
                   info.get(opcode), result);
  }

  Register createResult(unsigned opcode) {
    return registers.createVirtualRegister(
        info.getRegClass(info.get(opcode), 0));
  }

  MachineInstr &place;
  const Opcodes &opcodes;
  const TargetInstrInfo &info;
  MachineRegisterInfo &registers;
};
} // namespace

char WidenUpperHalves::id = 0;

Opcodes::Opcodes(const TargetInstrInfo &info) {
  StringMap<unsigned> known;
  for (unsigned opcode : seq(info.getNumOpcodes()))
    known[info.getName(opcode)] = opcode;
  auto get = [&](StringRef name) {
    assert(known.contains(name) && "LLVM has renamed an opcode of NVPTX");
    return known.lookup(name);
  };
  wide = {{get("MUL_HI_U32rr"), get("MUL_WIDEu32_rr")},
          {get("MUL_HI_U32ri"), get("MUL_WIDEu32_ri")},
          {get("MUL_HI_S32rr"), get("MUL_WIDEs32_rr")},
          {get("MUL_HI_S32ri"), get("MUL_WIDEs32_ri")}};
  multiplySigned = get("MUL_WIDEs32_ri");
  extend = get("CVT_s64_s32");
  shiftLeft = get("SHL64_ri");
  negate = get("NEG_S64");
  split = get("I64toV2I32");
}

static bool isByLeast(const MachineInstr &multiply) {
  const MachineOperand &factor = multiply.getOperand(2);
  return factor.isImm() && factor.getImm() == kLeast;
}

Register Writer::multiply(unsigned wide) {
  Register product = createResult(wide);
  if (wide != opcodes.multiplySigned || !isByLeast(place)) {
    build(wide, product).add(place.getOperand(1)).add(place.getOperand(2));
    return product;
  }
  Register extended = createResult(opcodes.extend);
  Register shifted = createResult(opcodes.shiftLeft);
  build(opcodes.extend, extended).add(place.getOperand(1)).addImm(0);
  build(opcodes.shiftLeft, shifted).addUse(extended).addImm(31);
  build(opcodes.negate, product).addUse(shifted);
  return product;
}

void Writer::takeUpperHalf(Register product) {
  Register result = place.getOperand(0).getReg();
  Register lower =
      registers.createVirtualRegister(registers.getRegClass(result));
  build(opcodes.split, lower)
      .addDef(result)
      .addUse(product)
      ->getOperand(0)
      .setIsDead();
}

/// Whether the result of `user` is never the operand itself. Then the assembler
/// fuses no subtraction with the multiplication.
static bool isOpaque(const MachineInstr &user, StringRef name) {
  static constexpr StringLiteral kShifts[] = {"SHL32_ri", "SRL32_ri",
                                              "SRA32_ri"};
  static constexpr StringLiteral kOthers[] = {
      "MULT32ri", "MUL_HI_", "MUL_WIDE", "SETP_i32", "CVT_f32_", "ST_i32"};
  if (is_contained(kShifts, name))
    return user.getOperand(2).isImm() && user.getOperand(2).getImm() != 0;
  return any_of(kOthers,
                [&](StringRef prefix) { return name.starts_with(prefix); });
}

/// Whether the result of `user` may be the operand itself, for an assembler
/// that knows the values of the other operands.
static bool mayForward(const MachineInstr &user, StringRef name) {
  static constexpr StringLiteral kNames[] = {"ADD32",   "SUB32",     "AND_b32",
                                             "OR_b32",  "XOR_b32",   "SELP_b32",
                                             "MULT32r", "MAD_LO_S32"};
  return user.isPHI() || user.isCopy() || any_of(kNames, [&](StringRef prefix) {
           return name.starts_with(prefix);
         });
}

/// Whether `result` may become a word of a 64-bit value, also in another block.
static bool mayBeExtended(Register result, const MachineRegisterInfo &registers,
                          const TargetInstrInfo &info) {
  constexpr size_t kMaxFollowed = 64;
  SmallSetVector<Register, 16> followed;
  followed.insert(result);
  for (size_t i = 0; i < followed.size(); ++i) {
    if (followed.size() > kMaxFollowed)
      return true;
    for (const MachineInstr &user :
         registers.use_nodbg_instructions(followed[i])) {
      StringRef name = info.getName(user.getOpcode());
      if (isOpaque(user, name))
        continue;
      if (!mayForward(user, name))
        return true;
      followed.insert(user.getOperand(0).getReg());
    }
  }
  return false;
}

bool WidenUpperHalves::runOnMachineFunction(MachineFunction &function) {
  const TargetInstrInfo &info = *function.getSubtarget().getInstrInfo();
  // The opcodes are the same for all GPUs.
  static const Opcodes opcodes(info);
  MachineRegisterInfo &registers = function.getRegInfo();
  bool changed = false;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &multiply : make_early_inc_range(block)) {
      const unsigned opcode = multiply.getOpcode();
      const unsigned wide = opcodes.wide.lookup(opcode);
      const bool isWideByLeast =
          opcode == opcodes.multiplySigned && isByLeast(multiply);
      if (!isWideByLeast && !wide)
        continue;
      Register result = multiply.getOperand(0).getReg();
      if (wide && !mayBeExtended(result, registers, info))
        continue;
      Writer writer(multiply, opcodes, info);
      if (isWideByLeast)
        registers.replaceRegWith(result, writer.multiply(opcode));
      else
        writer.takeUpperHalf(writer.multiply(wide));
      multiply.eraseFromParent();
      changed = true;
    }
  return changed;
}

MachineFunctionPass *tilewright::createWidenUpperHalves() {
  return new WidenUpperHalves;
}
