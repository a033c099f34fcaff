#include "lib/Target/NVPTX/FullBlocks.h"

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

static constexpr unsigned kMaxRegisters = 255,
                          kRegistersOfMultiprocessor = 65536;
// An eighth: what is estimated is no more exact.
static constexpr unsigned kLeastGain = 8;
// Registers times instructions of all long blocks: more than a minute, with
// some assemblers three.
static constexpr uint64_t kMostWork = 100'000'000;
// Fewer take no minutes, whatever they hold.
static constexpr uint64_t kLeastInstructions = 4096;

/// Whether an instruction may stand anywhere between its operands and its
/// users.
static bool isMovable(const Instruction &instruction) {
  // What is taken out of several results is a register as soon as they are.
  if (isa<PHINode, AllocaInst, ExtractValueInst>(instruction) ||
      instruction.isTerminator())
    return false;
  const auto *call = dyn_cast<CallBase>(&instruction);
  // LLVM takes it that pieces of PTX touch memory. Those without effects
  // compute.
  if (call && call->isInlineAsm())
    return !cast<InlineAsm>(call->getCalledOperand())->hasSideEffects();
  return !instruction.mayReadOrWriteMemory() &&
         !instruction.mayHaveSideEffects() && !(call && call->isConvergent());
}

/// How many registers of 32 bits a value takes. One of one bit has registers of
/// its own, several together those that they are taken out to, constants none.
static unsigned countRegisters(const Value &value, const DataLayout &layout) {
  Type *type = value.getType();
  if (!type->isSized() || type->isIntegerTy(1) || type->isStructTy())
    return 0;
  return divideCeil(layout.getTypeSizeInBits(type).getFixedValue(), 32);
}

namespace {
/// Registers that values take, and where.
struct Pressure {
  unsigned registers = 0;
  const Instruction *place = nullptr;
};
} // namespace

using Order = SmallVector<Instruction *>;

static Order list(BasicBlock &block) {
  return to_vector(make_pointer_range(block));
}

/// Whether an instruction is a product on warpgroups, or a wait for one.
static bool isDot(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  return call && call->isInlineAsm() &&
         cast<InlineAsm>(call->getCalledOperand())
             ->getAsmString()
             .contains("wgmma");
}

/// What stands behind the last product: what stands between them is ordered to
/// overlap with them.
static ArrayRef<Instruction *> dropDots(ArrayRef<Instruction *> instructions) {
  auto last = find_if(reverse(instructions),
                      [](const Instruction *other) { return isDot(*other); });
  return instructions.drop_front(instructions.rend() - last);
}

/// Whether a value of a block is used elsewhere, or in the next iteration.
static bool leaves(const Instruction &value, const BasicBlock *block) {
  return any_of(value.users(), [&](const User *user) {
    return cast<Instruction>(user)->getParent() != block || isa<PHINode>(user);
  });
}

/// The values that instructions of a block take from before them.
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

/// The most registers that values take at once of a block's instructions in
/// this order, and of those that were `taken` from before them.
static Pressure findPressure(ArrayRef<Instruction *> order,
                             ArrayRef<const Instruction *> taken,
                             const DataLayout &layout) {
  const BasicBlock *block = order.front()->getParent();
  DenseMap<const Value *, unsigned> lastUse;
  for (auto [place, instruction] : enumerate(order))
    for (const Value *operand : instruction->operand_values())
      if (isa<Instruction>(operand))
        lastUse[operand] = place;
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
  for (auto [place, instruction] : enumerate(order)) {
    if (!instruction->use_empty())
      live += begin(*instruction);
    if (live > most.registers)
      most = {live, instruction};
    live -= ends[place];
  }
  return most;
}

/// Behind its operands, found without recursion: chains are long.
static void place(Instruction *root, DenseSet<Instruction *> &waiting,
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

/// Everything right in front of its first user, as far as that may be.
static Order orderByUse(ArrayRef<Instruction *> instructions) {
  DenseSet<Instruction *> waiting(instructions.begin(), instructions.end());
  Order order;
  Instruction *terminator = instructions.back();
  for (bool movable : {false, true}) // What only other blocks use comes last.
    for (Instruction *instruction : instructions.drop_back())
      if (isMovable(*instruction) == movable)
        place(instruction, waiting, order);
  place(terminator, waiting, order);
  return order;
}

/// Of a thread, with as many threads as run the kernel.
static unsigned getRegisterLimit(const Function &function) {
  unsigned threads = 1;
  StringRef list = function.getFnAttribute("nvvm.reqntid").getValueAsString();
  SmallVector<StringRef> sides;
  list.split(sides, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef side : sides) {
    unsigned count = 1;
    if (!side.getAsInteger(10, count))
      threads *= std::max(count, 1u);
  }
  return std::min(kMaxRegisters, kRegistersOfMultiprocessor / threads);
}

void tilewright::orderFullBlocks(Module &module) {
  const DataLayout &layout = module.getDataLayout();
  for (Function &function : module) {
    unsigned limit = getRegisterLimit(function);
    for (BasicBlock &block : function) {
      if (block.size() <= limit)
        continue;
      Order all = list(block);
      ArrayRef<Instruction *> order = dropDots(all);
      if (order.size() <= limit)
        continue;
      SmallVector<const Instruction *> taken = findTaken(order);
      unsigned pressure = findPressure(order, taken, layout).registers;
      if (pressure <= limit)
        continue;
      Order other = orderByUse(order);
      unsigned better = findPressure(other, taken, layout).registers;
      if (better > pressure - pressure / kLeastGain)
        continue;
      for (Instruction *instruction : other)
        instruction->moveBefore(block, block.end());
    }
  }
}

std::optional<tilewright::HopelessBlock>
tilewright::findHopelessBlock(Module &module) {
  for (Function &function : module) {
    uint64_t work = 0, most = 0;
    HopelessBlock worst;
    for (BasicBlock &block : function) {
      uint64_t instructions = block.size();
      if (instructions < kLeastInstructions)
        continue;
      Pressure pressure =
          findPressure(list(block), /*taken=*/{}, module.getDataLayout());
      if (pressure.registers <= kMaxRegisters)
        continue;
      uint64_t own = instructions * pressure.registers;
      work += own;
      if (own > most) {
        most = own;
        worst = {pressure.place, pressure.registers, instructions};
      }
    }
    if (work > kMostWork)
      return worst;
  }
  return std::nullopt;
}
