#include "lib/Target/NVPTX/FullBlocks.h"

#include "lib/Analysis/Target/Occupancy.h"
#include "lib/Analysis/Target/OccupancyParameters.h"
#include "lib/Target/NVPTX/PtxEntry.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace tilewright;

// Registers times instructions of all long blocks, about the work of a minute;
// with some assemblers it takes three.
static constexpr uint64_t kMostWork = 100'000'000;
// Smaller blocks assemble fast with any number of registers.
static constexpr uint64_t kLeastInstructions = 4096;

/// Whether an instruction may move anywhere between its operands and its users.
static bool isMovable(const Instruction &instruction) {
  // Extracted results occupy registers from their definition on.
  if (isa<PHINode, AllocaInst, ExtractValueInst>(instruction) ||
      instruction.isTerminator())
    return false;
  const auto *call = dyn_cast<CallBase>(&instruction);
  // LLVM assumes that inline PTX accesses memory. PTX without side effects only
  // computes.
  if (call && call->isInlineAsm())
    return !cast<InlineAsm>(call->getCalledOperand())->hasSideEffects();
  return !instruction.mayReadOrWriteMemory() &&
         !instruction.mayHaveSideEffects() && !(call && call->isConvergent());
}

/// Returns the number of 32-bit registers of a value. Constants and i1 values,
/// which have predicate registers, count as 0. So do structs: their extracted
/// members count.
static unsigned countRegisters(const Value &value, const DataLayout &layout) {
  Type *type = value.getType();
  if (!type->isSized() || type->isIntegerTy(1) || type->isStructTy())
    return 0;
  return divideCeil(layout.getTypeSizeInBits(type).getFixedValue(), 32);
}

namespace {
/// A number of registers, and the instruction where they are live.
struct Pressure {
  unsigned registers = 0;
  const Instruction *peak = nullptr;
};
} // namespace

using Order = SmallVector<Instruction *>;

static Order list(BasicBlock &block) {
  return to_vector(make_pointer_range(block));
}

/// Whether an instruction is a wgmma or a wait for one.
static bool isWgmma(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  return call && call->isInlineAsm() &&
         cast<InlineAsm>(call->getCalledOperand())
             ->getAsmString()
             .contains("wgmma");
}

/// Returns the instructions after the last wgmma. Instructions between wgmmas
/// are already ordered to overlap with them.
static ArrayRef<Instruction *>
afterLastWgmma(ArrayRef<Instruction *> instructions) {
  auto last = find_if(reverse(instructions),
                      [](const Instruction *other) { return isWgmma(*other); });
  return instructions.drop_front(instructions.rend() - last);
}

/// Whether a value is used in another block or in the next iteration.
static bool leaves(const Instruction &value, const BasicBlock *block) {
  return any_of(value.users(), [&](const User *user) {
    return cast<Instruction>(user)->getParent() != block || isa<PHINode>(user);
  });
}

/// Returns the values that `instructions` use but do not define.
static SmallVector<const Instruction *>
findTaken(ArrayRef<Instruction *> instructions) {
  DenseSet<const Instruction *> known(instructions.begin(), instructions.end());
  SmallVector<const Instruction *> taken;
  for (const Instruction *instruction : instructions)
    for (const Value *operand : instruction->operand_values())
      if (const auto *other = dyn_cast<Instruction>(operand);
          other && known.insert(other).second)
        taken.push_back(other);
  return taken;
}

