#include "lib/Transforms/Warp/Pipeline/PipelinePlan.h"

#include "lib/Analysis/Facts/AxisInfo.h"
#include "lib/Analysis/Memory/AccessWidths.h"
#include "lib/Analysis/Memory/GlobalHazards.h"
#include "lib/Analysis/SharedMemory/NumStages.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Analysis/Target/Occupancy.h"
#include "lib/Analysis/Target/OccupancyParameters.h"
#include "lib/Layout/LayoutConversion.h"
#include "lib/Transforms/Warp/Registers/RegisterUse.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;
using llvm::StringRef;

static constexpr int64_t kMinCopyBytes = 4;
static constexpr auto kRemark =
    remark::RemarkOpts::name("Pipelined").category("warp-pipeline-loops");

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static StringRef getObstacle(Operation *op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  if (load && load.getIsVolatile())
    return "its addresses depend on a volatile load";
  if (op->getNumRegions() != 0)
    return "its addresses depend on a branch in the loop";
  if (!load && !isMemoryEffectFree(op))
    return "its addresses depend on memory that the loop changes";
  if (usesScratch(op))
    return "its addresses go through shared memory";
  return {};
}

StringRef AddressSlice::add(scf::ForOp loop, Value value, bool keepsLoads) {
  Block *body = loop.getBody();
  SmallVector<Value> open = {value};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() != body || argument == loop.getInductionVar())
        continue;
      unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
      if (carried.insert(number))
        open.push_back(loop.getYieldedValues()[number]);
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (op->getBlock() != body || ops.contains(op) || loads.contains(op))
      continue;
    if (StringRef obstacle = getObstacle(op); !obstacle.empty())
      return obstacle;
    if (isa<tile::LoadOp>(op) && !keepsLoads) {
      loads.insert(op);
      continue;
    }
    ops.insert(op);
    llvm::append_range(open, op->getOperands());
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Returns the load that fills `alloc`, if it has no other use.
static std::optional<PipelinedLoad> findLoad(AllocOp alloc) {
  PipelinedLoad result{{}, {}, alloc, 0};
  Value tile = alloc.getSource();
  while (tile && tile.hasOneUse() &&
         tile.getParentBlock() == alloc->getBlock()) {
    Operation *op = tile.getDefiningOp();
    if (auto load = dyn_cast_if_present<tile::LoadOp>(op)) {
      result.load = load;
      std::reverse(result.views.begin(), result.views.end());
      return result;
    }
    auto view = dyn_cast_if_present<tile::TransposeOp>(op);
    if (!view)
      return std::nullopt;
    result.views.push_back(view);
    tile = view.getOperand();
  }
  return std::nullopt;
}

/// Whether the memory is only read, inside of the loop.
static bool isOnlyRead(AllocOp alloc) {
  return llvm::none_of(getTileUsers(alloc), [](Operation *user) {
    return isa<LocalStoreOp>(user) || user->hasTrait<OpTrait::IsTerminator>() ||
           isa<RegionBranchOpInterface>(user);
  });
}

static int64_t getVector(const PipelinedLoad &load,
                         const AxisInfoAnalysis &axes) {
  AllocOp alloc = load.alloc;
  tile::LoadOp from = load.load;
  SharedType memory = alloc.getType();
  int64_t consecutive = int64_t(1) << countConsecutiveRegisterBits(
                            *getLayout(alloc.getSource().getType()),
                            memory.getLayout().getLayout());
  int64_t width = getAccessWidth(axes, from.getPtr(), from.getMask());
  return std::min(consecutive, width);
}

/// Adds the ops that the address and the mask of `load` depend on to the
/// slices. Returns the reason why they cannot be computed early, or an empty
/// string.
static StringRef addAddress(scf::ForOp loop, tile::LoadOp load,
                            AddressSlice &slice, AddressSlice &indices) {
  for (Value operand : {load.getPtr(), load.getMask()})
    if (operand)
      if (StringRef obstacle = slice.add(loop, operand, /*keepsLoads=*/false);
          !obstacle.empty())
        return obstacle;
  for (Operation *index : slice.loads)
    if (StringRef obstacle =
            indices.add(loop, index->getResult(0), /*keepsLoads=*/true);
        !obstacle.empty())
      return obstacle;
  return {};
}

