#include "lib/Transforms/Tile/ExpandDescriptors.h"

#include "lib/Transforms/Tile/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEEXPANDDESCRIPTORS
#include "lib/Transforms/Tile/Passes.h.inc"
} // namespace tilewright::tile

namespace {

/// Emits the addresses of the elements of one block.
class BlockAddresses {
public:
  BlockAddresses(ImplicitLocOpBuilder &b, MakeDescriptorOp desc,
                 ValueRange offsets)
      : b(b), desc(desc), shape(desc.getResult().getType().getShape()) {
    for (auto [dim, offset] : llvm::enumerate(offsets))
      addDimension(dim, offset);
  }

  /// The addresses of the elements, and which of them are in bounds.
  Value pointers, mask;

private:
  Type tileOf(ArrayRef<int64_t> shape, Type element) const {
    return RankedTensorType::get(shape, element);
  }

  /// Broadcasts `line`, a tile along `dim`, to the whole block.
  Value spread(Value line, unsigned dim) {
    Type element = getElementTypeOrSelf(line.getType());
    SmallVector<int64_t> lineShape(shape.size(), 1);
    lineShape[dim] = shape[dim];
    if (shape.size() > 1)
      line = ReshapeOp::create(b, tileOf(lineShape, element), line);
    if (ArrayRef<int64_t>(lineShape) == shape)
      return line;
    return BroadcastOp::create(b, tileOf(shape, element), line);
  }

  void addDimension(unsigned dim, Value offset) {
    Type i64 = b.getI64Type();
    auto line = [&](Value scalar) -> Value {
      return SplatOp::create(b, tileOf({shape[dim]}, scalar.getType()), scalar);
    };
    Value steps =
        RangeOp::create(b, tileOf({shape[dim]}, b.getI32Type()), 0, shape[dim]);
    // In 64 bits, so that offset plus extent does not wrap.
    Value index = arith::AddIOp::create(
        b, line(arith::ExtSIOp::create(b, i64, offset)),
        arith::ExtSIOp::create(b, tileOf({shape[dim]}, i64), steps));
    Value zero = arith::ConstantOp::create(b, b.getI64IntegerAttr(0));
    Value inside = arith::AndIOp::create(
        b,
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, index, line(zero)),
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, index,
                              line(desc.getShape()[dim])));
    if (dim + 1 < shape.size())
      index = arith::MulIOp::create(b, index, line(desc.getStrides()[dim]));
    if (!pointers)
      pointers = SplatOp::create(b, tileOf(shape, desc.getBase().getType()),
                                 desc.getBase());
    pointers = AddPtrOp::create(b, pointers, spread(index, dim));
    inside = spread(inside, dim);
    mask = mask ? arith::AndIOp::create(b, mask, inside).getResult() : inside;
  }

  ImplicitLocOpBuilder &b;
  MakeDescriptorOp desc;
  ArrayRef<int64_t> shape;
};

} // namespace

/// Emits the value of elements that are out of bounds.
static Value emitPadding(ImplicitLocOpBuilder &b, MakeDescriptorOp desc) {
  RankedTensorType block = desc.getResult().getType().getBlockType();
  TypedAttr value = b.getZeroAttr(block.getElementType());
  if (desc.getPadding() == Padding::NaN) {
    auto type = cast<FloatType>(block.getElementType());
    value = FloatAttr::get(type, APFloat::getNaN(type.getFloatSemantics()));
  }
  return arith::ConstantOp::create(b, DenseElementsAttr::get(block, value));
}

template <typename OpT> static MakeDescriptorOp getDescriptor(OpT op) {
  return op.getDesc().template getDefiningOp<MakeDescriptorOp>();
}

static void expand(DescriptorLoadOp op, MakeDescriptorOp desc) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  BlockAddresses block(b, desc, op.getOffsets());
  Value loaded = LoadOp::create(b, op.getType(), block.pointers, block.mask,
                                emitPadding(b, desc));
  op.replaceAllUsesWith(loaded);
  op.erase();
}

static void expand(DescriptorStoreOp op, MakeDescriptorOp desc) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  BlockAddresses block(b, desc, op.getOffsets());
  if (std::optional<AtomicKind> kind = op.getReduction())
    AtomicRMWOp::create(b, *kind, MemorySemantic::Relaxed, MemoryScope::GPU,
                        block.pointers, op.getValue(), block.mask);
  else
    StoreOp::create(b, block.pointers, op.getValue(), block.mask);
  op.erase();
}

LogicalResult tile::expandDescriptorOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<DescriptorLoadOp, DescriptorStoreOp>([](auto op) {
        MakeDescriptorOp desc = getDescriptor(op);
        if (!desc)
          return failure();
        expand(op, desc);
        return success();
      })
      .Default([](Operation *) { return failure(); });
}

namespace {
struct ExpandDescriptors
    : tile::impl::TileExpandDescriptorsBase<ExpandDescriptors> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<DescriptorLoadOp, DescriptorStoreOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (failed(expandDescriptorOp(op))) {
        op->emitError("the descriptor must be made in the same kernel, not "
                      "chosen by a branch or a loop");
        return signalPassFailure();
      }
  }
};
} // namespace
