#include "compiler/Targets/ProgramShare.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/SharedMemory.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright;

//===----------------------------------------------------------------------===//
// How many
//===----------------------------------------------------------------------===//

/// Whether `op` says that its kernel is better left alone: products of tiles
/// keep a multiprocessor busy otherwise, roles have budgets of their own, and a
/// loop that scans hands on a state from block to block: programs are as many
/// as there are sequences, often one for a multiprocessor, and gain by
/// registers.
static bool decides(Operation *op) {
  return isa<warp::MmaOp, warp::WgmmaOp, tile::DotOp, warp::SpecializeOp>(op) ||
         (isa<tile::ScanOp>(op) && op->getParentOfType<LoopLikeOpInterface>());
}

static bool isLeftAlone(tile::FuncOp function) {
  return function
      ->walk([](Operation *op) {
        return decides(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static int64_t getCount(tile::FuncOp function, StringRef name) {
  auto count = function->getAttrOfType<IntegerAttr>(name);
  return count ? count.getInt() : 0;
}

static int64_t countSharingPrograms(tile::FuncOp function) {
  constexpr int64_t kWarps = 32, kLeastWarps = 4;
  using warp::WarpDialect;
  int64_t warps = getCount(function, WarpDialect::kNumWarpsAttr);
  if (warps < kLeastWarps || isLeftAlone(function))
    return 0;
  int64_t bytes = getCount(function, WarpDialect::kSharedSizeAttr);
  return std::min(kWarps / warps, countPrograms(bytes));
}

llvm::StringMap<int64_t> tilewright::countSharingPrograms(ModuleOp module) {
  llvm::StringMap<int64_t> programs;
  for (auto function : module.getOps<tile::FuncOp>())
    if (int64_t count = ::countSharingPrograms(function); count > 1)
      programs[function.getName()] = count;
  return programs;
}

void tilewright::bindPrograms(ModuleOp module,
                              const llvm::StringMap<int64_t> &programs) {
  OpBuilder b(module.getContext());
  StringRef name = NVVM::NVVMDialect::getMinctasmAttrName();
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (int64_t count = programs.lookup(function.getName());
        count && !function->hasAttr(name))
      function->setAttr(name, b.getI32IntegerAttr(count));
}

//===----------------------------------------------------------------------===//
// Assembling
//===----------------------------------------------------------------------===//

/// Says half as many programs in `ptx`, if that is one at least.
static bool halvePrograms(std::string &ptx) {
  constexpr StringLiteral kDirective(".minnctapersm ");
  const size_t at = ptx.find(kDirective);
  if (at == std::string::npos)
    return false;
  const size_t begin = at + kDirective.size();
  StringRef rest = StringRef(ptx).substr(begin);
  unsigned programs = 0;
  if (rest.consumeInteger(10, programs) || programs < 2)
    return false;
  const size_t end = ptx.size() - rest.size();
  ptx.replace(begin, end - begin, std::to_string(programs / 2));
  return true;
}

/// Whether what is kept in memory for want of registers costs more than twice
/// as many programs gain. From 16 warps to 32 there is less to gain than it
/// costs; from 8 to 16, at 128 registers, 88 bytes written and read gained an
/// eighth.
static bool spillsMuch(const AssemblyResources &resources) {
  constexpr unsigned kRegistersOf32Warps = 64;
  unsigned bytes = resources.spillStores + resources.spillLoads;
  return resources.registers <= kRegistersOf32Warps
             ? bytes != 0
             : 2 * bytes > 3 * resources.registers;
}

llvm::Expected<Assembly>
tilewright::assembleShared(std::string &ptx, StringRef arch,
                           const AssemblerOptions &options) {
  // More takes long to assemble even once.
  constexpr size_t kMostText = 128 * 1024;
  while (ptx.size() > kMostText && halvePrograms(ptx))
    continue;
  for (;;) {
    auto assembly = assemble(ptx, arch, options);
    // The driver does not tell: it gets as many registers as it likes.
    bool fits = assembly && assembly->kind != AssemblerKind::Driver &&
                !spillsMuch(assembly->resources);
    if (!assembly || fits || !halvePrograms(ptx))
      return assembly;
  }
}
