#include "lib/Analysis/Facts/AxisInfo.h"

#include "dialect/Tile/TileDialect.h"
#include "dialect/Tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;

//===----------------------------------------------------------------------===//
// AxisInfo
//===----------------------------------------------------------------------===//

/// Whether the analysis follows values of this type.
static bool isTracked(Type type) {
  // Hot: called for each value repeatedly, so no interface is queried.
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    type = tensor.getElementType();
  return isa<IntegerType, tile::PtrType>(type);
}

static unsigned getAxisRank(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? std::max<int64_t>(tensor.getRank(), 1) : 1;
}

static int64_t getPowerOfTwoDivisor(int64_t value) {
  if (value == 0)
    return AxisInfo::kMaxDivisibility;
  // Unsigned, since the minimum int64_t cannot be negated.
  const auto bits = static_cast<uint64_t>(value);
  return static_cast<int64_t>(
      std::min<uint64_t>(bits & -bits, AxisInfo::kMaxDivisibility));
}

AxisInfo AxisInfo::getUnknown(Type type) {
  return AxisInfo(SmallVector<AxisFacts>(getAxisRank(type)));
}

AxisInfo AxisInfo::getConstant(Type type, int64_t value) {
  SmallVector<AxisFacts> dims(getAxisRank(type));
  auto tensor = dyn_cast<RankedTensorType>(type);
  for (auto [d, facts] : llvm::enumerate(dims)) {
    facts.divisibility = getPowerOfTwoDivisor(value);
    if (tensor && tensor.getRank() != 0)
      facts.constancy = getPowerOfTwoDivisor(tensor.getDimSize(d));
  }
  return AxisInfo(dims, value >= 0, value);
}

AxisInfo AxisInfo::getOfArgument(Value value) {
  AxisInfo info = getUnknown(value.getType());
  auto argument = dyn_cast<BlockArgument>(value);
  auto func = argument ? dyn_cast_or_null<FunctionOpInterface>(
                             argument.getOwner()->getParentOp())
                       : nullptr;
  if (!func || argument.getOwner() != &func.getFunctionBody().front())
    return info;
  auto divisibility = func.getArgAttrOfType<IntegerAttr>(
      argument.getArgNumber(), tile::TileDialect::kDivisibilityAttr);
  if (divisibility)
    for (AxisFacts &facts : info.dims)
      facts.divisibility = getPowerOfTwoDivisor(divisibility.getInt());
  info.nonNegative = tile::isPromisedNonNegative(value);
  return info;
}

void AxisInfo::addPromises(Operation *op) {
  if (op->getDiscardableAttrDictionary().empty())
    return;
  // The first element of a larger group is also the first of a smaller one. So
  // each fact may be raised independently.
  auto raise = [&](StringRef name, int64_t AxisFacts::*member) {
    if (auto values = op->getAttrOfType<DenseI32ArrayAttr>(name))
      for (auto [facts, value] : llvm::zip(dims, values.asArrayRef()))
        facts.*member = std::max<int64_t>(facts.*member, value);
  };
  raise(tile::TileDialect::kDivisibilityAttr, &AxisFacts::divisibility);
  raise(tile::TileDialect::kContiguityAttr, &AxisFacts::contiguity);
  raise(tile::TileDialect::kConstancyAttr, &AxisFacts::constancy);
  nonNegative |= op->hasAttr(tile::TileDialect::kNonNegativeAttr);
}

int64_t AxisInfo::getDivisibility(unsigned dim, int64_t group,
                                  int64_t unit) const {
  const AxisFacts &facts = dims[dim];
  // Within a group of consecutive elements, the distance of every `group`th
  // element from the first is a multiple of `group` units.
  if (group < facts.contiguity)
    return std::min(facts.divisibility, group * unit);
  return facts.divisibility;
}

