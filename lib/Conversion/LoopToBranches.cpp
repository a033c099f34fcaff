#include "lib/Conversion/LoopToBranches.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/PatternApplicator.h"

using namespace mlir;
using namespace tilewright;

namespace {
class ForToBranches : public OpRewritePattern<scf::ForOp> {
public:
  ForToBranches(MLIRContext *context, CheckedSteps checked)
      : OpRewritePattern(context, /*benefit=*/2), checked(checked) {}

  LogicalResult matchAndRewrite(scf::ForOp loop,
                                PatternRewriter &rewriter) const override;

private:
  bool mayLeaveType(scf::ForOp loop) const;

  CheckedSteps checked;
};
} // namespace

/// Whether the count behind the last may be none of its type. Steps of 1 lead
/// to the end at most.
bool ForToBranches::mayLeaveType(scf::ForOp loop) const {
  APInt upper, step;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return true;
  if (checked == CheckedSteps::NotConstant || step.isOne())
    return false;
  if (!matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)))
    return true;
  bool overflows = false;
  if (loop.getUnsignedCmp())
    (void)upper.uadd_ov(step - 1, overflows);
  else
    (void)upper.sadd_ov(step - 1, overflows);
  return overflows;
}

/// `upper - step`, or the least number where that is less: no count is below.
static Value emitEndLessStep(PatternRewriter &rewriter, Location loc,
                             Value upper, Value step, bool isUnsigned) {
  unsigned bits =
      upper.getType().isIndex() ? 64 : upper.getType().getIntOrFloatBitWidth();
  APInt value =
      isUnsigned ? APInt::getZero(bits) : APInt::getSignedMinValue(bits);
  Value least = arith::ConstantOp::create(
      rewriter, loc, rewriter.getIntegerAttr(upper.getType(), value));
  Value lowest = arith::AddIOp::create(rewriter, loc, least, step);
  Value wraps = arith::CmpIOp::create(rewriter, loc,
                                      isUnsigned ? arith::CmpIPredicate::ult
                                                 : arith::CmpIPredicate::slt,
                                      upper, lowest);
  Value less = arith::SubIOp::create(rewriter, loc, upper, step);
  return arith::SelectOp::create(rewriter, loc, wraps, least, less);
}

LogicalResult ForToBranches::matchAndRewrite(scf::ForOp loop,
                                             PatternRewriter &rewriter) const {
  if (!mayLeaveType(loop))
    return failure();
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(),
        step = loop.getStep();
  bool isUnsigned = loop.getUnsignedCmp();
  auto compare = [&](Value a, Value b) -> Value {
    return arith::CmpIOp::create(rewriter, loc,
                                 isUnsigned ? arith::CmpIPredicate::ult
                                            : arith::CmpIPredicate::slt,
                                 a, b);
  };

  Block *entry = rewriter.getInsertionBlock();
  Block *end = rewriter.splitBlock(entry, rewriter.getInsertionPoint());
  // Counter and carried values are arguments of `head`.
  Block *head = &loop.getRegion().front();
  Block *first = rewriter.splitBlock(head, head->begin());
  Block *last = &loop.getRegion().back();
  rewriter.inlineRegionBefore(loop.getRegion(), end);
  Value count = head->getArgument(0);

  rewriter.setInsertionPointToEnd(entry);
  SmallVector<Value> inits = {lower};
  llvm::append_range(inits, loop.getInitArgs());
  Operation *yield = last->getTerminator();
  // `end` gets what is carried last, from `entry` or from `last`.
  SmallVector<Value> results;
  for (Value init : loop.getInitArgs())
    results.push_back(end->addArgument(init.getType(), loc));
  Value before = emitEndLessStep(rewriter, loc, upper, step, isUnsigned);
  cf::CondBranchOp::create(rewriter, loc, compare(lower, upper), head, inits,
                           end, ValueRange(inits).drop_front());
  rewriter.setInsertionPointToEnd(head);
  cf::BranchOp::create(rewriter, loc, first);
  rewriter.setInsertionPointToEnd(last);
  Value goesOn = compare(count, before);
  SmallVector<Value> next = {arith::AddIOp::create(rewriter, loc, count, step)};
  llvm::append_range(next, yield->getOperands());
  cf::CondBranchOp::create(rewriter, loc, goesOn, head, next, end,
                           ValueRange(next).drop_front());
  rewriter.eraseOp(yield);
  rewriter.replaceOp(loop, results);
  return success();
}

LogicalResult tilewright::lowerToBranches(Operation *root,
                                          CheckedSteps checked) {
  RewritePatternSet collected(root->getContext());
  populateSCFToControlFlowConversionPatterns(collected);
  collected.add<ForToBranches>(root->getContext(), checked);
  const FrozenRewritePatternSet patterns(std::move(collected));
  PatternApplicator applicator(patterns);
  applicator.applyDefaultCostModel();
  // The outer ones first, whose terminators go with them.
  SmallVector<Operation *> structured;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<scf::SCFDialect>(op->getDialect()) && op->getNumRegions() != 0)
      structured.push_back(op);
  });
  PatternRewriter rewriter(root->getContext());
  for (Operation *op : structured) {
    rewriter.setInsertionPoint(op);
    if (failed(applicator.matchAndRewrite(op, rewriter)))
      return op->emitOpError("has no branches that do the same");
  }
  return success();
}
