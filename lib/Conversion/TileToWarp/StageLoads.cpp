// Tiles that a loop loads and computes operands of products from, such as
// weights of four bits and their scales, go through memory of their own: so the
// loads can be made to run ahead of the products, as those of operands are. So
// do rows of numbers beside products: see StagedVectors.h; and all that a loop
// without products loads, if it says how many iterations are to be in flight.

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

/// Whether `operand` is loaded as it stands: see formDots.
static bool isLoaded(Value operand) {
  Operation *op = operand.getDefiningOp();
  while (isa_and_present<warp::ConvertLayoutOp, tile::TransposeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_present<tile::LoadOp>(op);
}

/// Packed weights, rather than what is added to scores.
static bool isMatrixOfIntegers(tile::LoadOp load) {
  auto type = cast<RankedTensorType>(load.getType());
  return type.getRank() == 2 && type.getElementType().isInteger();
}

/// Adds the loads of the loop around `product` that `operand` is computed from.
/// Of products of warpgroups matrices only: the fence between what threads
/// store and the product waits for loads on their way to registers. What is
/// computed from another product's sum stays in registers unless it `isStored`,
/// and so do the scales of packed weights.
static void collectLoads(Operation *product, Value operand, bool isWgmma,
                         bool isStored, Loads &loads) {
  if (isLoaded(operand))
    return;
  Loads matrices;
  bool isChained = false, isPacked = false;
  SmallVector<Value> open = {operand};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != product->getBlock() || !seen.insert(op).second)
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

/// Whether `loop` asks for iterations in flight and has no products, whose
/// operands would be what runs ahead.
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

/// Has what the mask leaves out of `load` chosen where it is `read` from the
/// memory that it is copied to. What takes the place of its result.
static Value chooseOther(tile::LoadOp load, Value read, IRRewriter &rewriter) {
  if (load.fillsWithZero())
    return read;
  Value other = load.getOther();
  load.getOtherMutable().clear();
  return arith::SelectOp::create(rewriter, load.getLoc(), load.getMask(), read,
                                 other);
}

/// The layout in memory of a tile that threads copy and read as they hold it;
/// null where no two neighbours could be copied at once, unless it is a row
/// whose elements are wide enough for copies of one.
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

/// Has `load`, and what only changes its layout, read from memory that it is
/// copied to.
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

/// Stages what `loop` loads, as it asks for. Copies of one number each cost
/// more than running ahead saves: softmax of rows of 3001 floats took 63 us
/// instead of 56.
static void stageAsked(scf::ForOp loop, IRRewriter &rewriter) {
  for (auto load : llvm::to_vector(loop.getBody()->getOps<tile::LoadOp>()))
    if (isa<RankedTensorType>(load.getType()) && !load.getIsVolatile() &&
        failed(stage(load, /*isRow=*/false, rewriter)))
      remark::missed(load.getLoc(), remark::RemarkOpts::name("StageLoads")
                                        .category("convert-tile-to-warp"))
          << remark::add("not copied ahead: no two of its numbers are known to "
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