int64_t AxisInfo::getDivisibility(int64_t unit) const {
  int64_t best = 1;
  for (unsigned d = 0; d < dims.size(); ++d)
    best = std::max(best, getDivisibility(d, 1, unit));
  return best;
}

AxisInfo AxisInfo::join(const AxisInfo &lhs, const AxisInfo &rhs) {
  if (!lhs.isSeen())
    return rhs;
  if (!rhs.isSeen())
    return lhs;
  AxisInfo joined = lhs;
  for (auto [mine, theirs] : llvm::zip(joined.dims, rhs.dims)) {
    // If groups shrink, the divisibility is that of the inner groups.
    // Consecutive elements differ by at least one, so 1 is a safe unit also for
    // pointers.
    int64_t contiguity = std::min(mine.contiguity, theirs.contiguity);
    auto inGroups = [&](const AxisFacts &facts) {
      return contiguity < facts.contiguity
                 ? std::min(facts.divisibility, contiguity)
                 : facts.divisibility;
    };
    mine.divisibility = std::min(inGroups(mine), inGroups(theirs));
    mine.contiguity = contiguity;
    mine.constancy = std::min(mine.constancy, theirs.constancy);
  }
  if (joined.constant != rhs.constant)
    joined.constant.reset();
  joined.nonNegative &= rhs.nonNegative;
  return joined;
}

void AxisInfo::print(llvm::raw_ostream &os) const {
  auto list = [&](StringRef name, int64_t AxisFacts::*member) {
    os << name << " = [";
    llvm::interleaveComma(dims, os, [&](const AxisFacts &facts) {
      if (facts.*member == kMaxDivisibility)
        os << "any";
      else
        os << facts.*member;
    });
    os << "]";
  };
  list("contiguity", &AxisFacts::contiguity);
  list(", divisibility", &AxisFacts::divisibility);
  list(", constancy", &AxisFacts::constancy);
  if (constant)
    os << ", constant = " << *constant;
  if (nonNegative)
    os << ", non-negative";
}

//===----------------------------------------------------------------------===//
// The analysis
//===----------------------------------------------------------------------===//

namespace {

/// Computes the facts in sweeps over the ops in program order. A loop-carried
/// value has the facts of its initial value until a later sweep weakens them.
/// Sweeps after the first only visit transitive users of changed values. The
/// sweeps end when control flow forwards nothing new. A sparse solver takes
/// several times as long for the few hundred ops of a kernel.
class AxisSweeps {
public:
  explicit AxisSweeps(DenseMap<Value, AxisInfo> &infos) : infos(infos) {}

  void run(Operation *root) {
    SmallVector<RegionBranchOpInterface> branches;
    root->walk<WalkOrder::PreOrder>(
        [&](RegionBranchOpInterface branch) { branches.push_back(branch); });
    do {
      root->walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
      isFirst = false;
      changed.clear();
      for (RegionBranchOpInterface branch : branches)
        visitBranch(branch);
    } while (!changed.empty());
  }

private:
  /// Not seen if nothing is known yet.
  AxisInfo get(Value value) const {
    if (!isTracked(value.getType()))
      return AxisInfo::getUnknown(value.getType());
    return infos.lookup(value);
  }

  /// Weakens the facts of `value` to those that `info` shares.
  void join(Value value, const AxisInfo &info) {
    if (!info.isSeen() || !isTracked(value.getType()))
      return;
    AxisInfo &known = infos[value];
    AxisInfo joined = AxisInfo::join(known, info);
    if (joined == known)
      return;
    known = std::move(joined);
    if (!isFirst)
      changed.insert(value);
  }

  void visit(Operation *op) {
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
      return visitBranch(branch);
    // Definitions come before uses.
    auto isChanged = [&](Value operand) { return changed.contains(operand); };
    if (!isFirst && llvm::none_of(op->getOperands(), isChanged))
      return;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          join(argument, AxisInfo::getOfArgument(argument));
    visitResults(op);
  }

