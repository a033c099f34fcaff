#include "lib/Analysis/Memory/GlobalHazards.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Facts/PointerOrigins.h"
#include "lib/Analysis/Layout/LayoutEdges.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tilewright;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static bool isAtomic(Operation *op) {
  return isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op);
}

static bool isWrite(Operation *op) {
  return isAtomic(op) || isa<tile::StoreOp>(op);
}

bool tilewright::accessesGlobalMemory(Operation *op) {
  return isWrite(op) || isa<tile::LoadOp, warp::AsyncCopyOp>(op);
}

static Value getPointers(Operation *op) { return op->getOperand(0); }

Value tilewright::getWrittenOnly(Operation *op) {
  bool isWriteOnly =
      isa<tile::StoreOp>(op) || (isAtomic(op) && op->use_empty());
  return isWriteOnly ? getPointers(op) : Value();
}

/// Whether the order of two atomic operations is unobservable: they are of the
/// same kind, no exchanges, and their results are unused.
static bool commute(Operation *a, Operation *b) {
  auto first = dyn_cast<tile::AtomicRMWOp>(a);
  auto second = dyn_cast<tile::AtomicRMWOp>(b);
  return first && second && first.getKind() == second.getKind() &&
         first.getKind() != tile::AtomicKind::Xchg && first.use_empty() &&
         second.use_empty();
}

/// Whether a single thread performs all writes of `op`.
static bool isWriteOfOneThread(Operation *op) {
  return isWrite(op) && !isa<RankedTensorType>(getPointers(op).getType());
}

/// Whether exactly one thread loads each element.
static bool hasNoCopies(Value pointers) {
  std::optional<LinearLayout> layout = warp::getLayout(pointers.getType());
  return layout && layout->getFreeBits(LayoutAxis::Lane) == 0 &&
         layout->getFreeBits(LayoutAxis::Warp) == 0;
}

/// Whether the copies of elements that several threads load are unused: all
/// uses of `op` are elementwise and end in stores. The first thread with an
/// element performs its store.
static bool isOnlyStored(Operation *op) {
  if (!isa<tile::LoadOp>(op))
    return false;
  llvm::SetVector<Value> worklist;
  worklist.insert(op->getResult(0));
  for (unsigned i = 0; i < worklist.size(); ++i)
    for (OpOperand &use : worklist[i].getUses()) {
      Operation *user = use.getOwner();
      if (auto store = dyn_cast<tile::StoreOp>(user);
          store && use.get() != store.getPtr() && use.get() != store.getMask())
        continue;
      if (!isElementwise(user) || !isPure(user) || user->getNumResults() != 1 ||
          warp::getLayout(user->getResult(0).getType()) !=
              warp::getLayout(op->getResult(0).getType()))
        return false;
      worklist.insert(user->getResult(0));
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Strides
//===----------------------------------------------------------------------===//

/// The condition under which different indices, up to `reach` along each
/// dimension, have different offsets: each stride is larger than the largest
/// offset that the smaller strides reach. Unknown strides are assumed to be
/// larger than the known ones, and to decrease from the first to the last.
static std::optional<DisjointCondition>
requireDistinctOffsets(ArrayRef<Polynomial> strides, ArrayRef<int64_t> reach) {
  SmallVector<std::pair<int64_t, int64_t>> known;
  SmallVector<std::pair<Polynomial, int64_t>> others;
  for (auto [stride, most] : llvm::zip_equal(strides, reach)) {
    if (most == 0)
      continue;
    if (std::optional<int64_t> constant =
            stride.isZero() ? 0 : stride.getConstant())
      known.push_back({std::abs(*constant), most});
    else
      others.push_back({stride, most});
  }
  llvm::sort(known);
  int64_t total = 0;
  for (auto [stride, most] : known) {
    if (stride <= total)
      return std::nullopt;
    total += stride * most;
  }
  DisjointCondition condition;
  Polynomial shorter;
  for (const auto &[stride, most] : llvm::reverse(others)) {
    condition.push_back({stride - shorter, total + 1});
    shorter = shorter + stride * Polynomial(most);
  }
  return condition;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

bool tilewright::iteratesPrograms(Operation *loop) {
  auto counted = dyn_cast<scf::ForOp>(loop);
  return counted &&
         loop->getParentOfType<FunctionOpInterface>()->hasAttr(
             warp::WarpDialect::kPersistentAttr) &&
         counted.getStep().getDefiningOp<tile::NumProgramsOp>();
}

std::optional<GlobalUse> tilewright::carryAround(GlobalUse use,
                                                 Operation *loop) {
  if (iteratesPrograms(loop))
    return std::nullopt;
  if (loop->isAncestor(getPointers(use.op).getParentRegion()->getParentOp()))
    use.loop = loop;
  // Values computed in the loop differ in the next iteration.
  use.unlessDisjoint.clear();
  return use;
}

/// The only induction variable among the factors of `monomial`, whose other
/// factors are invariant in `loop`. Null if all factors are invariant, nothing
/// if there are more variant ones.
static std::optional<Value> findCounter(const Monomial &monomial,
                                        Operation *loop) {
  Value counter;
  for (Value factor : monomial) {
    if (!loop->isAncestor(factor.getParentRegion()->getParentOp()))
      continue;
    auto around = dyn_cast<scf::ForOp>(factor.getParentRegion()->getParentOp());
    if (counter || !around || factor != around.getInductionVar())
      return std::nullopt;
    counter = factor;
  }
  return counter;
}

/// By how much each induction variable in `offset` advances it. Nothing if the
/// offset depends on other values computed in `loop`.
static std::optional<SmallVector<std::pair<Value, Polynomial>>>
getMoves(const Polynomial &offset, Operation *loop) {
  SmallVector<std::pair<Value, Polynomial>> moves;
  for (auto [monomial, coefficient] : offset.getTerms()) {
    std::optional<Value> counter = findCounter(monomial, loop);
    if (!counter)
      return std::nullopt;
    if (!*counter)
      continue;
    Monomial rest = monomial;
    rest.erase(llvm::find(rest, *counter));
    auto *move = llvm::find_if(
        moves, [&](const auto &known) { return known.first == *counter; });
    if (move == moves.end())
      move = &moves.emplace_back(*counter, Polynomial());
    move->second.add(rest, coefficient);
  }
  return moves;
}

/// The quotient of the distance `move` and `stride`; 0 if it is not a multiple.
static int64_t countStrides(const Polynomial &move, const Polynomial &stride) {
  if (stride.isZero())
    return 0;
  const auto &[monomial, unit] = stride.getTerms().front();
  int64_t times = move.getCoefficient(monomial) / unit;
  return move == stride * Polynomial(times) ? times : 0;
}

/// The dimension among those `left` along which an iteration advances `tile` by
/// at least its extent; -1 if there is none.
static int findDimension(Value counter, const Polynomial &move,
                         const AffineTile &tile, ArrayRef<int64_t> shape,
                         const llvm::SmallBitVector &left) {
  auto loop = cast<scf::ForOp>(counter.getParentRegion()->getParentOp());
  APInt step;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)))
    step = APInt(64, 1);
  for (unsigned dim : left.set_bits())
    if (std::abs(countStrides(move, tile.coefficients[dim])) *
            step.getSExtValue() >=
        shape[dim])
      return dim;
  return -1;
}

