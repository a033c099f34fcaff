#include "lib/Transforms/Warp/CheckRings/SameValues.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;
using arith::CmpIPredicate;

/// Runs a coinductive comparison: it may assume pairs that it is about to
/// prove, because loops are cyclic. If it succeeds, all assumed pairs are
/// proved.
bool SameValues::prove(llvm::function_ref<bool()> check) {
  assumed = proved;
  if (!check())
    return false;
  proved = assumed;
  return true;
}

bool SameValues::areSame(Value a, Value b) {
  return prove([&] { return check(a, b); });
}

bool SameValues::areSame(Operation *a, Operation *b) {
  return prove([&] { return checkLoops(a, b); });
}

/// Returns the scalar that another role forwards if `value` is read from its
/// ring, else `value`. The ring must have a single source and a single reader.
static Value getForwardedValue(Value value) {
  auto get = value.getDefiningOp<RingGetScalarOp>();
  auto wait = get ? get.getMemory().getDefiningOp<RingWaitOp>() : RingWaitOp();
  if (!wait)
    return value;
  Value forwarded;
  for (Operation *user : wait.getRing().getUsers()) {
    if (isa<RingWaitOp>(user) && user != wait)
      return value;
    auto acquire = dyn_cast<RingAcquireOp>(user);
    if (!acquire)
      continue;
    for (Operation *filler : acquire.getTiles().front().getUsers())
      if (auto put = dyn_cast<RingPutScalarOp>(filler)) {
        if (forwarded)
          return value;
        forwarded = put.getValue();
      }
  }
  return forwarded ? forwarded : value;
}

static Attribute getConstant(Value value) {
  Attribute constant;
  matchPattern(value, m_Constant(&constant));
  return constant;
}

bool SameValues::check(Value a, Value b) {
  a = getForwardedValue(a), b = getForwardedValue(b);
  if (a == b)
    return true;
  if (a.getType() != b.getType())
    return false;
  if (Attribute constant = getConstant(a))
    return constant == getConstant(b);
  if (!assumed.insert({a.getAsOpaquePointer(), b.getAsOpaquePointer()}).second)
    return true;
  auto resultA = dyn_cast<OpResult>(a), resultB = dyn_cast<OpResult>(b);
  if (!resultA && !resultB)
    return checkArguments(cast<BlockArgument>(a), cast<BlockArgument>(b));
  if (!resultA || !resultB)
    return false;
  if (isa<scf::ForOp>(resultA.getOwner()))
    return checkCarried(resultA.getOwner(), resultB.getOwner(),
                        resultA.getResultNumber(), resultB.getResultNumber());
  if (auto loop = dyn_cast<scf::WhileOp>(resultA.getOwner())) {
    auto other = dyn_cast<scf::WhileOp>(resultB.getOwner());
    return other && checkLoops(loop, other) &&
           check(loop.getConditionOp().getArgs()[resultA.getResultNumber()],
                 other.getConditionOp().getArgs()[resultB.getResultNumber()]);
  }
  if (auto branch = dyn_cast<scf::IfOp>(resultA.getOwner())) {
    auto other = dyn_cast<scf::IfOp>(resultB.getOwner());
    auto yielded = [](scf::IfOp op, OpResult result, Region &region) {
      return region.front().getTerminator()->getOperand(
          result.getResultNumber());
    };
    return other && check(branch.getCondition(), other.getCondition()) &&
           check(yielded(branch, resultA, branch.getThenRegion()),
                 yielded(other, resultB, other.getThenRegion())) &&
           check(yielded(branch, resultA, branch.getElseRegion()),
                 yielded(other, resultB, other.getElseRegion()));
  }
  return resultA.getResultNumber() == resultB.getResultNumber() &&
         checkOps(resultA.getOwner(), resultB.getOwner(),
                  resultA.getResultNumber());
}

bool SameValues::checkRange(ValueRange a, ValueRange b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [&](auto pair) {
           return check(std::get<0>(pair), std::get<1>(pair));
         });
}

static bool isRepeatable(Operation *op) {
  if (isMemoryEffectFree(op))
    return true;
  return hasSingleEffect<MemoryEffects::Read>(op);
}

bool SameValues::checkOps(Operation *a, Operation *b, unsigned result) {
  return a->getName() == b->getName() && a->getNumRegions() == 0 &&
         a->getAttrDictionary() == b->getAttrDictionary() && isRepeatable(a) &&
         checkRange(a->getOperands(), b->getOperands());
}

