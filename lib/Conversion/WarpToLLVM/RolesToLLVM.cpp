// Roles: a branch on the number of the warp.

#include "lib/Conversion/WarpToLLVM/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"
#include "lib/Conversion/WarpToLLVM/RegisterShares.h"
#include "lib/Conversion/WarpToLLVM/SharedMemory.h"
#include "lib/Conversion/WarpToLLVM/Shuffle.h"
#include "lib/Conversion/WarpToLLVM/ThreadIndices.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright;

/// Takes registers or gives some back.
static void emitRegisterBudget(ImplicitLocOpBuilder &b, int32_t registers,
                               int32_t first) {
  llvm::StringRef direction = registers > first ? "inc" : "dec";
  InlinePtx(b).emit(("setmaxnreg." + direction + ".sync.aligned.u32 " +
                     Twine(registers) + ";")
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
  auto here = b.getInsertionPoint();
  while (number != 0 && !here->hasTrait<OpTrait::IsTerminator>() &&
         (isa<warp::FromHereOp>(*here) || isMemoryEffectFree(&*here)))
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
  if (auto registers = op.getRegisters()) {
    rewriter.setInsertionPointToStart(entry);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    emitRegisterBudget(b, (*registers)[number],
                       getFirstRegisters(llvm::sum_of(op.getWarps()),
                                         countProgramsByRegisters(op)));
  }
  Operation *end = role.back().getTerminator();
  rewriter.setInsertionPoint(end);
  rewriter.replaceOpWithNewOp<cf::BranchOp>(end, after);
  rewriter.inlineRegionBefore(role, after);
  return entry;
}

static void lower(warp::SpecializeOp op) {
  IRRewriter rewriter(op);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  // Shows the rings' barriers to all roles, and to the asynchronous copies,
  // which come another way.
  InlinePtx(b).emit("fence.mbarrier_init.release.cluster;",
                    /*sideEffects=*/true);
  // A shuffle tells the assembler that all lanes have the same.
  Value warp = emitShuffleIndex(b, emitWarpId(b), emitI32(b, 0));
  Block *dispatch = op->getBlock();
  Block *after = rewriter.splitBlock(dispatch, op->getIterator());
  for (auto [number, role] : llvm::enumerate(op.getRoles())) {
    Block *entry = inlineRole(op, number, after, rewriter);
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
}
