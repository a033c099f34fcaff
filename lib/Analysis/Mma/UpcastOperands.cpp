#include "lib/Analysis/Mma/UpcastOperands.h"

#include "lib/Analysis/Facts/ProgramVariation.h"
#include "lib/Analysis/Mma/DotLayouts.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Analysis/Target/RegisterFile.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;

static int64_t getBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

static int64_t countElements(Value tile) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  return type ? type.getNumElements() : 1;
}

/// The loads in `loop` that `operand` is computed from.
static SmallVector<Operation *> findLoads(Value operand, Operation *loop) {
  llvm::SetVector<Operation *> open;
  auto add = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && loop->isProperAncestor(op))
      open.insert(op);
  };
  add(operand);
  SmallVector<Operation *> loads;
  for (unsigned i = 0; i < open.size(); ++i)
    if (isa<tile::LoadOp, tile::DescriptorLoadOp>(open[i]))
      loads.push_back(open[i]);
    else
      llvm::for_each(open[i]->getOperands(), add);
  return loads;
}

/// Whether what is loaded becomes `operand` by computation: it has less bits,
/// or integers become floats.
static bool isWidened(Operation *load, Value operand) {
  Type from = load->getResult(0).getType(), to = operand.getType();
  return getBits(from) < getBits(to) ||
         (isa<IntegerType>(getElementTypeOrSelf(from)) &&
          isa<FloatType>(getElementTypeOrSelf(to)));
}

namespace {
/// What the products of one loop take.
struct LoopCosts {
  /// Registers of a thread with sums, bytes that an iteration loads, and bytes
  /// of operands that threads make.
  int64_t sums = 0, loaded = 0, made = 0;
};
} // namespace

/// The costs of the products beside `dot`; none where some are computed
/// otherwise, or from each other's sums.
static std::optional<LoopCosts> getCosts(Operation *loop, int64_t numWarps,
                                         const NvidiaTarget &target) {
  constexpr int64_t kLanes = 32;
  LoopCosts costs;
  llvm::SmallSetVector<Operation *, 8> loads;
  WalkResult result = loop->walk([&](tile::DotOp dot) {
    if (isChainedDot(dot) || !isWgmmaDot(dot, numWarps, target))
      return WalkResult::interrupt();
    costs.sums += countElements(dot.getResult()) / (numWarps * kLanes);
    SmallVector<Operation *> first = findLoads(dot.getA(), loop);
    SmallVector<Operation *> second = findLoads(dot.getB(), loop);
    if (llvm::any_of(second, [&](Operation *load) {
          return isWidened(load, dot.getB());
        }))
      costs.made +=
          countElements(dot.getB()) * getBits(dot.getB().getType()) / 8;
    loads.insert_range(first);
    loads.insert_range(second);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return std::nullopt;
  for (Operation *load : loads)
    costs.loaded += countElements(load->getResult(0)) *
                    getBits(load->getResult(0).getType()) / 8;
  return costs;
}

/// Whether blocks do not take the programs of `func` in turn, so that a
/// producer has nothing to load ahead of the next one's products.
static bool isScattered(tile::FuncOp func) {
  return func
      .walk([](scf::IfOp branch) {
        return isUneven(branch,
                        [](Operation *op) { return isa<tile::DotOp>(op); })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool tilewright::sharesWithoutProducer(tile::FuncOp func, int64_t numWarps,
                                       int64_t numStages,
                                       const NvidiaTarget &target) {
  constexpr int64_t kProducers = 1;
  const bool scattered = isScattered(func);
  LoopCosts most;
  WalkResult result = func.walk([&](tile::DotOp dot) {
    auto loop = dot->getParentOfType<LoopLikeOpInterface>();
    std::optional<LoopCosts> costs =
        loop ? getCosts(loop, numWarps, target) : std::nullopt;
    if (!costs || (costs->made == 0 && !scattered))
      return WalkResult::interrupt();
    most.sums = std::max(most.sums, costs->sums);
    most.loaded = std::max(most.loaded, costs->loaded);
    most.made = std::max(most.made, costs->made);
    return WalkResult::advance();
  });
  if (result.wasInterrupted() || most.loaded == 0)
    return false;
  int64_t registers = estimateRegisters(most.sums);
  int64_t without =
      std::min(countSharing(registers, numWarps),
               countPrograms(numStages * most.loaded + most.made));
  int64_t with =
      std::max<int64_t>(countSharing(registers, numWarps + kProducers), 1);
  return without > with;
}
