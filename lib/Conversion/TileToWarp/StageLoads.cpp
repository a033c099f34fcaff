// Stages loads in shared memory, so that they can be prefetched as operands
// are:
// 1. Tiles from which a loop computes dot operands, such as 4-bit weights and
//    their scales.
// 2. Vectors that are used next to dots; see StagedVectors.h.
// 3. All loads of a loop without dots that asks for several iterations in
//    flight.

#include "lib/Conversion/TileToWarp/TileToWarp.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Mma/SharedOperands.h"
#include "lib/Analysis/SharedMemory/NumStages.h"
#include "lib/Layout/LayoutConversion.h"
#include "lib/Layout/TileLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using warp::LinearAttr;

using Loads = llvm::SmallSetVector<tile::LoadOp, 4>;

/// Whether `operand` is a load, possibly transposed or converted. formDots
/// stages those.
static bool isLoaded(Value operand) {
  Operation *op = operand.getDefiningOp();
  while (isa_and_present<warp::ConvertLayoutOp, tile::TransposeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_present<tile::LoadOp>(op);
}

/// Whether `load` reads packed weights, as opposed to values that are added to
/// scores.
static bool isMatrixOfIntegers(tile::LoadOp load) {
  auto type = cast<RankedTensorType>(load.getType());
  return type.getRank() == 2 && type.getElementType().isInteger();
}

/// Collects the loads in the loop around `dot` that `operand` is computed from.
/// 1. For wgmma only matrices: the fence between stores of threads and wgmma
///    waits for loads that are on their way to registers.
/// 2. Values that depend on the accumulator of another dot stay in registers
///    unless `isStored`, and so do the scales of packed weights.
static void collectLoads(Operation *dot, Value operand, bool isWgmma,
                         bool isStored, Loads &loads) {
  if (isLoaded(operand))
    return;
  Loads matrices;
  bool isChained = false, isPacked = false;
  SmallVector<Value> open = {operand};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != dot->getBlock() || !seen.insert(op).second)
      continue;
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      isPacked |= isMatrixOfIntegers(load);
      if (!isWgmma || isMatrixOfIntegers(load))
        loads.insert(load);
      else if (cast<RankedTensorType>(load.getType()).getRank() == 2)
        matrices.insert(load);
      continue;
    }
    isChained |= isa<tile::DotOp>(op);
    if (!isMemoryEffectFree(op) || op->getNumRegions() != 0 ||
        isa<tile::DotOp>(op))
      continue;
    for (Value source : op->getOperands())
      if (isa<RankedTensorType>(source.getType()))
        open.push_back(source);
  }
  if (isWgmma && !isPacked && (isStored || !isChained))
    loads.insert_range(matrices);
}

/// Whether `loop` asks for several iterations in flight and has no dots, whose
/// operands would be prefetched instead.
static bool asksForCopies(scf::ForOp loop) {
  constexpr int64_t kNotAsked = 1;
  return getNumStages(loop, kNotAsked) > 1 && !warp::isExplicit(loop) &&
         !loop.getBody()
              ->walk([](Operation *op) {
                return isa<tile::DotOp, tile::DescriptorLoadOp,
                           LoopLikeOpInterface>(op)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Selects the masked-off value of `load` after it is `read` from the memory
/// that it is copied to, as copies fill with zeros. Returns the replacement of
/// its result.
static Value chooseOther(tile::LoadOp load, Value read, IRRewriter &rewriter) {
  if (load.fillsWithZero())
    return read;
  Value other = load.getOther();
  load.getOtherMutable().clear();
  return arith::SelectOp::create(rewriter, load.getLoc(), load.getMask(), read,
                                 other);
}

/// Returns the layout in memory of a tile that threads copy and read in their
/// own layout. Null if no two neighbours could be copied at once. Rows are
/// exempt: their elements are wide enough to be copied one by one.
static LinearAttr chooseMemory(RankedTensorType tile, bool isRow) {
  LinearLayout held = *warp::getLayout(tile);
  LinearAttr memory;
  if (tile.getRank() == 1) {
    memory =
        LinearAttr::get(tile.getContext(), sharedLayout(tile.getShape(), {0}));
  } else if (tile.getRank() == 2) {
    bool alongRows =
        held.getNumConsecutive(LayoutAxis::Register, dimAxis(1)) > 1;
    memory = chooseWgmmaOperand(tile, /*contracted=*/alongRows ? 1 : 0);
  }
  return memory && (isRow ||
                    countConsecutiveRegisterBits(held, memory.getLayout()) != 0)
             ? memory
             : LinearAttr();
}

/// Copies `load` to shared memory. Its users, and conversions of its layout,
/// read from there.
static LogicalResult stage(tile::LoadOp load, bool isRow,
                           IRRewriter &rewriter) {
  auto type = cast<RankedTensorType>(load.getType());
  LinearAttr layout = chooseMemory(type, isRow);
  if (!layout)
    return failure();
  auto memoryType = warp::SharedType::get(load.getContext(), type.getShape(),
                                          type.getElementType(), layout);
  rewriter.setInsertionPointAfter(load);
  Value tile = load.getResult();
  auto memory =
      warp::AllocOp::create(rewriter, load.getLoc(), memoryType, tile);
  for (Operation *user : llvm::make_early_inc_range(tile.getUsers())) {
    auto convert = dyn_cast<warp::ConvertLayoutOp>(user);
    if (!convert || convert->getBlock() != load->getBlock() ||
        !load.fillsWithZero() || (!isRow && !movesMuch(convert)))
      continue;
    rewriter.setInsertionPoint(convert);
    rewriter.replaceOpWithNewOp<warp::LocalLoadOp>(convert, convert.getType(),
                                                   memory);
  }
  rewriter.setInsertionPointAfter(memory);
  auto read = warp::LocalLoadOp::create(rewriter, load.getLoc(), type, memory);
  rewriter.replaceAllUsesExcept(tile, chooseOther(load, read, rewriter),
                                memory);
  return success();
}

/// Stages the loads of `loop`, which asks for it. Copies of single elements
/// cost more than prefetching saves; see benchmarks/notes/staged-loads.md.
static void stageAsked(scf::ForOp loop, IRRewriter &rewriter) {
  for (auto load : llvm::to_vector(loop.getBody()->getOps<tile::LoadOp>()))
    if (isa<RankedTensorType>(load.getType()) && !load.getIsVolatile() &&
        failed(stage(load, /*isRow=*/false, rewriter)))
      remark::missed(load.getLoc(), remark::RemarkOpts::name("StageLoads")
                                        .category("convert-tile-to-warp"))
          << remark::add("not prefetched: no two of its elements are known to "
                         "be neighbours in memory");
}

void warp::stageLoads(tile::FuncOp func, const LayoutAssignment &layouts,
                      const StagedVectors &rows) {
  Loads loads;
  func.walk([&](tile::DotOp dot) {
    if (!isa<scf::ForOp>(dot->getParentOp()) || !isTensorCoreDot(dot))
      return;
    bool isWgmma = layouts.getDot(dot).isWgmma;
    collectLoads(dot, dot.getA(), isWgmma, /*isStored=*/false, loads);
    collectLoads(dot, dot.getB(), isWgmma, /*isStored=*/isWgmma, loads);
  });
  IRRewriter rewriter(func.getContext());
  for (Operation *row : rows)
    loads.insert(cast<tile::LoadOp>(row));
  for (tile::LoadOp load : loads)
    (void)stage(load, rows.contains(load), rewriter);
  func.walk([&](scf::ForOp loop) {
    if (asksForCopies(loop))
      stageAsked(loop, rewriter);
  });
}
