#include "compiler/Targets/OccupancyPolicy.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Layout/LayoutEdges.h"
#include "lib/Analysis/Mma/ChainedDots.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Analysis/Target/RegisterFile.h"
#include "lib/Transforms/Warp/Registers/RegisterUse.h"

#include "mlir/Analysis/Liveness.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright;

//===----------------------------------------------------------------------===//
// How many
//===----------------------------------------------------------------------===//

/// Whether `step` goes by the number of programs.
static bool countsPrograms(Value step) {
  Operation *op = step.getDefiningOp();
  return op &&
         (isa<tile::NumProgramsOp>(op) ||
          (isPure(op) && llvm::any_of(op->getOperands(), countsPrograms)));
}

/// Whether the programs of a kernel lie along more than one axis.
static bool hasSeveralAxes(tile::FuncOp function) {
  llvm::SmallDenseSet<tile::Axis> axes;
  function->walk([&](tile::ProgramIdOp id) { axes.insert(id.getAxis()); });
  return axes.size() > 1;
}

/// Whether `op` says that its kernel is better left alone: products of tiles
/// keep a multiprocessor busy otherwise, roles have budgets of their own, and a
/// loop that scans hands on a state from block to block: programs are as many
/// as there are sequences, often one for a multiprocessor, and gain by
/// registers. So do sums over rows that all programs share out among them, of
/// which each leaves its part.
static bool decides(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  return isa<tile::DotOp, warp::MmaOp, warp::WgmmaOp, warp::WgmmaBesideOp,
             warp::SpecializeOp>(op) ||
         (loop && countsPrograms(loop.getStep()) &&
          warp::countCarried(loop) != 0 &&
          !hasSeveralAxes(loop->getParentOfType<tile::FuncOp>())) ||
         (isa<tile::ScanOp>(op) && op->getParentOfType<LoopLikeOpInterface>());
}

