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

/// A loop with a block of this many instructions does not slow down by a few
/// more.
static constexpr size_t kLongBlock = 1024;
static constexpr ptrdiff_t kFarAway = 1024;

/// Whether an instruction is a cheap scalar operation.
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

/// Returns the one block that uses an instruction; null unless it is a block of
/// `loop` itself, not of an inner loop. A loop-carried value is used at the end
/// of the block that passes it on.
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

/// Sinks instructions of `before`, from its end on, so that chains follow their
/// users.
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
    // An early use in a long block gains nothing: the operands would be live
    // instead.
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
      continue; // Most functions: skips the loop analysis.
    DominatorTree tree(function);
    LoopInfo loops(tree);
    for (Loop *loop : loops.getLoopsInPreorder())
      if (BasicBlock *before = loop->getLoopPreheader();
          before && hasLongBlock(*loop, loops))
        sinkInto(*loop, *before, loops);
  }
}
