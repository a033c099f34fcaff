#include "lib/Transforms/Cpu/Passes.h"

#include "dialect/Tile/TileOps.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright::cpu {
#define GEN_PASS_DEF_SCALARIZELOOPOFFSETS
#include "lib/Transforms/Cpu/Passes.h.inc"
} // namespace tilewright::cpu

using namespace mlir;

namespace tilewright::cpu {

namespace {
/// The scalars that one iteration adds to every element of a carried tile.
using Steps = SmallVector<Value>;
} // namespace

static bool isPointerTile(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && isa<tile::PtrType>(tile.getElementType());
}

/// Returns the scalar that `tile` repeats, created with `b` if it is a
/// constant. Null if its elements differ.
static Value getRepeated(OpBuilder &b, Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return nullptr;
  if (auto splat = dyn_cast<tile::SplatOp>(op))
    return splat.getSource();
  if (isa<tile::BroadcastOp, tile::ExpandDimsOp>(op))
    return getRepeated(b, op->getOperand(0));
  SplatElementsAttr constant;
  if (matchPattern(tile, m_Constant(&constant)))
    return arith::ConstantOp::create(b, op->getLoc(),
                                     constant.getSplatValue<TypedAttr>());
  return nullptr;
}

static bool isRepeated(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return false;
  if (isa<tile::BroadcastOp, tile::ExpandDimsOp>(op))
    return isRepeated(op->getOperand(0));
  SplatElementsAttr constant;
  return isa<tile::SplatOp>(op) || matchPattern(tile, m_Constant(&constant));
}

/// Returns the repeated tiles that are added between `argument` and `yielded`.
/// Nothing if other ops are between them.
static std::optional<Steps> matchSteps(Value argument, Value yielded) {
  Steps steps;
  while (yielded != argument) {
    Operation *op = yielded.getDefiningOp();
    if (!op || !isa<tile::AddPtrOp, arith::AddIOp>(op))
      return std::nullopt;
    unsigned moving = 0;
    if (isa<arith::AddIOp>(op) && isRepeated(op->getOperand(0)))
      moving = 1;
    if (!isRepeated(op->getOperand(1 - moving)))
      return std::nullopt;
    steps.push_back(op->getOperand(1 - moving));
    yielded = op->getOperand(moving);
  }
  if (steps.empty())
    return std::nullopt;
  return steps;
}

static Value toType(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return arith::ExtSIOp::create(b, loc, type, value);
}

/// Returns `initial` plus the scalar `distance`.
static Value moveTile(OpBuilder &b, Location loc, Value initial,
                      Value distance) {
  auto type = cast<RankedTensorType>(initial.getType());
  Value offsets =
      tile::SplatOp::create(b, loc, type.clone(distance.getType()), distance);
  if (isPointerTile(type))
    return tile::AddPtrOp::create(b, loc, initial, offsets);
  return arith::AddIOp::create(b, loc, initial, offsets);
}

/// Replaces the carried tile `number` by the distance that it has moved.
static scf::ForOp scalarize(scf::ForOp loop, unsigned number,
                            ArrayRef<Value> steps) {
  Value initial = loop.getInitArgs()[number];
  Location loc = loop.getLoc();
  Type type = getElementTypeOrSelf(initial.getType());
  OpBuilder b(loop);
  if (isPointerTile(initial.getType()))
    type = b.getI64Type();
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));

  IRRewriter rewriter(loop);
  auto replaced = loop.replaceWithAdditionalYields(
      rewriter, ValueRange{zero}, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &b, Location loc, ArrayRef<BlockArgument> distance) {
        Value next = distance[0];
        for (Value step : steps) {
          Value scalar = toType(b, loc, getRepeated(b, step), type);
          next = arith::AddIOp::create(b, loc, next, scalar);
        }
        return SmallVector<Value>{next};
      });
  if (failed(replaced))
    return nullptr;
  auto result = cast<scf::ForOp>(replaced->getOperation());
  b.setInsertionPointToStart(result.getBody());
  Value inside = moveTile(b, loc, initial, result.getRegionIterArgs().back());
  Value argument = result.getRegionIterArg(number);
  argument.replaceAllUsesWith(inside);
  // The tile is now carried unchanged, which canonicalisation removes.
  result.getBody()->getTerminator()->setOperand(number, argument);
  b.setInsertionPointAfter(result);
  Value after = moveTile(b, loc, initial, result.getResults().back());
  result.getResult(number).replaceAllUsesWith(after);
  return result;
}

static void scalarizeLoop(scf::ForOp loop) {
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
    BlockArgument argument = loop.getRegionIterArg(i);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !(isPointerTile(type) || type.getElementType().isInteger()))
      continue;
    auto steps = matchSteps(argument, loop.getYieldedValues()[i]);
    if (!steps)
      continue;
    scf::ForOp replaced = scalarize(loop, i, *steps);
    if (!replaced)
      return;
    loop = replaced;
  }
}

namespace {
struct ScalarizeLoopOffsetsPass
    : impl::ScalarizeLoopOffsetsBase<ScalarizeLoopOffsetsPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    // Innermost first: the result of an inner loop is then an addition, through
    // which the step of the outer loop is found.
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      scalarizeLoop(loop);
  }
};
} // namespace

} // namespace tilewright::cpu
