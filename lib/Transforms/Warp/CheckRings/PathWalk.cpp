#include "lib/Transforms/Warp/CheckRings/PathWalk.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Transforms/Warp/CheckRings/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// The maximum number of states of one loop or one point of the function.
/// Beyond it the proof is given up.
static constexpr size_t kMaxStates = 512;

//===----------------------------------------------------------------------===//
// Relevant ops and values
//===----------------------------------------------------------------------===//

/// Whether any rule applies to `op`.
static bool isInProtocol(Operation *op) {
  return isa<RingOp, RingAcquireOp, RingCommitOp, RingWaitOp, RingReleaseOp,
             RingSkipOp, RingNoSlotOp, TmaLoadOp, AsyncCopyOp, AllocOp,
             SharedTransposeOp, WgmmaOp, WgmmaWaitOp, ProxyFenceOp, BarrierOp,
             ClusterBarrierOp, SpecializeOp>(op) ||
         usesScratch(op) || tile::getProgramOrder(op) ||
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<SharedType>);
}

PathWalk::PathWalk(FunctionOpInterface function)
    : function(function), rules(function) {
  collectRelevant();
  collectCounters();
}

void PathWalk::collectRelevant() {
  function->walk([&](Operation *op) {
    if (!isInProtocol(op))
      return;
    if (auto ring = dyn_cast<RingOp>(op))
      mostSlots = std::max(mostSlots, ring.getType().getNumSlots());
    for (Operation *at = op;
         at && at != function && relevant.insert(at).second;)
      at = at->getParentOp();
  });
}

/// Collects the values that slot indices depend on, through loops.
void PathWalk::collectCounters() {
  SmallVector<Value> open;
  function->walk([&](Operation *op) {
    if (auto acquire = dyn_cast<RingAcquireOp>(op);
        acquire && acquire.getIndex())
      open.push_back(acquire.getIndex());
    if (auto wait = dyn_cast<RingWaitOp>(op); wait && wait.getIndex())
      open.push_back(wait.getIndex());
  });
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!counters.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop || argument == loop.getInductionVar())
        continue;
      unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
      open.push_back(loop.getInitArgs()[index]);
      open.push_back(loop.getYieldedValues()[index]);
    } else if (Operation *op = value.getDefiningOp();
               op->getNumRegions() == 0 &&
               op->getDialect()->getNamespace() == "arith") {
      llvm::append_range(open, op->getOperands());
    }
  }
}

/// Passes on abstract slots, memory and accumulators, and evaluated slot
/// indices.
void PathWalk::pass(PathState &state, ValueRange from, ValueRange to) const {
  SmallVector<Known> known;
  for (auto [source, target] : llvm::zip_equal(from, to)) {
    Known &value = known.emplace_back(state.get(source));
    if (value.kind == Known::Integer || value.kind == Known::Nothing ||
        value.kind == Known::FirstCounter ||
        value.kind == Known::LaterCounter) {
      auto number =
          counters.contains(target) ? evaluate(source, state) : std::nullopt;
      value = number ? Known{Known::Integer, {}, *number} : Known();
    }
  }
  for (auto [value, target] : llvm::zip_equal(known, to))
    state.set(target, value);
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

/// Whether the path continues: `op` does not break `rule` and has not broken
/// one before.
bool PathWalk::check(Operation *op, llvm::function_ref<LogicalResult()> rule) {
  if (broken.contains(op))
    return false;
  if (succeeded(rule()))
    return true;
  broken.insert(op);
  return false;
}

bool PathWalk::step(Operation *op, PathState &state, bool released) {
  return check(op, [&] { return rules.apply(op, state, released); });
}

void PathWalk::finish(Operation *end, const PathStates &states) {
  for (const PathState &state : states)
    check(end, [&] { return rules.finish(end, state); });
}

/// Reports an error and returns true if there are too many states at `op`.
bool PathWalk::limit(Operation *op, size_t numStates) {
  if (numStates <= kMaxStates)
    return false;
  check(op, [&]() -> LogicalResult {
    return reportRule(op, "provable")
           << "more than " << kMaxStates
           << " states of its rings and wgmmas differ";
  });
  return true;
}

/// Returns the states before the terminator of a region.
PathStates PathWalk::walk(Region &region, PathStates states) {
  for (Operation &op : region.front().without_terminator()) {
    if (states.empty() || limit(&op, states.size()))
      return {};
    states = visit(&op, std::move(states));
  }
  PathStates ends;
  Operation *end = region.front().getTerminator();
  for (const PathState &state : states)
    if (check(end, [&] { return rules.checkAccumulators(end, state); }))
      ends.insert(state);
  return ends;
}

PathStates PathWalk::visit(Operation *op, PathStates states) {
  if (op->getNumRegions() != 0 && isRelevant(op)) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visit(loop, states);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return visit(loop, states);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return visit(branch, states);
    if (auto branch = dyn_cast<scf::IndexSwitchOp>(op))
      return visit(branch, states);
    if (auto roles = dyn_cast<SpecializeOp>(op))
      return visit(roles, states);
  }
  if (auto done = dyn_cast<RingReleaseOp>(op); done && done.getCondition())
    return release(done, states);
  PathStates next;
  for (PathState state : states)
    if (step(op, state))
      next.insert(std::move(state));
  return next;
}

