// Splits memory accesses. Each piece is accessed on its own, with its padding
// masked off.

#include "lib/Transforms/TileGpu/SplitBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;
using namespace tilewright::tile_gpu;

/// Returns piece `index` of an optional operand, or null.
static Value getOptional(ValueRange parts, size_t index) {
  return parts.empty() ? Value() : getPiece(parts, index);
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

namespace {

struct SplitLoad : PiecePattern<tile::LoadOp> {
  using PiecePattern::PiecePattern;

  LogicalResult
  matchAndRewrite(tile::LoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> results;
    for (auto [index, piece] :
         llvm::enumerate(pieces.getPieces(op.getType()))) {
      auto load = tile::LoadOp::create(
          b, getPiece(adaptor.getPtr(), index),
          emitMask(b, getOptional(adaptor.getMask(), index), piece),
          getOptional(adaptor.getOther(), index), op.getCache(),
          op.getEviction(), op.getIsVolatile());
      load->setDiscardableAttrs(getAttributes(op, piece.getShape()));
      results.push_back(load);
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

struct SplitStore : PiecePattern<tile::StoreOp> {
  using PiecePattern::PiecePattern;

  LogicalResult
  matchAndRewrite(tile::StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    for (auto [index, piece] :
         llvm::enumerate(pieces.getPieces(op.getPtr().getType())))
      tile::StoreOp::create(
          b, getPiece(adaptor.getPtr(), index),
          getPiece(adaptor.getValue(), index),
          emitMask(b, getOptional(adaptor.getMask(), index), piece),
          op.getCache(), op.getEviction());
    rewriter.eraseOp(op);
    return success();
  }
};

struct SplitAtomicRMW : PiecePattern<tile::AtomicRMWOp> {
  using PiecePattern::PiecePattern;

  LogicalResult
  matchAndRewrite(tile::AtomicRMWOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> results;
    for (auto [index, piece] : llvm::enumerate(pieces.getPieces(op.getType())))
      results.push_back(tile::AtomicRMWOp::create(
          b, op.getKind(), op.getSem(), op.getScope(),
          getPiece(adaptor.getPtr(), index),
          getPiece(adaptor.getValue(), index),
          emitMask(b, getOptional(adaptor.getMask(), index), piece)));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

struct SplitAtomicCAS : PiecePattern<tile::AtomicCASOp> {
  using PiecePattern::PiecePattern;

  LogicalResult
  matchAndRewrite(tile::AtomicCASOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> results;
    for (auto [index, piece] : llvm::enumerate(pieces.getPieces(op.getType())))
      results.push_back(tile::AtomicCASOp::create(
          b, op.getSem(), op.getScope(), getPiece(adaptor.getPtr(), index),
          getPiece(adaptor.getCompare(), index),
          getPiece(adaptor.getValue(), index),
          emitMask(b, getOptional(adaptor.getMask(), index), piece)));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

/// Emits a descriptor of the array of `desc` with blocks of the shape of
/// `piece`.
static Value emitDescriptor(ImplicitLocOpBuilder &b,
                            tile::MakeDescriptorOp desc, const Piece &piece) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(desc);
  auto type = tile::DescType::get(b.getContext(), piece.getShape(),
                                  desc.getResult().getType().getElementType());
  return tile::MakeDescriptorOp::create(b, type, desc.getBase(),
                                        desc.getShape(), desc.getStrides(),
                                        desc.getPadding(), desc.getAligned());
}

static SmallVector<Value> emitOffsets(ImplicitLocOpBuilder &b,
                                      ValueRange offsets, const Piece &piece) {
  SmallVector<Value> moved;
  for (auto [offset, segment] : llvm::zip(offsets, piece.segments)) {
    Value start =
        arith::ConstantOp::create(b, b.getI32IntegerAttr(segment.start));
    moved.push_back(segment.start == 0
                        ? offset
                        : arith::AddIOp::create(b, offset, start).getResult());
  }
  return moved;
}

namespace {

/// Elements past the block may be read: padding may have any value.
struct SplitDescriptorLoad : PiecePattern<tile::DescriptorLoadOp> {
  using PiecePattern::PiecePattern;

  LogicalResult
  matchAndRewrite(tile::DescriptorLoadOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto desc = op.getDesc().getDefiningOp<tile::MakeDescriptorOp>();
    SmallVector<Value> results;
    for (const Piece &piece : pieces.getPieces(op.getType()))
      results.push_back(tile::DescriptorLoadOp::create(
          b, getPieceType(op.getType(), piece), emitDescriptor(b, desc, piece),
          emitOffsets(b, op.getOffsets(), piece)));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

/// Handles blocks without padding only: nothing past a block may be written.
/// expandPaddedStores has expanded the other stores.
struct SplitDescriptorStore : PiecePattern<tile::DescriptorStoreOp> {
  using PiecePattern::PiecePattern;

  LogicalResult
  matchAndRewrite(tile::DescriptorStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto desc = op.getDesc().getDefiningOp<tile::MakeDescriptorOp>();
    for (auto [piece, value] : llvm::zip(
             pieces.getPieces(op.getValue().getType()), adaptor.getValue()))
      tile::DescriptorStoreOp::create(b, emitDescriptor(b, desc, piece),
                                      emitOffsets(b, op.getOffsets(), piece),
                                      value, op.getReductionAttr());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tile_gpu::populateSplitMemory(const PieceConverter &pieces,
                                   RewritePatternSet &patterns) {
  patterns.add<SplitLoad, SplitStore, SplitAtomicRMW, SplitAtomicCAS,
               SplitDescriptorLoad, SplitDescriptorStore>(
      pieces, patterns.getContext());
}