bool SameValues::checkLoops(Operation *a, Operation *b) {
  if (auto loop = dyn_cast<scf::ForOp>(a)) {
    auto other = dyn_cast<scf::ForOp>(b);
    return other && loop.getUnsignedCmp() == other.getUnsignedCmp() &&
           check(loop.getLowerBound(), other.getLowerBound()) &&
           check(loop.getUpperBound(), other.getUpperBound()) &&
           check(loop.getStep(), other.getStep());
  }
  auto loop = dyn_cast<scf::WhileOp>(a), other = dyn_cast<scf::WhileOp>(b);
  return loop && other &&
         check(loop.getConditionOp().getCondition(),
               other.getConditionOp().getCondition());
}

/// Compares loop-carried values of two counted loops.
bool SameValues::checkCarried(Operation *a, Operation *b, unsigned indexOfA,
                              unsigned indexOfB) {
  auto loop = dyn_cast<scf::ForOp>(a), other = dyn_cast<scf::ForOp>(b);
  return loop && other && checkLoops(a, b) &&
         check(loop.getInitArgs()[indexOfA], other.getInitArgs()[indexOfB]) &&
         check(loop.getRegionIterArg(indexOfA),
               other.getRegionIterArg(indexOfB)) &&
         check(loop.getYieldedValues()[indexOfA],
               other.getYieldedValues()[indexOfB]);
}

bool SameValues::checkArguments(BlockArgument a, BlockArgument b) {
  Operation *ownerOfA = a.getOwner()->getParentOp();
  Operation *ownerOfB = b.getOwner()->getParentOp();
  if (!ownerOfA || !ownerOfB)
    return false;
  if (auto loop = dyn_cast<scf::ForOp>(ownerOfA)) {
    if (a.getArgNumber() == 0 || b.getArgNumber() == 0)
      return a.getArgNumber() == b.getArgNumber() &&
             checkLoops(ownerOfA, ownerOfB);
    return checkCarried(ownerOfA, ownerOfB, a.getArgNumber() - 1,
                        b.getArgNumber() - 1);
  }
  auto loop = dyn_cast<scf::WhileOp>(ownerOfA);
  auto other = dyn_cast<scf::WhileOp>(ownerOfB);
  if (!loop || !other || !checkLoops(loop, other))
    return false;
  bool isBefore = a.getOwner() == loop.getBeforeBody();
  if (isBefore != (b.getOwner() == other.getBeforeBody()))
    return false;
  unsigned i = a.getArgNumber(), j = b.getArgNumber();
  if (!isBefore)
    return check(loop.getConditionOp().getArgs()[i],
                 other.getConditionOp().getArgs()[j]);
  return check(loop.getInits()[i], other.getInits()[j]) &&
         check(loop.getYieldOp().getOperand(i),
               other.getYieldOp().getOperand(j));
}

static std::optional<APInt> getInteger(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant;
  return std::nullopt;
}

bool SameValues::isRestOf(scf::ForOp rest, scf::ForOp all) {
  if (rest.getUnsignedCmp() != all.getUnsignedCmp() ||
      !areSame(rest.getUpperBound(), all.getUpperBound()) ||
      !areSame(rest.getStep(), all.getStep()))
    return false;
  auto from = getInteger(rest.getLowerBound());
  auto first = getInteger(all.getLowerBound()), by = getInteger(all.getStep());
  if (from && first && by)
    return *from == *first + *by;
  auto second = rest.getLowerBound().getDefiningOp<arith::AddIOp>();
  return second && ((areSame(second.getLhs(), all.getLowerBound()) &&
                     areSame(second.getRhs(), all.getStep())) ||
                    (areSame(second.getRhs(), all.getLowerBound()) &&
                     areSame(second.getLhs(), all.getStep())));
}

std::optional<bool> SameValues::isGuard(arith::CmpIOp compare,
                                        scf::ForOp loop) {
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  bool isPlain =
      areSame(compare.getLhs(), lower) && areSame(compare.getRhs(), upper);
  bool isSwapped = !isPlain && areSame(compare.getLhs(), upper) &&
                   areSame(compare.getRhs(), lower);
  if (!isPlain && !isSwapped)
    return std::nullopt;
  CmpIPredicate predicate = compare.getPredicate();
  auto is = [&](CmpIPredicate withSign, CmpIPredicate without) {
    return predicate == (loop.getUnsignedCmp() ? without : withSign);
  };
  if (isPlain ? is(CmpIPredicate::slt, CmpIPredicate::ult)
              : is(CmpIPredicate::sgt, CmpIPredicate::ugt))
    return true;
  if (isPlain ? is(CmpIPredicate::sge, CmpIPredicate::uge)
              : is(CmpIPredicate::sle, CmpIPredicate::ule))
    return false;
  return std::nullopt;
}
