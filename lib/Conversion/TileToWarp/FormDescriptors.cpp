// Loads through pointers that read a block of an array, as loads from a
// descriptor.

#include "lib/Conversion/TileToWarp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/ArrayAccess.h"
#include "lib/Analysis/TmaLoads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using llvm::StringRef;

namespace tilewright::warp {
#define GEN_PASS_DEF_FORMDESCRIPTORS
#include "lib/Conversion/TileToWarp/Passes.h.inc"
} // namespace tilewright::warp

/// The size of a dimension that no mask limits: more than any place.
static constexpr int64_t kUnlimited = INT32_MAX;

/// Whether masked-off elements are zero, as those out of bounds are.
static bool fillsWithZero(tile::LoadOp load) {
  return !load.getOther() || matchPattern(load.getOther(), m_Zero()) ||
         matchPattern(load.getOther(), m_AnyZeroFloat());
}

namespace {

/// A load in both forms.
struct FormedLoad {
  tile::LoadOp pointers;
  tile::DescriptorLoadOp block;
  /// The block in the dimensions of the tile, which all users see now.
  Value tile;
};

/// Writes a block as a descriptor and a load from it.
class BlockWriter {
public:
  BlockWriter(tile::LoadOp load, const ArrayBlock &block)
      : load(load), block(block), b(load.getLoc(), load) {}

  FormedLoad write();

private:
  Value emitDescriptor();
  Value emitOffset(const Polynomial &offset);
  Value restoreDimensions(Value loaded);

  tile::LoadOp load;
  const ArrayBlock &block;
  ImplicitLocOpBuilder b;
};

} // namespace

Value BlockWriter::emitDescriptor() {
  IntegerType i64 = b.getI64Type();
  SmallVector<Value> shape, strides;
  SmallVector<int64_t> sides;
  for (const ArrayDimension &dim : block.dims) {
    sides.push_back(dim.side);
    shape.push_back(
        dim.size.value_or(Polynomial(kUnlimited)).emit(b, b.getLoc(), i64));
    strides.push_back(dim.stride.emit(b, b.getLoc(), i64));
  }
  strides.pop_back();
  Value base = block.base;
  if (!block.shift.isZero())
    base =
        tile::AddPtrOp::create(b, base, block.shift.emit(b, b.getLoc(), i64));
  auto type = tile::DescType::get(
      b.getContext(), sides, cast<tile::PtrType>(base.getType()).getPointee());
  return tile::MakeDescriptorOp::create(b, type, base, shape, strides,
                                        tile::Padding::Zero);
}

/// A place that 32 bits do not hold is out of bounds, and stays so.
Value BlockWriter::emitOffset(const Polynomial &offset) {
  bool isNarrow = offset.allOf([](Value value) {
    return value.getType().getIntOrFloatBitWidth() <= 32;
  });
  if (isNarrow)
    return offset.emit(b, b.getLoc(), b.getI32Type());
  Value wide = offset.emit(b, b.getLoc(), b.getI64Type());
  Value most = arith::ConstantOp::create(b, b.getI64IntegerAttr(kUnlimited));
  return arith::TruncIOp::create(b, b.getI32Type(),
                                 arith::MinSIOp::create(b, wide, most));
}

/// From the block's dimensions to those of the tile.
Value BlockWriter::restoreDimensions(Value loaded) {
  auto type = cast<RankedTensorType>(load.getType());
  if (block.dims.size() != block.order.size()) {
    SmallVector<int64_t> sides;
    for (int32_t dim : block.order)
      sides.push_back(type.getDimSize(dim));
    loaded = tile::ReshapeOp::create(b, type.clone(sides), loaded);
  }
  if (llvm::is_sorted(block.order))
    return loaded;
  SmallVector<int32_t> order(block.order.size());
  for (auto [number, dim] : llvm::enumerate(block.order))
    order[dim] = number;
  return tile::TransposeOp::create(b, type, loaded, order);
}

FormedLoad BlockWriter::write() {
  Value desc = emitDescriptor();
  SmallVector<Value> offsets;
  for (const ArrayDimension &dim : block.dims)
    offsets.push_back(emitOffset(dim.offset));
  auto type = cast<tile::DescType>(desc.getType());
  auto loaded =
      tile::DescriptorLoadOp::create(b, type.getBlockType(), desc, offsets);
  Value tile = restoreDimensions(loaded);
  load.getResult().replaceAllUsesWith(tile);
  return {load, loaded, tile};
}

/// Why `load` can not become a load from a descriptor; empty if `block` says
/// what it reads.
static StringRef describe(tile::LoadOp load, ArrayAccessAnalysis &accesses,
                          std::optional<ArrayBlock> &block) {
  constexpr size_t kMaxRank = 5;
  if (load.getIsVolatile())
    return "it is volatile";
  if (!fillsWithZero(load))
    return "masked-off elements are not zero";
  Type element = cast<RankedTensorType>(load.getType()).getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8)
    return "it loads pointers";
  StringRef reason;
  block = accesses.get(load.getPtr(), load.getMask(), reason);
  if (block && block->dims.size() > kMaxRank)
    return "the array has more than five dimensions";
  return reason;
}

namespace {
struct FormDescriptors : warp::impl::FormDescriptorsBase<FormDescriptors> {
  using FormDescriptorsBase::FormDescriptorsBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<tile::FuncOp>())
      form(func);
  }

  void form(tile::FuncOp func) {
    NvidiaTarget target{computeCapability, archSpecific};
    if (!target.hasWgmma())
      return;
    ArrayAccessAnalysis accesses(func);
    SmallVector<std::pair<tile::LoadOp, ArrayBlock>, 0> found;
    func.walk([&](tile::LoadOp load) {
      if (!feedsWgmma(load.getResult(), numWarps, target))
        return;
      std::optional<ArrayBlock> block;
      StringRef reason = describe(load, accesses, block);
      if (reason.empty())
        found.push_back({load, std::move(*block)});
      else if (remarks)
        load.emitRemark("not a block of an array: ") << reason;
    });
    SmallVector<FormedLoad> formed;
    for (auto &[load, block] : found)
      formed.push_back(BlockWriter(load, block).write());
    keepServed(func, formed, target);
  }

  /// What no producer will load had better stay as it was.
  void keepServed(tile::FuncOp func, ArrayRef<FormedLoad> formed,
                  const NvidiaTarget &target) {
    SmallVector<TmaObstacle> obstacles;
    auto served = findTmaLoads(func, numWarps, target, obstacles);
    for (FormedLoad load : formed)
      if (llvm::is_contained(served, load.block))
        load.pointers.erase();
      else
        load.tile.replaceAllUsesWith(load.pointers.getResult());
    if (remarks)
      for (const TmaObstacle &obstacle : obstacles)
        obstacle.op->emitRemark("not copied by the tensor memory accelerator: ")
            << obstacle.reason;
  }
};
} // namespace
