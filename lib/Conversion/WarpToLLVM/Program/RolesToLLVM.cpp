// Roles: a branch on the number of the warp.

#include "lib/Conversion/WarpToLLVM/Async/TransactionRing.h"
#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/Shuffle.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"
#include "lib/Conversion/WarpToLLVM/Program/RegisterShares.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright;

/// Takes registers or gives some back.
static void emitRegisterBudget(ImplicitLocOpBuilder &b, warp::SpecializeOp op,
                               unsigned number) {
  auto registers = op.getRegisters();
  if (!registers)
    return;
  int32_t first = getFirstRegisters(llvm::sum_of(op.getWarps()),
                                    countProgramsByRegisters(op));
  int32_t wanted = (*registers)[number];
  llvm::StringRef direction = wanted > first ? "inc" : "dec";
  InlinePtx(b).emit(
      ("setmaxnreg." + direction + ".sync.aligned.u32 " + Twine(wanted) + ";")
          .str(),
      /*sideEffects=*/true);
}

/// Waits until all warps have come to their roles, for the rings' barriers.
/// What another role than the one that makes them computes first is done
/// meanwhile. Each role waits at a place of its own. So it waits at its own
/// barrier, where the others arrive: to wait at one in several places is an
/// error of divergence to compute-sanitizer.
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

/// Puts the blocks of a role in front of `after`, where they lead.
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

/// Has the role that starts at `entry` make the barriers that `dispatch` makes,
/// before all else: the other roles, which would pass that by, have something
/// to do meanwhile.
static void moveBarriers(Block &dispatch, Block &entry,
                         ImplicitLocOpBuilder &b) {
  b.setInsertionPointToStart(&entry);
  for (Operation &op : llvm::make_early_inc_range(dispatch))
    if (op.removeAttr(kMakesBarriers))
      op.moveBefore(&entry, b.getInsertionPoint());
  emitShowBarriers(b);
}

static void lower(warp::SpecializeOp op) {
  IRRewriter rewriter(op);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  // A shuffle tells the assembler that all lanes have the same.
  Value warp = emitShuffleIndex(b, emitWarpId(b), emitI32(b, 0));
  Block *dispatch = op->getBlock();
  Block *after = rewriter.splitBlock(dispatch, op->getIterator());
  for (auto [number, role] : llvm::enumerate(op.getRoles())) {
    Block *entry = inlineRole(op, number, after, rewriter);
    if (number == 0)
      moveBarriers(*dispatch, *entry, b);
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
  // Of rings that no role uses.
  module.walk([](LLVM::InlineAsmOp op) { op->removeAttr(kMakesBarriers); });
}
