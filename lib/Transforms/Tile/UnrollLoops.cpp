// Loops that the kernel asks to be unrolled, by
// `tl.range(loop_unroll_factor=)`.

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

/// Operations of an unrolled body at most: they take time to compile.
static constexpr int64_t kMaxOperations = 4096;

/// Takes what the loop asks for; 1 if nothing.
static int64_t takeFactor(scf::ForOp loop) {
  auto hint = dyn_cast_or_null<IntegerAttr>(
      loop->removeAttr("tile.loop_unroll_factor"));
  return hint ? std::max<int64_t>(hint.getInt(), 1) : 1;
}

/// The steps of `factor` iterations; nothing if that is not a constant of the
/// counter's type.
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

/// Why the body of a loop is not repeated; null if it is.
static const char *findObstacle(scf::ForOp loop, int64_t factor) {
  int64_t operations = 0;
  bool multiplies = false, isExplicit = false;
  loop.getBody()->walk([&](Operation *op) {
    ++operations;
    multiplies |= isa<tile::DotOp>(op);
    isExplicit |= isa_and_present<warp::WarpDialect>(op->getDialect());
  });
  if (multiplies)
    return "not unrolled: it computes products, which overlap by themselves";
  if (isExplicit)
    return "not unrolled: it is written in the warp-level language";
  if (operations > kMaxOperations / factor)
    return "not unrolled: its body would be too large";
  if (!getSteps(loop, factor))
    return "not unrolled: the step is not a constant, or too large";
  return nullptr;
}

/// The count up to which iterations come in groups of `steps`. Between the
/// bounds there may be more numbers than are positive.
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

/// Has `loop` run what is left of groups of `factor` iterations, behind a loop
/// over these groups.
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

  // The few that are left need not run ahead.
  loop->removeAttr("tile.num_stages");
  loop.getLowerBoundMutable().assign(middle);
  loop.getInitArgsMutable().assign(groups.getResults());
}

namespace {
struct UnrollLoops : tile::impl::TileUnrollLoopsBase<UnrollLoops> {
  void runOnOperation() override {
    // Inner loops first, so that their copies are done.
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