/// Visits a conditional release, with both outcomes if the condition is not
/// known.
PathStates PathWalk::release(RingReleaseOp op, const PathStates &states) {
  PathStates next;
  for (const PathState &before : states) {
    auto known = evaluate(op.getCondition(), before);
    for (bool released : {false, true}) {
      if (known && *known != released)
        continue;
      PathState state = before;
      if (step(op, state, released))
        next.insert(std::move(state));
    }
  }
  return next;
}

/// Records whether `loop` was entered, if a release or a branch depends on it.
static void learn(scf::ForOp loop, bool entered, PathState &state) {
  for (Value bound : {loop.getLowerBound(), loop.getUpperBound()})
    for (Operation *user : bound.getUsers()) {
      auto compare = dyn_cast<arith::CmpIOp>(user);
      if (!compare || llvm::none_of(compare->getUsers(),
                                    llvm::IsaPred<scf::IfOp, RingReleaseOp>))
        continue;
      if (auto holds = guards(compare, loop))
        state.set(compare.getResult(), {Known::Integer, {}, *holds == entered});
    }
}

/// Returns the number of iterations after which `loop` may end first. It is at
/// most the slots of the deepest ring, which suffices to complete the copies
/// from before the loop.
int64_t PathWalk::countSure(scf::ForOp loop) const {
  std::optional<APInt> count = loop.getStaticTripCount();
  return count ? std::min<uint64_t>(count->getLimitedValue(), mostSlots) : 1;
}

/// Returns the states before the next iteration, given those at the end of one.
PathStates PathWalk::next(scf::ForOp loop, const PathStates &ends) const {
  PathStates starts;
  for (PathState state : ends) {
    pass(state, loop.getYieldedValues(), loop.getRegionIterArgs());
    SmallVector<Known> carried;
    for (Value argument : loop.getRegionIterArgs())
      carried.push_back(state.get(argument));
    state.leave(loop.getRegion());
    for (auto [argument, known] :
         llvm::zip_equal(loop.getRegionIterArgs(), carried))
      state.set(argument, known);
    state.set(loop.getInductionVar(), {Known::LaterCounter});
    state.normalize();
    starts.insert(std::move(state));
  }
  return starts;
}

PathStates PathWalk::visit(scf::ForOp loop, const PathStates &states) {
  PathStates exits, seen, open;
  for (const PathState &before : states) {
    auto entered = isEntered(loop, before);
    PathState state = before;
    pass(state, loop.getInitArgs(), loop.getResults());
    if (!entered)
      learn(loop, false, state);
    if (!entered || !*entered)
      exits.insert(std::move(state));
    if (entered && !*entered)
      continue;
    state = before;
    if (!entered)
      learn(loop, true, state);
    pass(state, loop.getInitArgs(), loop.getRegionIterArgs());
    state.set(loop.getInductionVar(), {Known::FirstCounter});
    state.normalize();
    open.insert(std::move(state));
  }
  for (int64_t left = countSure(loop); left > 1; --left)
    open = next(loop, walk(loop.getRegion(), std::move(open)));
  while (!open.empty()) {
    if (limit(loop, seen.size() + open.size()))
      return {};
    PathStates ends = walk(loop.getRegion(), open);
    seen.merge(open);
    open.clear();
    for (PathState state : ends) {
      pass(state, loop.getYieldedValues(), loop.getResults());
      state.leave(loop.getRegion());
      exits.insert(std::move(state));
    }
    for (const PathState &state : next(loop, ends))
      if (!seen.count(state))
        open.insert(state);
  }
  return exits;
}

