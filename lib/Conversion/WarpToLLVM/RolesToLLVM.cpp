// Roles: a branch on the number of the warp.

#include "lib/Conversion/WarpToLLVM/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"
#include "lib/Conversion/WarpToLLVM/RegisterShares.h"
#include "lib/Conversion/WarpToLLVM/SharedMemory.h"
#include "lib/Conversion/WarpToLLVM/Shuffle.h"
#include "lib/Conversion/WarpToLLVM/ThreadIndices.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Divisions.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

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

/// What of the numbers that a role begins with is computed from what is known
/// in front of it, in order, but for constants: where that takes divisions.
static llvm::SmallSetVector<Operation *, 16> findStart(Region &role) {
  llvm::SmallSetVector<Operation *, 16> start;
  bool divides = false;
  auto isKnown = [&](Value value) {
    return !role.isAncestor(value.getParentRegion()) ||
           matchPattern(value, m_Constant()) ||
           start.contains(value.getDefiningOp());
  };
  for (Operation &op : role.front().without_terminator()) {
    if (!isMemoryEffectFree(&op))
      break;
    SetVector<Value> inside;
    getUsedValuesDefinedAbove(op.getRegions(), inside);
    auto isNumber = [](Type type) { return type.isIntOrFloat(); };
    if (op.hasTrait<OpTrait::ConstantLike>() ||
        !llvm::all_of(op.getResultTypes(), isNumber) ||
        !llvm::all_of(op.getOperands(), isKnown) ||
        !llvm::all_of(inside, isKnown))
      continue;
    start.insert(&op);
    divides |= op.walk([](Operation *part) {
                   return isDivision(part) ? WalkResult::interrupt()
                                           : WalkResult::advance();
                 }).wasInterrupted();
  }
  if (!divides)
    start.clear();
  return start;
}

/// Whether the warp of that number has the role.
static Value emitHasRole(ImplicitLocOpBuilder &b, warp::SpecializeOp op,
                         unsigned number, Value warp) {
  Value has = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::uge, warp,
                                   emitI32(b, op.getFirstWarp(number)));
  if (number + 1 == op.getRoles().size())
    return has;
  Value ends = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, warp,
                                    emitI32(b, op.getFirstWarp(number + 1)));
  return LLVM::AndOp::create(b, has, ends);
}

/// Has the warps of a role compute what it begins with in front of `op`, where
/// all warps come. So that is done while others make the rings' barriers.
static void computeAhead(warp::SpecializeOp op, unsigned number, Value warp,
                         RewriterBase &rewriter) {
  Region &role = op.getRoles()[number];
  auto start = findStart(role);
  if (start.empty())
    return;
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  b.setInsertionPoint(op);
  for (Operation &constant : llvm::make_early_inc_range(role.front()))
    if (constant.hasTrait<OpTrait::ConstantLike>())
      rewriter.moveOpBefore(&constant, op);
  Value hasRole = emitHasRole(b, op, number, warp);
  Block *here = op->getBlock();
  Block *behind = rewriter.splitBlock(here, op->getIterator());
  Block *ahead = rewriter.createBlock(behind);
  for (Operation *computed : start)
    rewriter.moveOpBefore(computed, ahead, ahead->end());
  SmallVector<Value> results, nothing;
  b.setInsertionPointToEnd(here);
  for (Operation *computed : start)
    for (Value result : computed->getResults()) {
      auto isInRole = [&](OpOperand &use) {
        return role.isAncestor(use.getOwner()->getParentRegion());
      };
      if (llvm::none_of(result.getUses(), isInRole))
        continue;
      Value known = behind->addArgument(result.getType(), op.getLoc());
      rewriter.replaceUsesWithIf(result, known, isInRole);
      results.push_back(result);
      nothing.push_back(LLVM::PoisonOp::create(b, result.getType()));
    }
  cf::CondBranchOp::create(b, hasRole, ahead, {}, behind, nothing);
  b.setInsertionPointToEnd(ahead);
  cf::BranchOp::create(b, behind, results);
}

/// Puts the blocks of a role in front of `after`, where they lead.
static Block *inlineRole(warp::SpecializeOp op, unsigned number, Block *after,
                         RewriterBase &rewriter) {
  Region &role = op.getRoles()[number];
  Block *entry = &role.front();
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
  // The first role makes the barriers. Where it is of teams, whose sums and
  // what follows take all registers, nothing is computed ahead: that is a
  // register more to assemblers.
  if (op.getNumTeams(0) == 1)
    for (unsigned number = 1; number < op.getRoles().size(); ++number)
      computeAhead(op, number, warp, rewriter);
  b.setInsertionPoint(op);
  NVVM::Barrier0Op::create(b);
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
