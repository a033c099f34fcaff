#include "lib/Analysis/Memory/StoreOrder.h"

#include "lib/Analysis/Facts/PointerOrigins.h"
#include "lib/Analysis/Memory/TmaCoordClamp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;

/// The origin of `pointer`, a pointer or a tile of pointers, if it is known.
static std::optional<PointerOrigin> getOrigin(Value pointer,
                                              AffineTileAnalysis &tiles) {
  std::optional<AffineTile> address = tiles.get(pointer);
  return findOrigin(address && address->base ? address->base : pointer);
}

/// The pointer through which `op` accesses global memory, or null.
static Value getTouched(Operation *op) {
  if (isa<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCASOp>(
          op))
    return op->getOperand(0);
  if (isa<tile::DescriptorLoadOp, tile::DescriptorStoreOp>(op))
    if (auto desc = op->getOperand(0).getDefiningOp<tile::MakeDescriptorOp>())
      return desc.getBase();
  return {};
}

/// Whether a program executes at most one of two ops, at most once: they are in
/// different arms of an `if` outside of loops.
static bool areExclusive(Operation *a, Operation *b) {
  for (auto branch = a->getParentOfType<scf::IfOp>(); branch;
       branch = branch->getParentOfType<scf::IfOp>()) {
    auto isBetween = [&](Region &one, Region &other) {
      return one.isAncestor(a->getParentRegion()) &&
             other.isAncestor(b->getParentRegion());
    };
    if (isBetween(branch.getThenRegion(), branch.getElseRegion()) ||
        isBetween(branch.getElseRegion(), branch.getThenRegion()))
      return !branch->getParentOfType<LoopLikeOpInterface>();
  }
  return false;
}

/// Splits a value into another one and a constant that is added to it.
static std::pair<Value, int64_t> splitConstant(Value value) {
  int64_t constant = 0;
  APInt part;
  while (auto sum = value.getDefiningOp<arith::AddIOp>()) {
    if (!matchPattern(sum.getRhs(), m_ConstantInt(&part)))
      break;
    constant += part.getSExtValue();
    value = sum.getLhs();
  }
  return {value, constant};
}

