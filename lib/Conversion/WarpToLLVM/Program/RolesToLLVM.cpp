// Roles: a branch on the warp index.

#include "lib/Analysis/Target/RoleRegisters.h"
#include "lib/Conversion/WarpToLLVM/Async/TransactionRing.h"
#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/Shuffle.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright;

/// Emits setmaxnreg, which takes registers or gives some back.
static void emitRegisterBudget(ImplicitLocOpBuilder &b, warp::SpecializeOp op,
                               unsigned number) {
  auto registers = op.getRegisters();
  if (!registers)
    return;
  int32_t wanted = (*registers)[number];
  llvm::StringRef direction =
      wanted > warp::getInitialRegisters(op) ? "inc" : "dec";
  InlinePtx(b).emit(
      ("setmaxnreg." + direction + ".sync.aligned.u32 " + Twine(wanted) + ";")
          .str(),
      /*sideEffects=*/true);
}

/// Emits the wait for all warps to reach their roles, which makes the rings'
/// barriers visible. Roles other than the first, which initialises the
/// barriers, wait after their leading side-effect-free ops. Each role waits at
/// its own barrier, where the others arrive: compute-sanitizer reports a wait
/// at one barrier from several places as divergence.
static void emitStart(warp::SpecializeOp op, unsigned number,
                      RewriterBase &rewriter) {
  Block &entry = op.getRoles()[number].front();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  int32_t threads = llvm::sum_of(op.getWarps()) * kWarpSize;
  b.setInsertionPointToStart(&entry);
  for (unsigned other = 0; other < op.getRoles().size(); ++other)
    if (other != number)
      InlinePtx(b).emit(("bar.arrive " + Twine(getRoleBarrier(other)) + ", " +
                         Twine(threads) + ";")
                            .str(),
                        /*sideEffects=*/true);
  emitRegisterBudget(b, op, number);
  auto here = b.getInsertionPoint();
  while (number != 0 && !here->hasTrait<OpTrait::IsTerminator>() &&
         (isa<warp::OpaqueOp>(*here) || isMemoryEffectFree(&*here)))
    ++here;
  b.setInsertionPoint(&entry, here);
  NVVM::BarrierOp::create(b, Type(), emitI32(b, getRoleBarrier(number)),
                          emitI32(b, threads), {}, Value());
}

/// Inlines the blocks of a role before `after` and branches there at their end.
static Block *inlineRole(warp::SpecializeOp op, unsigned number, Block *after,
                         RewriterBase &rewriter) {
  Region &role = op.getRoles()[number];
  Block *entry = &role.front();
  emitStart(op, number, rewriter);
  Operation *end = role.back().getTerminator();
  rewriter.setInsertionPoint(end);
  rewriter.replaceOpWithNewOp<cf::BranchOp>(end, after);
  rewriter.inlineRegionBefore(role, after);
  return entry;
}

/// Moves the initialisation of barriers from `dispatch` to `entry`, the start
/// of the first role. The other roles have other work meanwhile.
static void moveBarrierInits(Block &dispatch, Block &entry,
                             ImplicitLocOpBuilder &b) {
  b.setInsertionPointToStart(&entry);
  for (Operation &op : llvm::make_early_inc_range(dispatch))
    if (op.removeAttr(kInitsBarriers))
      op.moveBefore(&entry, b.getInsertionPoint());
  emitPublishBarriers(b);
}

static void lower(warp::SpecializeOp op) {
  IRRewriter rewriter(op);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  // The shuffle tells the assembler that the value is uniform in the warp.
  Value warp = emitShuffleIndex(b, emitWarpId(b), emitI32(b, 0));
  Block *dispatch = op->getBlock();
  Block *after = rewriter.splitBlock(dispatch, op->getIterator());
  for (auto [number, role] : llvm::enumerate(op.getRoles())) {
    Block *entry = inlineRole(op, number, after, rewriter);
    if (number == 0)
      moveBarrierInits(*dispatch, *entry, b);
    b.setInsertionPointToEnd(dispatch);
    if (number + 1 == op.getRoles().size()) {
      cf::BranchOp::create(b, entry);
      break;
    }
    Block *next = rewriter.createBlock(after);
    Value isHere =
        LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, warp,
                             emitI32(b, op.getFirstWarp(number + 1)));
    cf::CondBranchOp::create(b, isHere, entry, next);
    dispatch = next;
  }
  rewriter.eraseOp(op);
}

void tilewright::lowerRoles(ModuleOp module) {
  SmallVector<warp::SpecializeOp> ops;
  module.walk([&](warp::SpecializeOp op) { ops.push_back(op); });
  llvm::for_each(ops, lower);
  // Rings that no role uses keep theirs.
  module.walk([](LLVM::InlineAsmOp op) { op->removeAttr(kInitsBarriers); });
}
