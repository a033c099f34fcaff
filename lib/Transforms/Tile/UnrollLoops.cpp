// Unrolls loops for which the kernel asks by `tl.range(loop_unroll_factor=)`.

#include "lib/Transforms/Tile/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEUNROLLLOOPS
#include "lib/Transforms/Tile/Passes.h.inc"
} // namespace tilewright::tile

/// Maximum number of ops of an unrolled body, which bounds the compile time.
static constexpr int64_t kMaxOperations = 4096;

/// Removes and returns the unroll factor of the loop; 1 if there is none.
static int64_t takeFactor(scf::ForOp loop) {
  auto hint = dyn_cast_or_null<IntegerAttr>(
      loop->removeAttr("tile.loop_unroll_factor"));
  return hint ? std::max<int64_t>(hint.getInt(), 1) : 1;
}

/// Returns the step of `factor` iterations. Returns nothing if it is not a
/// constant of the counter's type.
static std::optional<APInt> getSteps(scf::ForOp loop, int64_t factor) {
  APInt step;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)) ||
      !APInt(64, factor).isSignedIntN(step.getBitWidth()))
    return std::nullopt;
  bool overflows = false;
  APInt steps = step.smul_ov(APInt(step.getBitWidth(), factor), overflows);
  if (overflows)
    return std::nullopt;
  return steps;
}

/// Returns why the loop is not unrolled; null if it is.
static const char *findObstacle(scf::ForOp loop, int64_t factor) {
  int64_t operations = 0;
  bool hasDot = false, isExplicit = false;
  loop.getBody()->walk([&](Operation *op) {
    ++operations;
    hasDot |= isa<tile::DotOp>(op);
    isExplicit |= isa_and_present<warp::WarpDialect>(op->getDialect());
  });
  if (hasDot)
    return "not unrolled: it computes dots, whose iterations overlap already";
  if (isExplicit)
    return "not unrolled: it is written in the warp-level language";
  if (operations > kMaxOperations / factor)
    return "not unrolled: its body would be too large";
  if (!getSteps(loop, factor))
    return "not unrolled: the step is not a constant, or too large";
  return nullptr;
}

/// Emits the end of the last whole group of iterations, which advance by
/// `steps`. The distance between the bounds may exceed the positive numbers, so
/// the division is unsigned.
static Value emitLastOfGroups(OpBuilder &b, scf::ForOp loop, Value steps) {
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  Value end = loop.getUnsignedCmp()
                  ? arith::MaxUIOp::create(b, loc, lower, upper).getResult()
                  : arith::MaxSIOp::create(b, loc, lower, upper).getResult();
  Value all = arith::SubIOp::create(b, loc, end, lower);
  Value groups = arith::DivUIOp::create(b, loc, all, steps);
  Value length = arith::MulIOp::create(b, loc, groups, steps);
  return arith::AddIOp::create(b, loc, lower, length);
}

/// Inserts a loop over groups of `factor` iterations before `loop`, which then
/// runs the remaining iterations.
static void unroll(scf::ForOp loop, int64_t factor) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Type type = loop.getInductionVar().getType();
  Value steps = arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(type, *getSteps(loop, factor)));
  Value middle = emitLastOfGroups(b, loop, steps);
  auto groups =
      scf::ForOp::create(b, loc, loop.getLowerBound(), middle, steps,
                         loop.getInitArgs(), nullptr, loop.getUnsignedCmp());
  groups->setDiscardableAttrs(loop->getDiscardableAttrDictionary());

  b.setInsertionPointToStart(groups.getBody());
  Value index = groups.getInductionVar();
  SmallVector<Value> carried(groups.getRegionIterArgs());
  for (int64_t i = 0; i < factor; ++i) {
    if (i > 0)
      index = arith::AddIOp::create(b, loc, index, loop.getStep());
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), index);
    mapping.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : loop.getBody()->without_terminator())
      b.clone(op, mapping);
    for (auto [value, next] : llvm::zip(loop.getYieldedValues(), carried))
      next = mapping.lookupOrDefault(value);
  }
  if (!loop.getYieldedValues().empty())
    scf::YieldOp::create(b, loc, carried);

  // The few remaining iterations need no prefetching.
  loop->removeAttr("tile.num_stages");
  loop.getLowerBoundMutable().assign(middle);
  loop.getInitArgsMutable().assign(groups.getResults());
}

namespace {
struct UnrollLoops : tile::impl::TileUnrollLoopsBase<UnrollLoops> {
  void runOnOperation() override {
    // Inner loops first, so that copies contain them unrolled.
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      int64_t factor = takeFactor(loop);
      if (factor == 1)
        continue;
      constexpr auto kRemark =
          remark::RemarkOpts::name("UnrollLoops").category("tile-unroll-loops");
      if (const char *obstacle = findObstacle(loop, factor)) {
        remark::missed(loop.getLoc(), kRemark) << remark::add(obstacle);
        continue;
      }
      unroll(loop, factor);
      remark::passed(loop.getLoc(), kRemark)
          << remark::add("unrolled {0} times", factor);
    }
  }
};
} // namespace