/// Whether both are computed in the same way from the same values.
static bool areEqual(Value a, Value b) {
  if (a == b)
    return true;
  auto left = dyn_cast<OpResult>(a), right = dyn_cast<OpResult>(b);
  return left && right && left.getResultNumber() == right.getResultNumber() &&
         isPure(left.getOwner()) &&
         OperationEquivalence::isEquivalentTo(
             left.getOwner(), right.getOwner(),
             [](Value x, Value y) { return success(areEqual(x, y)); },
             /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

/// Whether both describe the same array, with blocks of any shape.
static bool areOfOneArray(Value desc, Value other) {
  auto a = desc.getDefiningOp<tile::MakeDescriptorOp>();
  auto b = other.getDefiningOp<tile::MakeDescriptorOp>();
  return desc == other ||
         (a && b && a->getNumOperands() == b->getNumOperands() &&
          llvm::all_of(llvm::zip(a->getOperands(), b->getOperands()),
                       [](auto pair) {
                         return areEqual(std::get<0>(pair), std::get<1>(pair));
                       }));
}

/// The differences that are nonzero whenever `op` is executed, from comparisons
/// of the branches around it. Empty in a loop, where `op` also conflicts with
/// stores of other iterations.
static SmallVector<Polynomial> getNonZero(Operation *op,
                                          AffineTileAnalysis &tiles) {
  SmallVector<Polynomial> found;
  for (; op->getParentOp(); op = op->getParentOp()) {
    if (isa<LoopLikeOpInterface>(op))
      return {};
    auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
    auto compare = branch ? branch.getCondition().getDefiningOp<arith::CmpIOp>()
                          : arith::CmpIOp();
    if (!compare)
      continue;
    bool holds = op->getParentRegion() == &branch.getThenRegion();
    bool isStrict = llvm::is_contained(
        {arith::CmpIPredicate::ne, arith::CmpIPredicate::slt,
         arith::CmpIPredicate::sgt, arith::CmpIPredicate::ult,
         arith::CmpIPredicate::ugt},
        compare.getPredicate());
    auto lhs = tiles.get(compare.getLhs()), rhs = tiles.get(compare.getRhs());
    if (holds == isStrict && lhs && rhs)
      found.push_back(lhs->constant - rhs->constant);
  }
  return found;
}

/// Whether the absolute value of `distance` is at least `least` if `number` is
/// not zero: it is a multiple of `number`, up to a constant.
static bool isAtLeast(const Polynomial &distance, const Polynomial &number,
                      int64_t least) {
  for (const auto &[monomial, coefficient] : number.getTerms()) {
    if (monomial.empty())
      continue;
    int64_t times = distance.getCoefficient(monomial) / coefficient;
    std::optional<int64_t> rest =
        (distance - number * Polynomial(times)).getConstant();
    return rest && std::abs(times) - std::abs(*rest) >= least;
  }
  return false;
}

/// Whether two stores to one array never write the same element in one
/// iteration. Examples: the parts of a tile, and a tile and its mirror image.
static bool areDisjoint(tile::DescriptorStoreOp a, tile::DescriptorStoreOp b,
                        AffineTileAnalysis &tiles) {
  if (!areOfOneArray(a.getDesc(), b.getDesc()))
    return false;
  SmallVector<Polynomial> nonZero = getNonZero(a, tiles);
  llvm::append_range(nonZero, getNonZero(b, tiles));
  for (auto [offset, otherOffset, extent, otherExtent] : llvm::zip_equal(
           a.getOffsets(), b.getOffsets(), a.getDesc().getType().getShape(),
           b.getDesc().getType().getShape())) {
    Value coord = getUnclamped(offset), otherCoord = getUnclamped(otherOffset);
    auto [base, constant] = splitConstant(coord);
    auto [otherBase, otherConstant] = splitConstant(otherCoord);
    int64_t difference = otherConstant - constant;
    if (areEqual(base, otherBase) &&
        (difference >= extent || -difference >= otherExtent))
      return true;
    auto affine = tiles.get(coord), otherAffine = tiles.get(otherCoord);
    if (!affine || !otherAffine)
      continue;
    const Polynomial distance = affine->constant - otherAffine->constant;
    const int64_t least = std::max(extent, otherExtent);
    if (llvm::any_of(nonZero, [&](const Polynomial &number) {
          return isAtLeast(distance, number, least);
        }))
      return true;
  }
  return false;
}

/// Whether `store` and `other`, which accesses the same array, may be
/// reordered.
static bool mayReorder(tile::DescriptorStoreOp store, Operation *other,
                       AffineTileAnalysis &tiles) {
  if (auto second = dyn_cast<tile::DescriptorStoreOp>(other))
    return areDisjoint(store, second, tiles) || areExclusive(store, other);
  return isa<tile::StoreOp>(other) && areExclusive(store, other);
}

bool tilewright::isRepeated(tile::DescriptorStoreOp store) {
  auto loop = store->getParentOfType<LoopLikeOpInterface>();
  return loop && llvm::all_of(store.getOffsets(), [&](Value offset) {
           return loop.isDefinedOutsideOfLoop(offset);
         });
}

bool tilewright::isAlone(tile::DescriptorStoreOp store,
                         AffineTileAnalysis &tiles) {
  Value stored = getTouched(store);
  auto origin = stored ? getOrigin(stored, tiles) : std::nullopt;
  if (!origin)
    return false;
  WalkResult result =
      store->getParentOfType<tile::FuncOp>().walk([&](Operation *op) {
        Value touched = getTouched(op);
        if (!touched || op == store || mayReorder(store, op, tiles))
          return WalkResult::advance();
        std::optional<PointerOrigin> other = getOrigin(touched, tiles);
        return !other || *other == *origin ? WalkResult::interrupt()
                                           : WalkResult::advance();
      });
  return !result.wasInterrupted();
}
