#include "lib/Target/NVPTX/FullBlocks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

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
  if (isa<PHINode, AllocaInst>(instruction) || instruction.isTerminator() ||
      instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects())
    return false;
  const auto *call = dyn_cast<CallBase>(&instruction);
  return !call || !call->isConvergent();
}

/// How many registers of 32 bits a value takes. One of one bit has registers of
/// its own, constants none.
static unsigned countRegisters(const Value &value, const DataLayout &layout) {
  Type *type = value.getType();
  if (!type->isSized() || type->isIntegerTy(1))
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

static SmallVector<const Instruction *> list(const BasicBlock &block) {
  return to_vector_of<const Instruction *>(make_pointer_range(block));
}

/// The most registers that values of a block take at once, with its
/// instructions in this order.
static Pressure findPressure(SmallVector<const Instruction *> order,
                             const DataLayout &layout) {
  DenseMap<const Value *, unsigned> lastUse;
  for (auto [place, instruction] : enumerate(order))
    for (const Value *operand : instruction->operand_values())
      if (isa<Instruction>(operand))
        lastUse[operand] = place;
  const BasicBlock *block = order.front()->getParent();
  unsigned live = 0;
  Pressure most;
  SmallVector<unsigned> ends(order.size());
  for (auto [place, instruction] : enumerate(order)) {
    unsigned registers = countRegisters(*instruction, layout);
    if (registers != 0 && !instruction->use_empty()) {
      live += registers;
      bool leaves = any_of(instruction->users(), [&](const User *user) {
        return cast<Instruction>(user)->getParent() != block ||
               isa<PHINode>(user);
      });
      if (!leaves)
        ends[lastUse.lookup(instruction)] += registers;
    }
    if (live > most.registers)
      most = {live, instruction};
    live -= ends[place];
  }
  return most;
}

/// Behind its operands, found without recursion: chains are long.
static void place(Instruction *root, DenseSet<Instruction *> &placed,
                  SmallVectorImpl<Instruction *> &order) {
  SmallVector<Instruction *> stack = {root};
  while (!stack.empty()) {
    Instruction *instruction = stack.back();
    size_t height = stack.size();
    if (!placed.contains(instruction) && !isa<PHINode>(instruction))
      for (Value *operand : reverse(instruction->operand_values()))
        if (auto *other = dyn_cast<Instruction>(operand);
            other && other->getParent() == root->getParent() &&
            !placed.contains(other))
          stack.push_back(other);
    if (stack.size() != height)
      continue;
    stack.pop_back();
    if (placed.insert(instruction).second)
      order.push_back(instruction);
  }
}

/// Everything right in front of its first user, as far as that may be.
static SmallVector<Instruction *> orderByUse(BasicBlock &block) {
  DenseSet<Instruction *> placed;
  SmallVector<Instruction *> order;
  Instruction *terminator = block.getTerminator();
  for (bool movable : {false, true}) // What only other blocks use comes last.
    for (Instruction &instruction : block)
      if (&instruction != terminator && isMovable(instruction) == movable)
        place(&instruction, placed, order);
  place(terminator, placed, order);
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
      unsigned pressure = findPressure(list(block), layout).registers;
      if (pressure <= limit)
        continue;
      SmallVector<Instruction *> order = orderByUse(block);
      unsigned better =
          findPressure({order.begin(), order.end()}, layout).registers;
      if (better > pressure - pressure / kLeastGain)
        continue;
      for (Instruction *instruction : order)
        instruction->moveBefore(block, block.end());
    }
  }
}

std::optional<tilewright::HopelessBlock>
tilewright::findHopelessBlock(const Module &module) {
  for (const Function &function : module) {
    uint64_t work = 0, most = 0;
    HopelessBlock worst;
    for (const BasicBlock &block : function) {
      uint64_t instructions = block.size();
      if (instructions < kLeastInstructions)
        continue;
      Pressure pressure = findPressure(list(block), module.getDataLayout());
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
