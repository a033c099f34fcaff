#include "lib/Target/NVPTX/SinkInvariants.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// A loop with a block of so many instructions takes a few more without being
/// slower.
static constexpr size_t kLongBlock = 1024;
static constexpr ptrdiff_t kFarAway = 1024;

/// Whether an instruction is one of a thread's simplest, on numbers.
static bool isCheap(const Instruction &instruction) {
  if (isa<GetElementPtrInst, ZExtInst, SExtInst, TruncInst, ICmpInst,
          SelectInst>(instruction))
    return !instruction.getType()->isVectorTy();
  if (const auto *call = dyn_cast<IntrinsicInst>(&instruction))
    return call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_nctaid_x;
  switch (instruction.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return instruction.getType()->isIntegerTy();
  default:
    return false;
  }
}

/// The one block that uses an instruction, a block of `loop` and of no loop in
/// it; null if there is none. A value that goes around a loop is used at its
/// end.
static BasicBlock *findUsingBlock(const Instruction &instruction,
                                  const Loop &loop, const LoopInfo &loops) {
  BasicBlock *found = nullptr;
  for (const User *user : instruction.users()) {
    const auto *other = cast<Instruction>(user);
    BasicBlock *block = const_cast<BasicBlock *>(other->getParent());
    if (isa<PHINode>(other) || (found && block != found))
      return nullptr;
    found = block;
  }
  return found && loops.getLoopFor(found) == &loop ? found : nullptr;
}

static bool hasLongBlock(const Loop &loop, const LoopInfo &loops) {
  return any_of(loop.blocks(), [&](const BasicBlock *block) {
    return block->size() >= kLongBlock && loops.getLoopFor(block) == &loop;
  });
}

/// Those of a block from its end on, so that chains follow their users.
static void sinkInto(const Loop &loop, BasicBlock &before,
                     const LoopInfo &loops) {
  for (Instruction &instruction : make_early_inc_range(reverse(before))) {
    if (!isCheap(instruction))
      continue;
    BasicBlock *block = findUsingBlock(instruction, loop, loops);
    if (!block)
      continue;
    auto first = find_if(*block, [&](const Instruction &other) {
      return is_contained(instruction.users(), &other);
    });
    // What a long block uses soon is as well kept: the numbers it comes of
    // would be.
    if (block->size() < kLongBlock ||
        std::distance(block->begin(), first) >= kFarAway)
      instruction.moveBefore(first);
  }
}

void tilewright::sinkInvariants(Module &module) {
  for (Function &function : module) {
    if (none_of(function, [](const BasicBlock &block) {
          return block.size() >= kLongBlock;
        }))
      continue; // Most have none: no loops to look for.
    DominatorTree tree(function);
    LoopInfo loops(tree);
    for (Loop *loop : loops.getLoopsInPreorder())
      if (BasicBlock *before = loop->getLoopPreheader();
          before && hasLongBlock(*loop, loops))
        sinkInto(*loop, *before, loops);
  }
}
