#include "lib/Target/NVPTX/WidenMulHigh.h"

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
/// Opcodes of NVPTX, found by name: the headers that define them are private to
/// LLVM.
struct Opcodes {
  explicit Opcodes(const TargetInstrInfo &info);

  /// The `mul.wide` with the operands of a `mul.hi`.
  DenseMap<unsigned, unsigned> wide;
  unsigned multiplySigned, extend, shiftLeft, negate, split;
};

class WidenMulHigh final : public MachineFunctionPass {
public:
  WidenMulHigh() : MachineFunctionPass(id) {}

  StringRef getPassName() const override { return "Widen mul.hi"; }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(MachineFunction &function) override;

private:
  static char id;
};

/// Writes the instructions that replace `root`, before it.
class Writer {
public:
  Writer(MachineInstr &root, const Opcodes &opcodes,
         const TargetInstrInfo &info)
      : root(root), opcodes(opcodes), info(info),
        registers(root.getMF()->getRegInfo()) {}

  /// Multiplies the operands of `root` to 64 bits by the opcode `wide`.
  Register multiply(unsigned wide);

  /// Defines the result of `root` as the upper word of `wide`.
  void takeUpperWord(Register wide);

private:
  MachineInstrBuilder build(unsigned opcode, Register result) {
    return BuildMI(*root.getParent(), root, root.getDebugLoc(),
                   info.get(opcode), result);
  }

  Register createResult(unsigned opcode) {
    return registers.createVirtualRegister(
        info.getRegClass(info.get(opcode), 0));
  }

  MachineInstr &root;
  const Opcodes &opcodes;
  const TargetInstrInfo &info;
  MachineRegisterInfo &registers;
};
} // namespace

char WidenMulHigh::id = 0;

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
  Register result = createResult(wide);
  if (wide != opcodes.multiplySigned || !isByLeast(root)) {
    build(wide, result).add(root.getOperand(1)).add(root.getOperand(2));
    return result;
  }
  Register extended = createResult(opcodes.extend);
  Register shifted = createResult(opcodes.shiftLeft);
  build(opcodes.extend, extended).add(root.getOperand(1)).addImm(0);
  build(opcodes.shiftLeft, shifted).addUse(extended).addImm(31);
  build(opcodes.negate, result).addUse(shifted);
  return result;
}

void Writer::takeUpperWord(Register wide) {
  Register result = root.getOperand(0).getReg();
  Register lower =
      registers.createVirtualRegister(registers.getRegClass(result));
  build(opcodes.split, lower)
      .addDef(result)
      .addUse(wide)
      ->getOperand(0)
      .setIsDead();
}

/// Whether the result of `user` always differs from the operand. Then the
/// assembler fuses no subtraction with the multiplication.
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

/// Whether `user` may return the operand itself, if the assembler knows the
/// values of the other operands.
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

bool WidenMulHigh::runOnMachineFunction(MachineFunction &function) {
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
        writer.takeUpperWord(writer.multiply(wide));
      multiply.eraseFromParent();
      changed = true;
    }
  return changed;
}

MachineFunctionPass *tilewright::createWidenMulHigh() {
  return new WidenMulHigh;
}