static bool isLeftAlone(tile::FuncOp function) {
  return function
      ->walk([](Operation *op) {
        return decides(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether `value` is computed anew wherever it is used.
static bool isRepeated(Value value) {
  Operation *op = value.getDefiningOp();
  return op && (matchPattern(op, m_Constant()) ||
                isa<tile::SplatOp, tile::BroadcastOp>(op));
}

/// The registers of a thread with numbers that are needed behind `op`, too.
static int64_t countPinned(Operation *op, const Liveness &liveness) {
  llvm::SmallDenseSet<Value> kept;
  for (; op && op->getBlock(); op = op->getParentOp())
    if (const LivenessBlockInfo *info = liveness.getLiveness(op->getBlock()))
      for (Value value : info->currentlyLiveValues(op))
        if (value.getDefiningOp() != op && !isRepeated(value) &&
            !liveness.isDeadAfter(value, op))
          kept.insert(value);
  int64_t registers = 0;
  for (Value value : kept)
    registers += warp::countRegisters(value.getType());
  return registers;
}

/// The most registers with numbers that threads keep while they exchange
/// others: what stands between two exchanges may be done element by element.
static int64_t countPinned(tile::FuncOp function) {
  llvm::SmallVector<Operation *> exchanges;
  function->walk([&](Operation *op) {
    if (usesScratch(op))
      exchanges.push_back(op);
  });
  if (exchanges.empty())
    return 0;
  Liveness liveness(function);
  int64_t most = 0;
  for (Operation *op : exchanges)
    most = std::max(most, countPinned(op, liveness));
  return most;
}

/// The most registers of a thread that an iteration of a loop fills from memory
/// at once, beside tiles that it hands on to the next one: such programs are
/// few, and with less registers loads wait for each other.
static int64_t countLoaded(tile::FuncOp function) {
  int64_t most = 0;
  function->walk([&](LoopLikeOpInterface loop) {
    int64_t registers = warp::countCarried(loop);
    if (registers == 0)
      return;
    for (Region *region : loop.getLoopRegions())
      for (auto load : region->getOps<tile::LoadOp>())
        registers += warp::countRegisters(load.getType());
    most = std::max(most, registers);
  });
  return most;
}

static int64_t getCount(tile::FuncOp function, StringRef name) {
  auto count = function->getAttrOfType<IntegerAttr>(name);
  return count ? count.getInt() : 0;
}

/// The roles of `function`; null for none.
static warp::SpecializeOp findRoles(tile::FuncOp function) {
  warp::SpecializeOp found;
  function->walk([&](warp::SpecializeOp roles) {
    found = roles;
    return WalkResult::interrupt();
  });
  return found;
}

/// Whether threads store to `memory`, the operand of a product, in a loop.
static bool isStoredInLoop(Value memory) {
  auto alloc = getNamedMemory(memory).getDefiningOp<warp::AllocOp>();
  auto isInLoop = [](Operation *op) {
    return op->getParentOfType<LoopLikeOpInterface>() != nullptr;
  };
  return alloc && ((alloc.getSource() && isInLoop(alloc)) ||
                   llvm::any_of(alloc->getUsers(), [&](Operation *user) {
                     return isa<warp::LocalStoreOp>(user) && isInLoop(user);
                   }));
}

/// Whether products of warpgroups wait for what threads load or compute.
static bool hasStoredOperands(tile::FuncOp function) {
  return function
      ->walk([](Operation *op) {
        bool waits = isa<warp::WgmmaOp, warp::WgmmaBesideOp>(op) &&
                     llvm::any_of(op->getOperands(), [](Value operand) {
                       return isa<warp::SharedType>(operand.getType()) &&
                              isStoredInLoop(operand);
                     });
        return waits ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether threads compute, in each iteration of a loop, what a product takes
/// from registers, of nothing that other products gave.
static bool makesInRegisters(tile::FuncOp function) {
  if (hasChainedDots(function))
    return false;
  return function
      ->walk([](warp::WgmmaOp product) {
        Operation *maker = product.getA().getDefiningOp();
        bool isMade = isa<RankedTensorType>(product.getA().getType()) &&
                      maker && isElementwise(maker) &&
                      maker->getParentOfType<LoopLikeOpInterface>();
        return isMade ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether slots are filled again once they have been read, for the memory of
/// another program.
static bool isRefilled(tile::FuncOp function) {
  return function
      ->walk([](warp::RingOp ring) {
        bool isOne =
            ring.getType().getNumSlots() == 1 &&
            ring.getType().getCompletion() == warp::Completion::AsyncGroups;
        return isOne ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether products of `function` wait for threads, whose turns other programs
/// fill. Of chained ones a producer loads under the work between them; roles
/// with registers of their own have what they need.
static bool waitsForThreads(tile::FuncOp function) {
  if (warp::SpecializeOp roles = findRoles(function))
    return (!roles.getRegisters() || roles.getRegisters()->empty()) &&
           (hasStoredOperands(function) || makesInRegisters(function));
  return hasChainedDots(function) || hasStoredOperands(function) ||
         makesInRegisters(function);
}

/// The most bytes that an iteration of a loop brings to a warp, each thread its
/// part of each tile.
static int64_t countBytesOfIteration(tile::FuncOp function) {
  int64_t most = 0;
  function->walk([&](LoopLikeOpInterface loop) {
    int64_t registers = 0;
    for (Region *region : loop.getLoopRegions())
      for (auto load : region->getOps<tile::LoadOp>())
        if (isa<RankedTensorType>(load.getType()))
          registers += warp::countHeld(load.getType());
    most = std::max(most, registers);
  });
  return most * RegisterFile::kLanes * int64_t(sizeof(int32_t));
}

/// How many warps are to share a multiprocessor. Programs of 16 exchange
/// numbers at barriers, where two often wait at once: of three, layer norm took
/// 89 us instead of 101, a norm of sums 86 instead of 89; programs of less
/// warps lost up to a tenth. Where iterations load little, as numbers one by
/// one, it takes more warps to have as much under way as memory brings while
/// they wait.
static int64_t countWarps(tile::FuncOp function, int64_t warpsOfProgram) {
  constexpr int64_t kBytesUnderWay = 32 * 1024, kMostWarps = 64;
  int64_t warps = warpsOfProgram == 16 ? 48 : kFillingWarps;
  if (int64_t bytes = countBytesOfIteration(function))
    warps = std::max(warps, std::min(kBytesUnderWay / bytes, kMostWarps));
  return warps;
}

OccupancyPolicy tilewright::findOccupancyPolicy(ModuleOp module) {
  constexpr int64_t kDotWarps = 16, kLeastWarps = 4;
  using warp::WarpDialect;
  auto functions = module.getOps<tile::FuncOp>();
  if (!llvm::hasSingleElement(functions))
    return {};
  tile::FuncOp function = *functions.begin();
  if (function->hasAttr(WarpDialect::kSingleWaveAttr))
    return {};
  int64_t warps = getCount(function, WarpDialect::kNumWarpsAttr);
  int64_t bytes = getCount(function, WarpDialect::kSharedSizeAttr);
  if (warps >= kLeastWarps && warps < kDotWarps && waitsForThreads(function))
    return {std::min(kDotWarps / warps, countPrograms(bytes)),
            warp::getBlockWarps(function).getInt(),
            /*hasDots=*/true, isRefilled(function), makesInRegisters(function)};
  if (warps < kLeastWarps || warps >= kFillingWarps || isLeftAlone(function))
    return {};
  int64_t programs =
      std::min(countWarps(function, warps) / warps, countPrograms(bytes));
  int64_t kept = std::max(countPinned(function), countLoaded(function));
  while (programs > 1 && getRegisterShare(programs * warps) < kept)
    --programs;
  return {programs, warps};
}

//===----------------------------------------------------------------------===//
// Assembling
//===----------------------------------------------------------------------===//

/// What a kernel says of its threads, and on the next line how many programs it
/// asks for.
static constexpr StringLiteral kThreads(".reqntid "),
    kPrograms(".minnctapersm ");

/// `ptx` of one kernel that asks for that many programs.
static std::string bindPrograms(StringRef ptx, int64_t programs) {
  size_t at = ptx.find(kThreads);
  if (at == StringRef::npos)
    return "";
  at = ptx.find('\n', at) + 1;
  StringRef rest = ptx.drop_front(at);
  if (rest.starts_with(kPrograms))
    rest = rest.drop_front(rest.find('\n') + 1);
  return (ptx.take_front(at) + kPrograms + Twine(programs) + "\n" + rest).str();
}

/// The programs of `share` that fit on a multiprocessor with so many registers.
static int64_t countFitting(OccupancyPolicy share, unsigned registers) {
  int64_t fitting = 1;
  while (fitting < share.programs &&
         getRegisterShare((fitting + 1) * share.warps) >= registers)
    ++fitting;
  return fitting;
}

/// Whether half as many programs more share a multiprocessor with `share` than
/// `fitting`. Of a seventh or a third more, log-softmax lost 4 % and vectors
/// times matrices 10 %, where others gained 2 %. Where operands take registers
/// instead of memory one more is enough: gradients of states in 64 x 128 took
/// 116 us with three programs, 113 with four.
static bool gains(OccupancyPolicy share, int64_t fitting) {
  return share.makesInRegisters ? share.programs > fitting
                                : 2 * share.programs >= 3 * fitting;
}

static unsigned countSpilled(const AssemblyResources &resources) {
  return resources.spillStores + resources.spillLoads;
}

/// Whether what is kept in memory for want of registers costs more than the
/// other programs gain: from 16 warps to more anything does; from 8 to 16, at
/// 128 registers, 88 bytes written and read gained an eighth. Less than twice
/// as many programs are worth none: a scan of columns, from 8 to 12, wrote and
/// read 96 bytes for 128 of its own. Products wait for what comes from memory.
static bool spillsMuch(OccupancyPolicy share, int64_t fitting,
                       const AssemblyResources &resources) {
  constexpr int64_t kFewWarps = 16;
  unsigned bytes = countSpilled(resources);
  return share.hasDots || share.programs * share.warps > kFewWarps ||
                 share.programs < 2 * fitting
             ? bytes != 0
             : 2 * bytes > 3 * resources.registers;
}

/// Whether a thread may do with the registers that `share` leaves it: of three
/// fifths of those that it would take some kernels of attention kept nothing in
/// memory, of less all did.
static bool mayFit(OccupancyPolicy share, unsigned registers) {
  return 5 * getRegisterShare(share.programs * share.warps) >= 3 * registers;
}

/// How many registers a thread of the kernel in `ptx` may have; 0 if it asks
/// for some itself.
static int64_t getRegistersOfFew(StringRef ptx) {
  size_t at = ptx.find(kThreads);
  int64_t threads = 0;
  if (at == StringRef::npos || ptx.contains(kPrograms) ||
      ptx.contains(".maxnreg ") ||
      ptx.drop_front(at + kThreads.size()).consumeInteger(10, threads))
    return 0;
  return std::min(getRegisterShare(threads / RegisterFile::kLanes),
                  RegisterFile::kOfThread);
}

/// Whether the assembler left registers unused although it keeps much in memory
/// for want of them. Releases up to 13.0 that are told nothing give up where
/// that is too much: gradients of RMS norm in blocks of 16,384 float32 took 32
/// registers and 12,808 bytes written and read, with all 255 it is 2288.
static bool gaveUp(const Assembly &assembly, int64_t available) {
  return assembly.kind != AssemblerKind::Driver &&
         assembly.resources.spillStores != 0 &&
         assembly.resources.registers + RegisterFile::kUnit < available;
}

/// Assembles `ptx`, with all registers that there are if that keeps a quarter
/// less in memory.
static llvm::Expected<Assembly>
assembleNaturally(std::string &ptx, StringRef arch,
                  const AssemblerOptions &options) {
  auto natural = assemble(ptx, arch, options);
  if (!natural || !gaveUp(*natural, getRegistersOfFew(ptx)))
    return natural;
  std::string alone = bindPrograms(ptx, 1);
  auto assembly = assemble(alone, arch, options);
  if (assembly && 4 * countSpilled(assembly->resources) <
                      3 * countSpilled(natural->resources)) {
    ptx = std::move(alone);
    return assembly;
  }
  llvm::consumeError(assembly.takeError());
  return natural;
}

llvm::Expected<Assembly>
tilewright::assembleShared(std::string &ptx, StringRef arch,
                           const AssemblerOptions &options,
                           OccupancyPolicy share) {
  auto natural = assembleNaturally(ptx, arch, options);
  // More takes long to assemble even once.
  constexpr size_t kMostText = 72 * 1024, kMostOfDots = 160 * 1024;
  if (!natural || !share ||
      ptx.size() > (share.hasDots ? kMostOfDots : kMostText))
    return natural;
  // The driver does not tell: it gets as many registers as it likes.
  const AssemblyResources &resources = natural->resources;
  if (natural->kind == AssemblerKind::Driver ||
      (resources.spillStores != 0 && !share.isPlanned))
    return natural;
  // What has no products is assembled for all of them whatever it takes.
  bool isAsked = !share.hasDots || share.isPlanned;
  const int64_t fitting = countFitting(share, resources.registers);
  for (; share && gains(share, fitting); --share.programs) {
    bool isMany = share.programs * share.warps > kFillingWarps;
    if ((!isAsked || isMany) && !mayFit(share, resources.registers))
      continue;
    isAsked = share.isPlanned;
    std::string bound = bindPrograms(ptx, share.programs);
    if (bound.empty())
      return natural;
    auto assembly = assemble(bound, arch, options);
    if (assembly && !spillsMuch(share, fitting, assembly->resources)) {
      ptx = std::move(bound);
      return assembly;
    }
    llvm::consumeError(assembly.takeError());
  }
  return natural;
}
