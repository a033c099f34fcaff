#include "lib/Analysis/Mma/UpcastOperands.h"

#include "lib/Analysis/Facts/ProgramVariation.h"
#include "lib/Analysis/Mma/DotLayouts.h"
#include "lib/Analysis/Target/Occupancy.h"
#include "lib/Analysis/Target/OccupancyParameters.h"

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

/// The loads in `loop` from which `operand` is computed.
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

/// Whether `operand` is an upcast of the loaded tile: it has more bits, or
/// integers become floats.
static bool isUpcast(Operation *load, Value operand) {
  Type from = load->getResult(0).getType(), to = operand.getType();
  return getBits(from) < getBits(to) ||
         (isa<IntegerType>(getElementTypeOrSelf(from)) &&
          isa<FloatType>(getElementTypeOrSelf(to)));
}

namespace {
/// The resources of the dots of one loop.
struct LoopCosts {
  /// Registers of a thread for accumulators.
  int64_t accRegisters = 0;
  /// Bytes that an iteration loads, and bytes of upcast operands.
  int64_t loadedBytes = 0, upcastBytes = 0;
};
} // namespace

/// The costs of the dots in `loop`. Nothing if wgmma does not compute all of
/// them, or if some are chained.
static std::optional<LoopCosts> getCosts(Operation *loop, int64_t numWarps,
                                         const NvidiaTarget &target) {
  LoopCosts costs;
  llvm::SmallSetVector<Operation *, 8> loads;
  WalkResult result = loop->walk([&](tile::DotOp dot) {
    if (isChainedDot(dot) || !isWgmmaDot(dot, numWarps, target))
      return WalkResult::interrupt();
    costs.accRegisters +=
        countElements(dot.getResult()) / (numWarps * SmResources::kLanes);
    SmallVector<Operation *> first = findLoads(dot.getA(), loop);
    SmallVector<Operation *> second = findLoads(dot.getB(), loop);
    if (llvm::any_of(second, [&](Operation *load) {
          return isUpcast(load, dot.getB());
        }))
      costs.upcastBytes +=
          countElements(dot.getB()) * getBits(dot.getB().getType()) / 8;
    loads.insert_range(first);
    loads.insert_range(second);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return std::nullopt;
  for (Operation *load : loads)
    costs.loadedBytes += countElements(load->getResult(0)) *
                         getBits(load->getResult(0).getType()) / 8;
  return costs;
}

/// Whether idle programs of `func` are scattered over the grid. No CTA then
/// runs several programs in sequence, and a producer cannot prefetch for the
/// next one.
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

bool tilewright::fitsMoreCtasWithoutProducer(tile::FuncOp func,
                                             int64_t numWarps,
                                             int64_t numStages,
                                             const NvidiaTarget &target) {
  constexpr int64_t kProducers = 1;
  const bool scattered = isScattered(func);
  LoopCosts most;
  WalkResult result = func.walk([&](tile::DotOp dot) {
    auto loop = dot->getParentOfType<LoopLikeOpInterface>();
    std::optional<LoopCosts> costs =
        loop ? getCosts(loop, numWarps, target) : std::nullopt;
    if (!costs || (costs->upcastBytes == 0 && !scattered))
      return WalkResult::interrupt();
    most.accRegisters = std::max(most.accRegisters, costs->accRegisters);
    most.loadedBytes = std::max(most.loadedBytes, costs->loadedBytes);
    most.upcastBytes = std::max(most.upcastBytes, costs->upcastBytes);
    return WalkResult::advance();
  });
  if (result.wasInterrupted() || most.loadedBytes == 0)
    return false;
  int64_t registers = estimateRegisters(most.accRegisters);
  const Occupancy occupancy = Occupancy::forEstimates();
  int64_t without =
      std::min(occupancy.countCtasByRegisters(numWarps, registers),
               occupancy.countCtasBySharedMemory(numStages * most.loadedBytes +
                                                 most.upcastBytes));
  int64_t with = std::max<int64_t>(
      occupancy.countCtasByRegisters(numWarps + kProducers, registers), 1);
  return without > with;
}