PathStates PathWalk::visit(scf::WhileOp loop, const PathStates &states) {
  PathStates exits, seen, open;
  auto enter = [&](PathState state, ValueRange values) {
    pass(state, values, loop.getBeforeArguments());
    SmallVector<Known> carried;
    for (Value argument : loop.getBeforeArguments())
      carried.push_back(state.get(argument));
    state.leave(loop.getBefore());
    state.leave(loop.getAfter());
    for (auto [argument, known] :
         llvm::zip_equal(loop.getBeforeArguments(), carried))
      state.set(argument, known);
    state.normalize();
    if (!seen.count(state))
      open.insert(std::move(state));
  };
  for (const PathState &before : states)
    enter(before, loop.getInits());
  auto condition = loop.getConditionOp();
  while (!open.empty()) {
    if (limit(loop, seen.size() + open.size()))
      return {};
    PathStates tests = walk(loop.getBefore(), open), bodies;
    seen.merge(open);
    open.clear();
    for (const PathState &test : tests) {
      PathState state = test;
      pass(state, condition.getArgs(), loop.getResults());
      state.leave(loop.getBefore());
      exits.insert(std::move(state));
      state = test;
      pass(state, condition.getArgs(), loop.getAfterArguments());
      bodies.insert(std::move(state));
    }
    for (const PathState &end : walk(loop.getAfter(), std::move(bodies)))
      enter(end, loop.getYieldOp().getOperands());
  }
  return exits;
}

/// Whether more than one op depends on `condition`, so that states must record
/// its value.
static bool hasSeveralUsers(Value condition) {
  return llvm::count_if(condition.getUsers(),
                        llvm::IsaPred<scf::IfOp, RingReleaseOp>) > 1;
}

PathStates PathWalk::visit(scf::IfOp branch, const PathStates &states) {
  PathStates exits;
  Value condition = branch.getCondition();
  for (bool taken : {true, false}) {
    PathStates inside;
    for (PathState state : states) {
      auto known = evaluate(condition, state);
      if (known && (*known != 0) != taken)
        continue;
      if (!known)
        state.set(condition, {Known::Integer, {}, taken});
      inside.insert(std::move(state));
    }
    Region &region = taken ? branch.getThenRegion() : branch.getElseRegion();
    if (!region.empty())
      inside = walk(region, std::move(inside));
    for (PathState state : inside) {
      if (!region.empty())
        pass(state, region.front().getTerminator()->getOperands(),
             branch.getResults());
      state.leave(region);
      if (!hasSeveralUsers(condition) && !counters.contains(condition))
        state.set(condition, {});
      exits.insert(std::move(state));
    }
  }
  return exits;
}

PathStates PathWalk::visit(scf::IndexSwitchOp branch,
                           const PathStates &states) {
  PathStates exits;
  for (Region &region : branch->getRegions())
    for (PathState state : walk(region, states)) {
      pass(state, region.front().getTerminator()->getOperands(),
           branch.getResults());
      state.leave(region);
      exits.insert(std::move(state));
    }
  return exits;
}

/// All roles start in the same state and end without held slots.
PathStates PathWalk::visit(SpecializeOp roles, const PathStates &states) {
  finish(roles, states);
  std::set<Operation *> shared;
  for (Region &role : roles.getRoles()) {
    PathStates ends = walk(role, states);
    finish(role.front().getTerminator(), ends);
    for (const PathState &end : ends)
      shared.insert(end.shared.begin(), end.shared.end());
  }
  PathStates exits;
  for (PathState state : states) {
    state.shared = shared;
    exits.insert(std::move(state));
  }
  return exits;
}

LogicalResult PathWalk::run() {
  if (function.isExternal() || relevant.empty())
    return success();
  Region &body = function.getFunctionBody();
  if (!body.hasOneBlock())
    return reportRule(function, "provable")
           << "its control flow is not structured";
  Operation *end = body.front().getTerminator();
  for (const PathState &state : walk(body, {PathState()}))
    check(end, [&] { return rules.leave(end, state); });
  return success(broken.empty());
}
