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

/// The origin of `pointer`, a pointer or a tile of them, where it is known.
static std::optional<PointerOrigin> getOrigin(Value pointer,
                                              AffineTileAnalysis &tiles) {
  std::optional<AffineTile> address = tiles.get(pointer);
  return findOrigin(address && address->base ? address->base : pointer);
}

/// The pointer through which `op` touches global memory, or nothing.
static Value getTouched(Operation *op) {
  if (isa<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCASOp>(
          op))
    return op->getOperand(0);
  if (isa<tile::DescriptorLoadOp, tile::DescriptorStoreOp>(op))
    if (auto desc = op->getOperand(0).getDefiningOp<tile::MakeDescriptorOp>())
      return desc.getBase();
  return {};
}

/// Whether a program runs at most one of two ops, once: they stand in different
/// branches, in no loop.
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

/// A value as another one and a constant beside it.
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

/// Whether both stand for one array, cut into blocks of any sides.
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

/// The conditions under which `op` is run, of those that say that two numbers
/// differ: by how much. Nothing of what stands in a loop, where it meets what
/// others stored in other goes.
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

/// Whether `distance` is at least `least`, either way, where `number` is not
/// zero: it is a multiple of that, or nearly so.
static bool isFar(const Polynomial &distance, const Polynomial &number,
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

/// Whether two stores to one array, as those of the parts of a tile or of a
/// tile and its mirror image, never meet at one element in one go.
static bool areBeside(tile::DescriptorStoreOp a, tile::DescriptorStoreOp b,
                      AffineTileAnalysis &tiles) {
  if (!areOfOneArray(a.getDesc(), b.getDesc()))
    return false;
  SmallVector<Polynomial> nonZero = getNonZero(a, tiles);
  llvm::append_range(nonZero, getNonZero(b, tiles));
  for (auto [here, there, side, otherDim] : llvm::zip_equal(
           a.getOffsets(), b.getOffsets(), a.getDesc().getType().getShape(),
           b.getDesc().getType().getShape())) {
    Value farHere = getFar(here), farThere = getFar(there);
    auto [base, constant] = splitConstant(farHere);
    auto [otherBase, otherConstant] = splitConstant(farThere);
    int64_t ahead = otherConstant - constant;
    if (areEqual(base, otherBase) && (ahead >= side || -ahead >= otherDim))
      return true;
    auto place = tiles.get(farHere), otherPlace = tiles.get(farThere);
    if (!place || !otherPlace)
      continue;
    const Polynomial distance = place->constant - otherPlace->constant;
    const int64_t least = std::max(side, otherDim);
    if (llvm::any_of(nonZero, [&](const Polynomial &number) {
          return isFar(distance, number, least);
        }))
      return true;
  }
  return false;
}

/// Whether the order of `store` and `other`, which touches the same array, does
/// not matter.
static bool mayPass(tile::DescriptorStoreOp store, Operation *other,
                    AffineTileAnalysis &tiles) {
  if (auto second = dyn_cast<tile::DescriptorStoreOp>(other))
    return areBeside(store, second, tiles) || areExclusive(store, other);
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
        if (!touched || op == store || mayPass(store, op, tiles))
          return WalkResult::advance();
        std::optional<PointerOrigin> other = getOrigin(touched, tiles);
        return !other || *other == *origin ? WalkResult::interrupt()
                                           : WalkResult::advance();
      });
  return !result.wasInterrupted();
}
