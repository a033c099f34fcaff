#include "lib/Transforms/TileGpu/SplitBlocks.h"

#include "lib/Analysis/Layout/LayoutEdges.h"
#include "lib/Analysis/Layout/TileSize.h"
#include "lib/Analysis/Target/TargetOptions.h"
#include "lib/Transforms/Tile/ExpandDescriptors.h"
#include "lib/Transforms/TileGpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;
using namespace tilewright::tile_gpu;

namespace tilewright::tile_gpu {
#define GEN_PASS_DEF_SPLITBLOCKS
#include "lib/Transforms/TileGpu/Passes.h.inc"
} // namespace tilewright::tile_gpu

/// Whether an operand, a result or a block argument of `op` is a tile that is
/// cut.
static bool isCut(Operation *op) {
  auto anyOf = [](TypeRange types) { return llvm::any_of(types, needsCut); };
  if (anyOf(op->getOperandTypes()) || anyOf(op->getResultTypes()))
    return true;
  return llvm::any_of(op->getRegions(), [&](Region &region) {
    return llvm::any_of(
        region, [&](Block &block) { return anyOf(block.getArgumentTypes()); });
  });
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// Replaces the reduction of a flattened block by reductions of its dimensions,
/// the last first. No element moves, and the order stays.
static void reduceDimByDim(tile::ReduceOp op) {
  Value first = op.getOperands().front();
  auto reshape = first.getDefiningOp<tile::ReshapeOp>();
  bool isLine = reshape && op.getNumOperands() == 1 &&
                cast<RankedTensorType>(first.getType()).getRank() == 1 &&
                needsCut(reshape.getSource().getType());
  if (!isLine)
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value partial = reshape.getSource();
  while (auto type = dyn_cast<RankedTensorType>(partial.getType())) {
    auto reduce = tile::ReduceOp::create(b, partial, type.getRank() - 1,
                                         op.getCommutes());
    IRMapping mapping;
    op.getCombine().cloneInto(&reduce.getCombine(), mapping);
    partial = reduce.getResults().front();
  }
  op.getResults().front().replaceAllUsesWith(partial);
  op.erase();
}

/// Expands descriptor stores of padded pieces: a copy of one would write past
/// the block.
static void expandPaddedStores(tile::FuncOp func, const BlockCut &cut) {
  SmallVector<tile::DescriptorStoreOp> stores;
  func.walk([&](tile::DescriptorStoreOp store) {
    auto type = cast<RankedTensorType>(store.getValue().getType());
    if (llvm::any_of(cut.getPieces(type.getShape()),
                     [](const Piece &piece) { return piece.isPadded(); }))
      stores.push_back(store);
  });
  for (tile::DescriptorStoreOp store : stores)
    (void)tile::expandDescriptorOp(store);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Whether a pattern splits `op`.
static bool canSplit(Operation *op) {
  return isElementwise(op) ||
         isa<arith::ConstantOp, scf::ForOp, scf::IfOp, scf::WhileOp,
             scf::YieldOp, scf::ConditionOp, tile::RangeOp, tile::SplatOp,
             tile::ExpandDimsOp, tile::BroadcastOp, tile::TransposeOp,
             tile::ReshapeOp, tile::GatherOp, tile::HistogramOp, tile::MapOp,
             tile::InlineAsmOp, tile::ReduceOp, tile::ScanOp, tile::DotOp,
             tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCASOp,
             tile::DescriptorLoadOp, tile::DescriptorStoreOp, tile::AssertOp,
             tile::PrintOp>(op);
}

static LogicalResult checkCut(Operation *op, const BlockCut &cut,
                              int64_t numWarps) {
  if (isa<tile::CallOp>(op))
    return op->emitError("the NVIDIA back end takes kernels whose calls are "
                         "inlined");
  if (!canSplit(op))
    return op->emitError("the NVIDIA back end cannot compute this on blocks "
                         "whose dimensions are not powers of two");
  if (auto scan = dyn_cast<tile::ScanOp>(op)) {
    int64_t size = cast<RankedTensorType>(scan.getOperands().front().getType())
                       .getDimSize(scan.getAxis());
    if (!llvm::isPowerOf2_64(size))
      return op->emitOpError("runs along a dimension of ")
             << size << ", which is not a power of two";
  }
  if (isa<tile::DescriptorLoadOp, tile::DescriptorStoreOp>(op) &&
      !op->getOperand(0).getDefiningOp<tile::MakeDescriptorOp>())
    return op->emitError("the descriptor must be made in the same kernel, not "
                         "chosen by a branch or a loop");
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && !isa<SplatElementsAttr>(constant.getValue()))
    return op->emitOpError("must be a splat to be a tile on a GPU");
  for (Type type : op->getResultTypes())
    if (needsCut(type) &&
        failed(checkTileSize(op, cast<RankedTensorType>(type),
                             cut.countPaddedElements(type), numWarps)))
      return failure();
  return success();
}

static LogicalResult checkCuts(tile::FuncOp func, const BlockCut &cut,
                               int64_t numWarps) {
  WalkResult result = func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isCut(op))
      return WalkResult::advance();
    return WalkResult(checkCut(op, cut, numWarps));
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Remarks, once per padded dimension size, how many elements take registers.
static void remarkPadding(tile::FuncOp func, const BlockCut &cut) {
  llvm::SmallDenseSet<int64_t> seen;
  func.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      if (!needsCut(type))
        continue;
      for (int64_t size : cast<RankedTensorType>(type).getShape()) {
        Segment last = cut.getSegments(size).back();
        if (!last.isPadded() || !seen.insert(size).second)
          continue;
        remark::missed(op->getLoc(),
                       remark::RemarkOpts::name("Blocks").category(
                           "tile-gpu-split-blocks"))
            << remark::add("a dimension of {0} takes the registers of {1}",
                           size, last.start + last.size);
      }
    }
  });
}

