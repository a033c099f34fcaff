// Lowers control flow. Scalars are carried as values. A tile that is an
// argument or a result of a region has one buffer for as long as the op lives.

#include "lib/Analysis/Memory/ProgramOrder.h"
#include "lib/Conversion/TileToVector/KernelLowering.h"

using namespace mlir;

namespace tilewright::cpu {

KernelLowering::Values KernelLowering::lookupScalars(ValueRange values) {
  Values result;
  for (Value value : values)
    if (!isTile(value))
      result.push_back(e.scalars.lookup(value));
  return result;
}

void KernelLowering::mapScalars(ValueRange from, ValueRange to) {
  unsigned next = 0;
  for (Value value : from)
    if (!isTile(value))
      e.scalars.map(value, to[next++]);
}

SmallVector<Type> KernelLowering::scalarTypes(TypeRange types) {
  SmallVector<Type> result;
  for (Type type : types)
    if (!isa<RankedTensorType>(type))
      result.push_back(e.lowerElement(type));
  return result;
}

/// Allocates a buffer for each tile among `arguments` and fills it with its
/// source.
void KernelLowering::enterTiles(ValueRange sources, ValueRange arguments) {
  for (auto [source, argument] : llvm::zip(sources, arguments)) {
    if (!isTile(argument))
      continue;
    Buffer buffer = rowMajorBufferFor(argument);
    fill(buffer, source);
    e.buffers[argument] = buffer;
  }
}

/// Assigns all tiles among `sources` to the buffers of `targets`, as if at
/// once: a source may be another target.
void KernelLowering::assignTiles(ValueRange sources, ValueRange targets) {
  SmallVector<std::pair<Value, Buffer>> moved;
  for (auto [source, target] : llvm::zip(sources, targets)) {
    if (!isTile(target) || source == target ||
        e.plan.getReusedArgument(source) == target ||
        !llvm::is_contained(targets, source))
      continue;
    Buffer copy = rowMajorBufferFor(source);
    fill(copy, source);
    moved.push_back({target, copy});
  }
  const auto *copy = moved.begin();
  for (auto [source, target] : llvm::zip(sources, targets)) {
    if (!isTile(target) || source == target ||
        e.plan.getReusedArgument(source) == target)
      continue;
    Buffer into = e.buffers.lookup(target);
    if (copy == moved.end() || copy->first != target) {
      fill(into, source);
      continue;
    }
    Buffer original = e.buffers.lookup(source);
    e.buffers[source] = copy++->second;
    fill(into, source);
    e.buffers[source] = original;
  }
}

void KernelLowering::lowerFor(scf::ForOp op) {
  enterTiles(op.getInitArgs(), op.getRegionIterArgs());
  e.loc = op.getLoc();
  auto loop = scf::ForOp::create(
      e.b, e.loc, e.scalars.lookup(op.getLowerBound()),
      e.scalars.lookup(op.getUpperBound()), e.scalars.lookup(op.getStep()),
      lookupScalars(op.getInitArgs()));
  loop.setUnsignedCmp(op.getUnsignedCmp());
  e.scalars.map(op.getInductionVar(), loop.getInductionVar());
  mapScalars(op.getRegionIterArgs(), loop.getRegionIterArgs());
  {
    OpBuilder::InsertionGuard guard(e.b);
    Block *body = loop.getBody();
    if (!body->empty() && body->back().hasTrait<OpTrait::IsTerminator>())
      body->back().erase();
    e.b.setInsertionPointToEnd(body);
    lowerBody(*op.getBody());
    assignTiles(op.getYieldedValues(), op.getRegionIterArgs());
    scf::YieldOp::create(e.b, op.getLoc(),
                         lookupScalars(op.getYieldedValues()));
  }
  mapScalars(op.getResults(), loop.getResults());
  for (auto [result, argument] :
       llvm::zip(op.getResults(), op.getRegionIterArgs()))
    if (isTile(result))
      e.buffers[result] = e.buffers.lookup(argument);
}

void KernelLowering::lowerIf(scf::IfOp op) {
  for (Value result : op.getResults())
    if (isTile(result))
      e.buffers[result] = rowMajorBufferFor(result);
  auto types = scalarTypes(op.getResultTypes());
  auto branch = scf::IfOp::create(e.b, op.getLoc(), types,
                                  e.scalars.lookup(op.getCondition()),
                                  !op.getElseRegion().empty());
  for (auto [from, to] : llvm::zip(op->getRegions(), branch->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(e.b);
    Block &block = to.front();
    if (!block.empty())
      block.back().erase();
    e.b.setInsertionPointToEnd(&block);
    lowerBody(from.front());
    Operation *yield = from.front().getTerminator();
    for (auto [value, result] :
         llvm::zip(yield->getOperands(), op.getResults()))
      if (isTile(result))
        fill(e.buffers.lookup(result), value);
    scf::YieldOp::create(e.b, op.getLoc(), lookupScalars(yield->getOperands()));
  }
  mapScalars(op.getResults(), branch.getResults());
}

static constexpr StringLiteral kWaitFunction = "tw_host_wait";

void KernelLowering::lowerWhile(scf::WhileOp op) {
  enterTiles(op.getInits(), op.getBeforeArguments());
  for (auto [argument, result] :
       llvm::zip(op.getAfterArguments(), op.getResults())) {
    if (!isTile(result))
      continue;
    Buffer buffer = rowMajorBufferFor(result);
    e.buffers[argument] = buffer;
    e.buffers[result] = buffer;
  }
  e.loc = op.getLoc();
  auto types = scalarTypes(op.getResultTypes());
  Values inits = lookupScalars(op.getInits());
  auto loop = scf::WhileOp::create(e.b, e.loc, types, inits);
  OpBuilder::InsertionGuard guard(e.b);
  const auto addBlock = [&](Region &region, TypeRange types) {
    SmallVector<Location> locations(types.size(), op.getLoc());
    return e.b.createBlock(&region, region.end(), types, locations);
  };
  Block *before = addBlock(loop.getBefore(), ValueRange(inits).getTypes());
  mapScalars(op.getBeforeArguments(), before->getArguments());
  lowerBody(*op.getBeforeBody());
  scf::ConditionOp condition = op.getConditionOp();
  for (auto [value, result] : llvm::zip(condition.getArgs(), op.getResults()))
    if (isTile(result))
      fill(e.buffers.lookup(result), value);
  scf::ConditionOp::create(e.b, op.getLoc(),
                           e.scalars.lookup(condition.getCondition()),
                           lookupScalars(condition.getArgs()));

  Block *after = addBlock(loop.getAfter(), types);
  mapScalars(op.getAfterArguments(), after->getArguments());
  lowerBody(*op.getAfterBody());
  if (mayWaitForPrograms(op))
    LLVM::CallOp::create(e.b, op.getLoc(), runtimeFunction(kWaitFunction, {}),
                         ValueRange());
  Operation *yield = op.getYieldOp();
  assignTiles(yield->getOperands(), op.getBeforeArguments());
  scf::YieldOp::create(e.b, op.getLoc(), lookupScalars(yield->getOperands()));
  mapScalars(op.getResults(), loop.getResults());
}

} // namespace tilewright::cpu
