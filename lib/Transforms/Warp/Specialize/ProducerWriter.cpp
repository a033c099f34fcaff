#include "lib/Transforms/Warp/Specialize/ProducerWriter.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

void ProducerWriter::writeOp(Operation &op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return writeLoop(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return writeLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return writeBranch(branch);
  if (Value ring = ringOf.lookup(&op))
    return writeGetScalar(op, ring);
  auto found = groupOf.find(&op);
  if (found == groupOf.end()) {
    b.clone(op, map);
    return;
  }
  auto [group, ring] = found->second;
  // At the last load all coordinates are known.
  if (group->loads.back().load == &op)
    writeGroup(*group, ring);
}

void ProducerWriter::writeGetScalar(Operation &op, Value ring) {
  auto wait = RingWaitOp::create(b, op.getLoc(), ring);
  auto scalar =
      RingGetScalarOp::create(b, op.getLoc(), wait.getTiles().front());
  RingReleaseOp::create(b, op.getLoc(), wait.getSlot());
  map.map(op.getResult(0), scalar.getResult());
}

void ProducerWriter::writeGroup(const LoadGroup &group, Value ring) {
  auto acquire =
      RingAcquireOp::create(b, group.loads.front().load->getLoc(), ring);
  for (auto [load, memory] : llvm::zip_equal(group.loads, acquire.getTiles())) {
    tile::DescriptorLoadOp from = load.load;
    TmaLoadOp::create(b, from.getLoc(), map.lookupOrDefault(from.getDesc()),
                      lookup(from.getOffsets()), memory);
  }
  RingCommitOp::create(b, acquire.getLoc(), acquire.getSlot());
}

/// Carries only the values that the producer uses.
void ProducerWriter::writeLoop(scf::ForOp loop) {
  SmallVector<unsigned> kept;
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (slice.uses(argument))
      kept.push_back(index);
  SmallVector<Value> inits;
  for (unsigned index : kept)
    inits.push_back(map.lookupOrDefault(loop.getInitArgs()[index]));
  auto copy = scf::ForOp::create(b, loop.getLoc(),
                                 map.lookupOrDefault(loop.getLowerBound()),
                                 map.lookupOrDefault(loop.getUpperBound()),
                                 map.lookupOrDefault(loop.getStep()), inits,
                                 nullptr, loop.getUnsignedCmp());
  map.map(loop.getInductionVar(), copy.getInductionVar());
  for (auto [number, index] : llvm::enumerate(kept))
    map.map(loop.getRegionIterArg(index), copy.getRegionIterArg(number));
  {
    OpBuilder::InsertionGuard guard(b);
    if (kept.empty())
      b.setInsertionPoint(copy.getBody()->getTerminator());
    else
      b.setInsertionPointToEnd(copy.getBody());
    write(loop.getBody()->without_terminator());
    SmallVector<Value> yielded;
    for (unsigned index : kept)
      yielded.push_back(map.lookupOrDefault(loop.getYieldedValues()[index]));
    if (!kept.empty())
      scf::YieldOp::create(b, loop.getLoc(), yielded);
  }
  for (auto [number, index] : llvm::enumerate(kept))
    map.map(loop.getResult(index), copy.getResult(number));
}

/// Both regions of the loop carry only the values that the producer uses.
void ProducerWriter::writeLoop(scf::WhileOp loop) {
  SmallVector<unsigned> before, after;
  SmallVector<Value> inits;
  SmallVector<Type> types;
  for (auto [index, argument] : llvm::enumerate(loop.getBeforeArguments()))
    if (slice.uses(argument)) {
      before.push_back(index);
      inits.push_back(map.lookupOrDefault(loop.getInits()[index]));
    }
  for (auto [index, argument] : llvm::enumerate(loop.getAfterArguments()))
    if (slice.uses(argument) || slice.uses(loop.getResult(index))) {
      after.push_back(index);
      types.push_back(argument.getType());
    }
  auto writePart = [&](Block &from, ArrayRef<unsigned> arguments,
                       ValueRange copies) {
    for (auto [index, copy] : llvm::zip_equal(arguments, copies))
      map.map(from.getArgument(index), copy);
    write(from.without_terminator());
  };
  auto copy = scf::WhileOp::create(
      b, loop.getLoc(), types, inits,
      [&](OpBuilder &, Location loc, ValueRange copies) {
        writePart(*loop.getBeforeBody(), before, copies);
        scf::ConditionOp end = loop.getConditionOp();
        SmallVector<Value> passed;
        for (unsigned index : after)
          passed.push_back(map.lookupOrDefault(end.getArgs()[index]));
        scf::ConditionOp::create(
            b, loc, map.lookupOrDefault(end.getCondition()), passed);
      },
      [&](OpBuilder &, Location loc, ValueRange copies) {
        writePart(*loop.getAfterBody(), after, copies);
        SmallVector<Value> yielded;
        for (unsigned index : before)
          yielded.push_back(
              map.lookupOrDefault(loop.getYieldOp().getResults()[index]));
        scf::YieldOp::create(b, loc, yielded);
      });
  for (auto [number, index] : llvm::enumerate(after))
    map.map(loop.getResult(index), copy.getResult(number));
}

/// Yields only the results that the producer uses.
void ProducerWriter::writeBranch(scf::IfOp branch) {
  SmallVector<unsigned> kept;
  SmallVector<Type> types;
  for (OpResult result : branch.getResults())
    if (slice.uses(result)) {
      kept.push_back(result.getResultNumber());
      types.push_back(result.getType());
    }
  auto copy = scf::IfOp::create(
      b, branch.getLoc(), types, map.lookupOrDefault(branch.getCondition()),
      /*addThenBlock=*/true, /*addElseBlock=*/!branch.getElseRegion().empty());
  auto writeRegion = [&](Region &from, Region &to) {
    if (from.empty())
      return;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&to.front());
    write(from.front().without_terminator());
    SmallVector<Value> yielded;
    for (unsigned index : kept)
      yielded.push_back(
          map.lookupOrDefault(from.front().getTerminator()->getOperand(index)));
    scf::YieldOp::create(b, branch.getLoc(), yielded);
  };
  for (auto [from, to] :
       llvm::zip_equal(branch->getRegions(), copy->getRegions()))
    writeRegion(from, to);
  for (auto [number, index] : llvm::enumerate(kept))
    map.map(branch.getResult(index), copy.getResult(number));
}