/// Adds `load` and its addresses to `plan`. Returns the reason if it cannot
/// become an asynchronous copy, or an empty string.
static StringRef addLoad(PipelinePlan &plan, PipelinedLoad load,
                         const AxisInfoAnalysis &axes) {
  if (!isOnlyRead(load.alloc))
    return "its memory is written again or leaves the loop";
  if (load.load.getIsVolatile())
    return "it is volatile";
  if (!load.load.fillsWithZero())
    return "masked-off elements are not zero";
  load.vector = getVector(load, axes);
  if (load.vector * getElementBytes(load.alloc.getType().getElementType()) <
      kMinCopyBytes)
    return "fewer than 4 bytes are known to be contiguous in memory";
  AddressSlice slice = plan.slice, indices = plan.indices;
  if (StringRef obstacle = addAddress(plan.loop, load.load, slice, indices);
      !obstacle.empty())
    return obstacle;
  plan.slice = std::move(slice);
  plan.indices = std::move(indices);
  plan.loads.push_back(std::move(load));
  return {};
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Whether the op's memory may be in use during any later loop. This holds for
/// tiles, and for rings that a producer fills while others read. Rings of
/// copies belong to one loop each, and loops that follow each other reuse their
/// address.
static bool isHeldInLoops(Operation *op) {
  auto ring = dyn_cast<RingOp>(op);
  return isa<AllocOp>(op) ||
         (ring && ring.getType().getCompletion() != Completion::AsyncGroups);
}

/// Returns an upper bound on the shared memory besides the ring while the loop
/// runs.
static int64_t getOtherBytes(const PipelinePlan &plan) {
  Operation *loop = plan.loop;
  int64_t tiles = 0, scratch = 0;
  loop->getParentOfType<FunctionOpInterface>()->walk([&](Operation *op) {
    if (llvm::any_of(plan.loads, [&](auto &load) { return load.alloc == op; }))
      return;
    bool mayLive = loop->isAncestor(op) ||
                   op->getParentRegion()->isAncestor(loop->getParentRegion());
    if (isHeldInLoops(op) && mayLive)
      tiles += llvm::alignTo(getSharedBytes(op), kMaxSharedAlignment);
    else if (usesScratch(op) && loop->isAncestor(op))
      scratch = std::max(scratch, getSharedBytes(op));
  });
  return tiles + llvm::alignTo(scratch, kMaxSharedAlignment);
}

static RingType getRing(MLIRContext *context, int64_t numSlots,
                        ArrayRef<PipelinedLoad> loads) {
  SmallVector<SharedType> tiles;
  for (const PipelinedLoad &load : loads)
    tiles.push_back(AllocOp(load.alloc).getType());
  return RingType::get(context, numSlots, tiles, Completion::AsyncGroups);
}

/// Returns the pointers that early copies read through, and early loads of
/// indices that copies need.
static SmallVector<Value> getEarlyReads(const PipelinePlan &plan) {
  SmallVector<Value> read;
  for (const PipelinedLoad &load : plan.loads)
    read.push_back(tile::LoadOp(load.load).getPtr());
  for (Operation *op : plan.indices.ops)
    if (auto load = dyn_cast<tile::LoadOp>(op))
      read.push_back(load.getPtr());
  return read;
}

/// TMA stores write to arrays that are not accessed otherwise.
Operation *warp::findInterference(scf::ForOp loop, ArrayRef<Value> read) {
  GlobalHazards order(loop->getParentOfType<tile::FuncOp>());
  Operation *found = nullptr;
  loop.getBody()->walk([&](Operation *op) {
    // A volatile load in a loop may wait for writes elsewhere.
    if (auto load = dyn_cast<tile::LoadOp>(op); load && load.getIsVolatile()) {
      found = op;
      return WalkResult::interrupt();
    }
    if (op->getNumRegions() != 0 || !findGlobalWrite(op) || isa<TmaStoreOp>(op))
      return WalkResult::advance();
    Value written = getWrittenOnly(op);
    if (written && llvm::none_of(read, [&](Value pointers) {
          return order.mayOverlap(written, pointers);
        }))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

static std::nullopt_t refuse(Operation *op, StringRef reason) {
  remark::missed(op->getLoc(), kRemark)
      << remark::add("not pipelined: {0}", reason);
  return std::nullopt;
}

static bool isRow(const PipelinedLoad &load) {
  return AllocOp(load.alloc).getType().getShape().size() == 1;
}

/// Collects the loads of `loop` that can become copies. Rows come last, or not
/// at all: little fits after a row in a slot without a gap.
static PipelinePlan collectLoads(scf::ForOp loop, const AxisInfoAnalysis &axes,
                                 bool takesRows) {
  PipelinePlan plan{loop, {}, {}, {}, {}, {}};
  SmallVector<PipelinedLoad> loads, rows;
  for (auto alloc : loop.getBody()->getOps<AllocOp>())
    if (std::optional<PipelinedLoad> load = findLoad(alloc))
      (isRow(*load) ? rows : loads).push_back(std::move(*load));
  if (takesRows)
    llvm::append_range(loads, rows);
  for (PipelinedLoad &load : loads) {
    tile::LoadOp from = load.load;
    StringRef obstacle = addLoad(plan, std::move(load), axes);
    if (!obstacle.empty() && takesRows)
      refuse(from, obstacle);
  }
  return plan;
}

static bool hasDots(scf::ForOp loop) {
  return llvm::any_of(*loop.getBody(), [](Operation &op) {
    return isa<tile::DotOp, WgmmaOp, MmaOp>(op);
  });
}

/// Returns the number of CTAs of `function` that fill an SM.
static int64_t countFilling(tile::FuncOp function) {
  IntegerAttr warps = getBlockWarps(function);
  return warps ? OccupancyParameters::kFillingWarps / warps.getInt() : 1;
}

/// Plans the slots for the loads of `plan`. Returns their number, or sets
/// `refilled`.
static int64_t planSlots(PipelinePlan &plan, int64_t numStages, int64_t limit) {
  MLIRContext *context = plan.loop.getContext();
  int64_t slotBytes = getRing(context, 2, plan.loads).getSlotBytes();
  int64_t others = getOtherBytes(plan);
  int64_t numSlots = std::min(numStages, (limit - others) / slotBytes);
  const Occupancy occupancy = Occupancy::forEstimates(limit);
  auto ctas = [&](int64_t slots) {
    return occupancy.countCtasBySharedMemory(others + slots * slotBytes);
  };
  // Without dots, occupancy hides more latency than a third slot, see the
  // softmax in benchmarks/notes/thread-operands.md.
  constexpr int64_t kMinSlots = OccupancyParameters::kMinLoopSlots;
  if (!hasDots(plan.loop)) {
    int64_t wanted =
        std::min(countFilling(plan.loop->getParentOfType<tile::FuncOp>()),
                 ctas(kMinSlots));
    while (numSlots > kMinSlots && ctas(numSlots) < wanted)
      --numSlots;
  }
  // A second CTA hides more than a second slot.
  if (numSlots <= kMinSlots && ctas(kMinSlots) <= 1 && ctas(1) > 1)
    plan.refilled = planRefilledRings(plan.loads);
  for (RefilledRing &ring : plan.refilled)
    ring.type = getRing(context, 1, ring.loads);
  return numSlots;
}

std::optional<PipelinePlan> warp::planPipeline(scf::ForOp loop,
                                               const AxisInfoAnalysis &axes,
                                               const PipelineOptions &options) {
  int64_t numStages = getNumStages(loop, options.numStages);
  PipelinePlan plan = collectLoads(loop, axes, /*takesRows=*/true);
  if (plan.loads.empty() || numStages < 2)
    return std::nullopt;
  int64_t numSlots = planSlots(plan, numStages, options.limit);
  if (llvm::any_of(plan.loads, isRow) && !llvm::all_of(plan.loads, isRow)) {
    PipelinePlan tiles = collectLoads(loop, axes, /*takesRows=*/false);
    int64_t without = planSlots(tiles, numStages, options.limit);
    bool isFree = findInterference(loop, getEarlyReads(plan)) &&
                  !findInterference(loop, getEarlyReads(tiles));
    if (without > numSlots || !tiles.refilled.empty() || isFree) {
      plan = std::move(tiles);
      numSlots = without;
    }
  }
  if (Operation *write = findInterference(loop, getEarlyReads(plan)))
    return refuse(write,
                  isa<tile::LoadOp>(write)
                      ? "other programs may write the loaded data meanwhile"
                      : "it may write the data that the loop loads");
  MLIRContext *context = loop.getContext();
  int64_t slotBytes = getRing(context, 2, plan.loads).getSlotBytes();
  if (!plan.refilled.empty()) {
    remark::passed(loop.getLoc(), kRemark) << remark::add(
        "pipelined: each of its {0} dots has one slot, {1} bytes "
        "together, which is refilled once it has been read",
        plan.refilled.size(), slotBytes);
    return plan;
  }
  if (numSlots < 2)
    return refuse(loop, "two slots do not fit into shared memory");
  plan.ring = getRing(context, numSlots, plan.loads);
  remark::passed(loop.getLoc(), kRemark)
      << remark::add("pipelined: its loads run {0} iterations ahead, into a "
                     "ring of {1} slots of {2} bytes",
                     numSlots - 1, numSlots, slotBytes);
  if (numSlots < numStages)
    remark::missed(loop.getLoc(), kRemark) << remark::add(
        "a ring of {0} slots instead of {1}: {2}", numSlots, numStages,
        hasDots(loop)
            ? "no more fit into shared memory"
            : "more would leave too little shared memory for other programs");
  return plan;
}