namespace {

struct SplitBlocks : tile_gpu::impl::SplitBlocksBase<SplitBlocks> {
  using SplitBlocksBase::SplitBlocksBase;

  void runOnOperation() override {
    if (failed(checkNumWarps(getOperation(), numWarps)))
      return signalPassFailure();
    for (auto func : getOperation().getOps<tile::FuncOp>())
      if (func.isKernel() && failed(split(func)))
        return signalPassFailure();
  }

  LogicalResult split(tile::FuncOp func) {
    bool hasCut = func.walk([](Operation *op) {
                        return isCut(op) ? WalkResult::interrupt()
                                         : WalkResult::advance();
                      })
                      .wasInterrupted();
    if (!hasCut)
      return success();
    NvidiaTarget target{computeCapability, archSpecific};
    BlockCut cut(func, target);
    if (failed(checkCuts(func, cut, numWarps)))
      return failure();
    remarkPadding(func, cut);
    expandPaddedStores(func, cut);
    SmallVector<tile::ReduceOp> reductions;
    func.walk([&](tile::ReduceOp op) { reductions.push_back(op); });
    llvm::for_each(reductions, reduceDimByDim);
    return convert(func, cut);
  }

  LogicalResult convert(tile::FuncOp func, const BlockCut &cut) {
    PieceConverter pieces(cut);
    ConversionTarget legality(getContext());
    legality.markUnknownOpDynamicallyLegal(
        [](Operation *op) { return !isCut(op); });
    RewritePatternSet patterns(&getContext());
    scf::populateSCFStructuralTypeConversionsAndLegality(pieces, patterns,
                                                         legality);
    populateSplitElementwise(pieces, patterns);
    populateSplitShapes(pieces, patterns);
    populateSplitReshape(pieces, patterns);
    populateSplitIndexing(pieces, patterns);
    populateSplitReductions(pieces, patterns);
    populateSplitDots(pieces, patterns);
    populateSplitMemory(pieces, patterns);
    populateSplitDebug(pieces, patterns);
    return applyFullConversion(func, legality, std::move(patterns));
  }
};

} // namespace