  void visitResults(Operation *op) {
    if (llvm::none_of(op->getResultTypes(), isTracked))
      return;
    SmallVector<AxisInfo> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(get(operand));
      // Visited again once all operands are known.
      if (!operands.back().isSeen())
        return;
    }
    for (Value result : op->getResults()) {
      if (!isTracked(result.getType()))
        continue;
      bool followed = op->getNumResults() == 1;
      AxisInfo info = followed ? inferAxisInfo(op, operands)
                               : AxisInfo::getUnknown(result.getType());
      if (followed)
        info.addPromises(op);
      join(result, info);
    }
  }

  /// Joins the values that control flow forwards to results and region
  /// arguments.
  void visitBranch(RegionBranchOpInterface branch) {
    llvm::SmallDenseSet<Value> forwarded;
    for (RegionBranchPoint point : branch.getAllRegionBranchPoints()) {
      SmallVector<RegionSuccessor> successors;
      branch.getSuccessorRegions(point, successors);
      for (RegionSuccessor &successor : successors) {
        auto end = dyn_cast_or_null<RegionBranchTerminatorOpInterface>(
            point.getTerminatorPredecessorOrNull());
        OperandRange given = end ? end.getSuccessorOperands(successor)
                                 : branch.getEntrySuccessorOperands(successor);
        for (auto [input, source] :
             llvm::zip(successor.getSuccessorInputs(), given)) {
          forwarded.insert(input);
          join(input, get(source));
        }
      }
    }
    auto loop = dyn_cast<scf::ForOp>(*branch);
    if (loop)
      visitInduction(loop);
    for (Region &region : branch->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (!forwarded.contains(argument) &&
              !(loop && argument == loop.getInductionVar()))
            join(argument, AxisInfo::getUnknown(argument.getType()));
    for (Value result : branch->getResults())
      if (!forwarded.contains(result))
        join(result, AxisInfo::getUnknown(result.getType()));
  }

  /// An induction variable starts at the lower bound and advances by the step.
  void visitInduction(scf::ForOp loop) {
    AxisInfo lower = get(loop.getLowerBound()), step = get(loop.getStep());
    if (!lower.isSeen() || !step.isSeen())
      return;
    AxisFacts facts;
    facts.divisibility =
        std::min(lower.getDivisibility(), step.getDivisibility());
    join(loop.getInductionVar(), AxisInfo(facts, lower.isNonNegative()));
  }

  DenseMap<Value, AxisInfo> &infos;
  bool isFirst = true;
  /// The values whose facts changed since the end of the last sweep.
  llvm::DenseSet<Value> changed;
};

} // namespace

AxisInfoAnalysis::AxisInfoAnalysis(Operation *root) {
  AxisSweeps(infos).run(root);
}

AxisInfo AxisInfoAnalysis::get(Value value) const {
  auto known = infos.find(value);
  return known == infos.end() ? AxisInfo::getUnknown(value.getType())
                              : known->second;
}

int64_t tilewright::getPointeeBytes(Type type) {
  auto pointer = cast<tile::PtrType>(getElementTypeOrSelf(type));
  Type pointee = pointer.getPointee();
  unsigned bits = pointee.isIntOrFloat() ? pointee.getIntOrFloatBitWidth() : 64;
  return llvm::divideCeil(bits, 8);
}

int64_t AxisInfoAnalysis::getVectorSize(Value ptr, Value mask,
                                        unsigned dim) const {
  constexpr int64_t kMaxBytes = 16;
  AxisInfo info = get(ptr);
  int64_t bytes = getPointeeBytes(ptr.getType());
  int64_t size = std::min({info[dim].contiguity,
                           std::max<int64_t>(info[dim].divisibility / bytes, 1),
                           std::max<int64_t>(kMaxBytes / bytes, 1)});
  if (mask)
    size = std::min(size, get(mask)[dim].constancy);
  return size;
}