/// Extends `shape`, that of `from`, along one dimension to cover `to`, a tile
/// of the same strides. Returns false if there is no such dimension.
static bool cover(const AffineTile &from, const AffineTile &to,
                  MutableArrayRef<int64_t> shape) {
  if (from.base != to.base || from.coefficients != to.coefficients)
    return false;
  Polynomial distance = to.constant - from.constant;
  if (distance.isZero())
    return true;
  for (auto [stride, extent] : llvm::zip_equal(from.coefficients, shape))
    if (int64_t times = countStrides(distance, stride)) {
      extent += std::abs(times);
      return true;
    }
  return false;
}

/// The condition under which no two iterations of `loop` access the same
/// element through `from` and `to`. Each induction variable must advance the
/// tiles along a dimension of its own by at least their extent. The row stride
/// of a stored tile with several rows is assumed to exceed the row.
std::optional<DisjointCondition>
GlobalHazards::getDisjointIterations(Value from, Value to, Operation *loop,
                                     bool areWrites) {
  auto type = dyn_cast<RankedTensorType>(from.getType());
  std::optional<AffineTile> tile = tiles.get(from), other = tiles.get(to);
  if (!type || !tile || !tile->base || !other ||
      loop->isAncestor(tile->base.getParentRegion()->getParentOp()))
    return std::nullopt;
  SmallVector<int64_t> shape(type.getShape());
  if (from != to && (dyn_cast<RankedTensorType>(to.getType()) != type ||
                     !cover(*tile, *other, shape)))
    return std::nullopt;
  auto moves = getMoves(tile->constant, loop);
  auto isSteady = [&](const Polynomial &stride) {
    return stride.allOf([&](Value factor) {
      return !loop->isAncestor(factor.getParentRegion()->getParentOp());
    });
  };
  if (!moves || !llvm::all_of(tile->coefficients, isSteady))
    return std::nullopt;
  llvm::SmallBitVector left(type.getRank(), true);
  bool isMoved = false;
  for (auto [counter, move] : *moves) {
    int dim = findDimension(counter, move, *tile, shape, left);
    if (dim < 0)
      return std::nullopt;
    left.reset(dim);
    isMoved |= counter.getParentRegion()->getParentOp() == loop;
  }
  if (!isMoved)
    return std::nullopt;
  SmallVector<int64_t> reach;
  for (auto [dim, extent] : llvm::enumerate(shape))
    reach.push_back(left.test(dim) ? extent - 1
                                   : std::max<int64_t>(extent - 1, 1));
  std::optional<DisjointCondition> condition =
      requireDistinctOffsets(tile->coefficients, reach);
  if (condition && areWrites)
    llvm::erase_if(*condition, [&](const RowDistance &rows) {
      for (auto [stride, extent] : llvm::zip(tile->coefficients, shape))
        if (extent > 1 && stride == rows.distance)
          return true;
      return false;
    });
  return condition;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

bool GlobalHazards::mayOverlap(Value a, Value b) {
  std::optional<PointerOrigin> first = findOrigin(a), second = findOrigin(b);
  if (first && second && first->loads == 0 && second->loads == 0)
    return *first == *second;
  if (!origins)
    origins = std::make_unique<ArgumentOrigins>(kernel);
  llvm::BitVector one = origins->get(a), other = origins->get(b);
  return one.none() || other.none() || one.anyCommon(other);
}

/// Whether no sum of `strides` is `distance`, by divisibility: all strides are
/// multiples of a number that does not divide the distance. Example: two tiles
/// of even and of odd elements.
static bool isBetweenStrides(const Polynomial &distance,
                             ArrayRef<Polynomial> strides) {
  uint64_t unit = 0;
  for (const Polynomial &stride : strides)
    for (const auto &[monomial, coefficient] : stride.getTerms())
      unit = std::gcd(unit, llvm::AbsoluteValue(coefficient));
  uint64_t rest = 0;
  for (const auto &[monomial, coefficient] : distance.getTerms())
    if (monomial.empty())
      rest = llvm::AbsoluteValue(coefficient);
    else
      unit = std::gcd(unit, llvm::AbsoluteValue(coefficient));
  return unit > 1 && rest % unit != 0;
}

/// The condition under which two tiles of pointers are disjoint: adjacent along
/// a dimension, or interleaved.
std::optional<DisjointCondition> GlobalHazards::getDisjointCondition(Value a,
                                                                     Value b) {
  auto type = dyn_cast<RankedTensorType>(a.getType());
  auto other = dyn_cast<RankedTensorType>(b.getType());
  if (!type || !other || type.getRank() != other.getRank())
    return std::nullopt;
  std::optional<AffineTile> from = tiles.get(a), to = tiles.get(b);
  if (!from || !to || !from->base || from->base != to->base ||
      from->coefficients != to->coefficients)
    return std::nullopt;
  Polynomial distance = to->constant - from->constant;
  if (isBetweenStrides(distance, from->coefficients))
    return DisjointCondition();
  std::optional<DisjointCondition> best;
  for (auto [dim, stride] : llvm::enumerate(from->coefficients)) {
    int64_t times = countStrides(distance, stride);
    if (times < type.getShape()[dim] && -times < other.getShape()[dim])
      continue;
    SmallVector<int64_t> reach;
    for (auto [extent, otherExtent] :
         llvm::zip_equal(type.getShape(), other.getShape()))
      reach.push_back(std::max(extent, otherExtent) - 1);
    reach[dim] += std::abs(times);
    std::optional<DisjointCondition> condition =
        requireDistinctOffsets(from->coefficients, reach);
    if (condition && (!best || condition->size() < best->size()))
      best = condition;
  }
  return best;
}

/// The condition under which all elements of `pointers` are distinct.
std::optional<DisjointCondition>
GlobalHazards::getInjectiveCondition(Value pointers) {
  auto type = dyn_cast<RankedTensorType>(pointers.getType());
  std::optional<AffineTile> tile = tiles.get(pointers);
  if (!type || !tile || !tile->base)
    return std::nullopt;
  return requireDistinctOffsets(
      tile->coefficients,
      llvm::map_to_vector(type.getShape(),
                          [](int64_t extent) { return extent - 1; }));
}

std::optional<DisjointCondition>
GlobalHazards::getDisjointCondition(const GlobalUse &earlier, Operation *op) {
  if (!isWrite(earlier.op) && !isWrite(op))
    return DisjointCondition();
  if (commute(earlier.op, op) ||
      (isWriteOfOneThread(earlier.op) && isWriteOfOneThread(op)))
    return DisjointCondition();
  Value from = getPointers(earlier.op), to = getPointers(op);
  if (!mayOverlap(from, to))
    return DisjointCondition();
  bool isCopy =
      isa<warp::AsyncCopyOp>(earlier.op) || isa<warp::AsyncCopyOp>(op);
  if (earlier.loop)
    return !isCopy && earlier.loop->isAncestor(op)
               ? getDisjointIterations(from, to, earlier.loop,
                                       from == to &&
                                           isa<tile::StoreOp>(earlier.op) &&
                                           isa<tile::StoreOp>(op))
               : std::nullopt;
  // The first thread that holds an element writes it.
  bool isSame = from == to && !isCopy &&
                (hasNoCopies(from) || (isWrite(earlier.op) && isWrite(op)) ||
                 isOnlyStored(isWrite(op) ? earlier.op : op));
  if (!isSame)
    return getDisjointCondition(from, to);
  bool mayShare = isAtomic(earlier.op) || isAtomic(op);
  return mayShare ? getInjectiveCondition(from) : DisjointCondition();
}