/// Returns the maximum register pressure of a block's instructions in this
/// order. `taken` are the values that are live at the start.
static Pressure findPressure(ArrayRef<Instruction *> order,
                             ArrayRef<const Instruction *> taken,
                             const DataLayout &layout) {
  const BasicBlock *block = order.front()->getParent();
  DenseMap<const Value *, unsigned> lastUse;
  for (auto [index, instruction] : enumerate(order))
    for (const Value *operand : instruction->operand_values())
      if (isa<Instruction>(operand))
        lastUse[operand] = index;
  SmallVector<unsigned> ends(order.size());
  auto begin = [&](const Instruction &value) {
    unsigned registers = countRegisters(value, layout);
    if (registers != 0 && value.getParent() == block && !leaves(value, block))
      ends[lastUse.lookup(&value)] += registers;
    return registers;
  };
  unsigned live = 0;
  for (const Instruction *value : taken)
    live += begin(*value);
  Pressure most = {live, order.front()};
  for (auto [index, instruction] : enumerate(order)) {
    if (!instruction->use_empty())
      live += begin(*instruction);
    if (live > most.registers)
      most = {live, instruction};
    live -= ends[index];
  }
  return most;
}

/// Appends `root` and its waiting operands to `order`, operands first. An
/// explicit stack replaces recursion: chains are long.
static void schedule(Instruction *root, DenseSet<Instruction *> &waiting,
                     Order &order) {
  Order stack = {root};
  while (!stack.empty()) {
    Instruction *instruction = stack.back();
    size_t height = stack.size();
    if (waiting.contains(instruction) && !isa<PHINode>(instruction))
      for (Value *operand : reverse(instruction->operand_values()))
        if (auto *other = dyn_cast<Instruction>(operand);
            other && waiting.contains(other))
          stack.push_back(other);
    if (stack.size() != height)
      continue;
    stack.pop_back();
    if (waiting.erase(instruction))
      order.push_back(instruction);
  }
}

/// Returns the instructions in an order in which each movable one directly
/// precedes its first user.
static Order orderByUse(ArrayRef<Instruction *> instructions) {
  DenseSet<Instruction *> waiting(instructions.begin(), instructions.end());
  Order order;
  Instruction *terminator = instructions.back();
  // Values that only other blocks use come last.
  for (bool movable : {false, true})
    for (Instruction *instruction : instructions.drop_back())
      if (isMovable(*instruction) == movable)
        schedule(instruction, waiting, order);
  schedule(terminator, waiting, order);
  return order;
}

/// Returns the register limit of a thread for the CTA size of `function`.
static unsigned getRegisterLimit(const Function &function) {
  const Occupancy occupancy;
  return std::min(occupancy.getMaxRegisters(),
                  occupancy.getResources().registers / countThreads(function));
}

void tilewright::orderFullBlocks(Module &module) {
  const DataLayout &layout = module.getDataLayout();
  for (Function &function : module) {
    unsigned limit = getRegisterLimit(function);
    for (BasicBlock &block : function) {
      if (block.size() <= limit)
        continue;
      Order all = list(block);
      ArrayRef<Instruction *> order = afterLastWgmma(all);
      if (order.size() <= limit)
        continue;
      SmallVector<const Instruction *> taken = findTaken(order);
      unsigned pressure = findPressure(order, taken, layout).registers;
      if (pressure <= limit)
        continue;
      Order other = orderByUse(order);
      unsigned better = findPressure(other, taken, layout).registers;
      if (better > pressure - pressure / OccupancyParameters::kMinPressureGain)
        continue;
      for (Instruction *instruction : other)
        instruction->moveBefore(block, block.end());
    }
  }
}

std::optional<tilewright::HopelessBlock>
tilewright::findHopelessBlock(Module &module) {
  const unsigned maxRegisters = Occupancy().getMaxRegisters();
  for (Function &function : module) {
    uint64_t work = 0, most = 0;
    HopelessBlock worst;
    for (BasicBlock &block : function) {
      uint64_t instructions = block.size();
      if (instructions < kLeastInstructions)
        continue;
      Pressure pressure =
          findPressure(list(block), /*taken=*/{}, module.getDataLayout());
      if (pressure.registers <= maxRegisters)
        continue;
      uint64_t own = instructions * pressure.registers;
      work += own;
      if (own > most) {
        most = own;
        worst = {pressure.peak, pressure.registers, instructions};
      }
    }
    if (work > kMostWork)
      return worst;
  }
  return std::nullopt;
}
