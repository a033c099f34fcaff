// Turns pointer accesses to a block of an array into descriptor accesses.

#include "lib/Transforms/TileGpu/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Memory/ArrayAccess.h"
#include "lib/Analysis/Memory/TmaAccess.h"
#include "lib/Analysis/Memory/TmaCoordClamp.h"
#include "lib/Analysis/Mma/UpcastOperands.h"
#include "lib/Analysis/Target/TargetOptions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tilewright;
using llvm::StringRef;

namespace tilewright::tile_gpu {
#define GEN_PASS_DEF_FORMDESCRIPTORS
#include "lib/Transforms/TileGpu/Passes.h.inc"
} // namespace tilewright::tile_gpu

static constexpr auto kBlockRemark = remark::RemarkOpts::name("BlockOfArray")
                                         .category("tile-gpu-form-descriptors");

/// Size of a dimension that no mask limits: greater than any coordinate.
static constexpr int64_t kUnlimited = INT32_MAX;

/// Greater than any extent of a tensor map.
static constexpr int64_t kBeyondMaps = int64_t(1) << 40;

namespace {

/// A load in both forms.
struct FormedLoad {
  tile::LoadOp pointers;
  tile::DescriptorLoadOp block;
  /// The loaded block with the dimensions of the tile. All users use it now.
  Value tile;
};

/// A store, or an atomic operation with an unused result, in both forms. Only
/// one of them is in the function.
struct FormedStore {
  Operation *pointers;
  tile::DescriptorStoreOp block;
};

/// Emits a descriptor of a block, and an access to the block, before `op`.
class BlockWriter {
public:
  BlockWriter(Operation *op, const ArrayBlock &block)
      : block(block), b(op->getLoc(), op) {}

  FormedLoad write(tile::LoadOp load);
  tile::DescriptorStoreOp write(tile::StoreOp store) {
    return writeStore(store.getValue(), tile::AtomicKindAttr());
  }
  tile::DescriptorStoreOp write(tile::AtomicRMWOp atomic) {
    return writeStore(atomic.getValue(), atomic.getKindAttr());
  }

private:
  tile::DescriptorStoreOp writeStore(Value value,
                                     tile::AtomicKindAttr reduction);
  TypedValue<tile::DescType> emitDescriptor();
  SmallVector<Value> emitOffsets();
  Value emitOffset(const ArrayDimension &dim);
  Value invalidateUnlessAssumed(Value size);
  Value restoreDimensions(Value loaded, RankedTensorType type);

  const ArrayBlock &block;
  ImplicitLocOpBuilder b;
};

} // namespace

/// Returns `size`, or an extent that no tensor map has if an assumption fails
/// at run time:
/// 1. An argument that is assumed to be a size is negative.
/// 2. A dimension is longer than coordinates reach.
/// The host can not encode a tensor map then and launches the kernel that was
/// compiled without it.
Value BlockWriter::invalidateUnlessAssumed(Value size) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  };
  Value least;
  auto requireNonNegative = [&](Value number) {
    least = least ? arith::MinSIOp::create(b, least, number) : number;
  };
  for (Value argument : block.sizes) {
    if (argument.getType() != b.getI64Type())
      argument = arith::ExtSIOp::create(b, b.getI64Type(), argument);
    requireNonNegative(argument);
  }
  for (const ArrayDimension &dim : block.dims)
    if (dim.size && dim.isWide)
      requireNonNegative((Polynomial(kClampedCoord) - *dim.size)
                             .emit(b, b.getLoc(), b.getI64Type()));
  if (!least)
    return size;
  Value less = arith::MinSIOp::create(b, least, constant(0));
  Value one = arith::MaxSIOp::create(b, less, constant(-1));
  Value excess = arith::MulIOp::create(b, one, constant(kBeyondMaps));
  return arith::SubIOp::create(b, size, excess);
}

TypedValue<tile::DescType> BlockWriter::emitDescriptor() {
  IntegerType i64 = b.getI64Type();
  SmallVector<Value> shape, strides;
  SmallVector<int64_t> extents;
  for (const ArrayDimension &dim : block.dims) {
    extents.push_back(dim.extent);
    shape.push_back(
        dim.size.value_or(Polynomial(kUnlimited)).emit(b, b.getLoc(), i64));
    strides.push_back(dim.stride.emit(b, b.getLoc(), i64));
  }
  strides.pop_back();
  shape.front() = invalidateUnlessAssumed(shape.front());
  Value base = block.base;
  if (!block.shift.isZero())
    base =
        tile::AddPtrOp::create(b, base, block.shift.emit(b, b.getLoc(), i64));
  auto type =
      tile::DescType::get(b.getContext(), extents,
                          cast<tile::PtrType>(base.getType()).getPointee());
  return tile::MakeDescriptorOp::create(b, type, base, shape, strides,
                                        tile::Padding::Zero,
                                        /*aligned=*/false);
}

/// Computes a coordinate that may exceed 32 bits in 64 bits and clamps it.
Value BlockWriter::emitOffset(const ArrayDimension &dim) {
  bool isNarrow = !dim.isWide && dim.offset.allOf([](Value value) {
    return value.getType().getIntOrFloatBitWidth() <= 32;
  });
  if (isNarrow)
    return dim.offset.emit(b, b.getLoc(), b.getI32Type());
  return clampCoord(b, b.getLoc(),
                    dim.offset.emit(b, b.getLoc(), b.getI64Type()));
}

/// Reshapes and transposes the block to the dimensions of the tile.
Value BlockWriter::restoreDimensions(Value loaded, RankedTensorType type) {
  if (block.dims.size() != block.order.size()) {
    SmallVector<int64_t> shape;
    for (int32_t dim : block.order)
      shape.push_back(type.getDimSize(dim));
    loaded = tile::ReshapeOp::create(b, type.clone(shape), loaded);
  }
  if (llvm::is_sorted(block.order))
    return loaded;
  SmallVector<int32_t> order(block.order.size());
  for (auto [number, dim] : llvm::enumerate(block.order))
    order[dim] = number;
  return tile::TransposeOp::create(b, type, loaded, order);
}

SmallVector<Value> BlockWriter::emitOffsets() {
  SmallVector<Value> offsets;
  for (const ArrayDimension &dim : block.dims)
    offsets.push_back(emitOffset(dim));
  return offsets;
}

FormedLoad BlockWriter::write(tile::LoadOp load) {
  TypedValue<tile::DescType> desc = emitDescriptor();
  auto loaded = tile::DescriptorLoadOp::create(b, desc.getType().getBlockType(),
                                               desc, emitOffsets());
  Value tile =
      restoreDimensions(loaded, cast<RankedTensorType>(load.getType()));
  load.getResult().replaceAllUsesWith(tile);
  return {load, loaded, tile};
}

tile::DescriptorStoreOp
BlockWriter::writeStore(Value value, tile::AtomicKindAttr reduction) {
  TypedValue<tile::DescType> desc = emitDescriptor();
  if (block.dims.size() != block.order.size())
    value = tile::ReshapeOp::create(b, desc.getType().getBlockType(), value);
  return tile::DescriptorStoreOp::create(b, desc, emitOffsets(), value,
                                         reduction);
}

/// Sets `block` if the access is to a block of an array. Otherwise returns the
/// reason why it is not.
static StringRef findBlock(Value pointers, Value mask,
                           ArrayAccessAnalysis &accesses,
                           std::optional<ArrayBlock> &block) {
  constexpr size_t kMaxRank = 5;
  Type element = tile::getPointeeType(pointers.getType());
  if (auto tile = dyn_cast<RankedTensorType>(element))
    element = tile.getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8)
    return "it loads pointers";
  StringRef reason;
  block = accesses.get(pointers, mask, reason);
  if (block && block->dims.size() > kMaxRank)
    return "the array has more than five dimensions";
  return reason;
}

static StringRef describe(tile::LoadOp load, ArrayAccessAnalysis &accesses,
                          std::optional<ArrayBlock> &block) {
  if (load.getIsVolatile())
    return "it is volatile";
  if (!load.fillsWithZero())
    return "masked-off elements are not zero";
  return findBlock(load.getPtr(), load.getMask(), accesses, block);
}

/// Whether `atomic` is the only write of the program. It could then order only
/// the reads of the program, and its value depends on those.
static bool isOnlyWrite(tile::AtomicRMWOp atomic) {
  if (atomic->getParentOfType<LoopLikeOpInterface>())
    return false;
  WalkResult others =
      atomic->getParentOfType<tile::FuncOp>().walk([&](Operation *op) {
        bool writes = isa<tile::StoreOp, tile::DescriptorStoreOp,
                          tile::AtomicRMWOp, tile::AtomicCASOp>(op);
        return writes && op != atomic ? WalkResult::interrupt()
                                      : WalkResult::advance();
      });
  return !others.wasInterrupted();
}

/// Returns why a combining copy can not replace the access; empty if it can.
/// Such copies are atomic per element and not ordered with other accesses.
static StringRef getObstacle(tile::StoreOp) { return {}; }
static StringRef getObstacle(tile::AtomicRMWOp atomic) {
  if (!atomic->use_empty())
    return "its result is used";
  if (atomic.getSem() != tile::MemorySemantic::Relaxed && !isOnlyWrite(atomic))
    return "it is not relaxed, so it is ordered with other writes of the "
           "program";
  if (atomic.getScope() == tile::MemoryScope::System)
    return "its scope includes other devices";
  return atomic.getKind() == tile::AtomicKind::Xchg
             ? "it exchanges elements instead of combining them"
             : "";
}

template <typename OpT>
static StringRef describe(OpT store, ArrayAccessAnalysis &accesses,
                          std::optional<ArrayBlock> &block) {
  StringRef reason = getObstacle(store);
  if (reason.empty())
    reason = findBlock(store.getPtr(), store.getMask(), accesses, block);
  if (reason.empty() && !llvm::is_sorted(block->order))
    return "it stores columns";
  return reason;
}

static void remarkFormed(Operation *op, tile::DescType type) {
  remark::passed(op->getLoc(), kBlockRemark) << remark::add(
      "pointers and mask address a block of an array: {0}", type);
}

/// Remarks at each dot why threads load its operands.
static void remarkLeft(tile::FuncOp func, StringRef reason) {
  func.walk([&](tile::DotOp dot) {
    remark::missed(dot.getLoc(), kBlockRemark)
        << remark::add("its operands are loaded by threads: {0}", reason);
  });
}

/// Whether there is a single program that executes each load once. A tensor map
/// then costs the launch more than copies save.
static bool loadsOnce(tile::FuncOp func) {
  WalkResult found = func.walk([](Operation *op) {
    return isa<tile::ProgramIdOp, LoopLikeOpInterface>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return !found.wasInterrupted();
}

namespace {
struct FormDescriptors : tile_gpu::impl::FormDescriptorsBase<FormDescriptors> {
  using FormDescriptorsBase::FormDescriptorsBase;

  void runOnOperation() override {
    if (failed(checkNumWarps(getOperation(), numWarps)))
      return signalPassFailure();
    for (auto func : getOperation().getOps<tile::FuncOp>())
      form(func);
  }

  void form(tile::FuncOp func) {
    NvidiaTarget target{computeCapability, archSpecific};
    if (!target.hasWgmma() || warp::isExplicit(func) ||
        func->hasAttr(warp::WarpDialect::kOrderedAttr))
      return;
    if (loadsOnce(func))
      return remarkLeft(func,
                        "there is one program, which loads each block once");
    if (fitsMoreCtasWithoutProducer(func, numWarps, numStages, target))
      return remarkLeft(func, "without a producer one more CTA fits per SM");
    ArrayAccessAnalysis accesses(func);
    SmallVector<FormedLoad> formed;
    auto isOperand = [&](tile::LoadOp load) {
      return feedsWgmma(load.getResult(), numWarps, target);
    };
    for (auto &[load, block] : collect<tile::LoadOp>(func, accesses, isOperand))
      formed.push_back(BlockWriter(load, block).write(load));
    if (!keepServed(func, formed, target))
      return;
    SmallVector<FormedStore> stores;
    auto addStores = [&](auto op) {
      using OpT = decltype(op);
      auto isMatrix = [](OpT store) {
        auto type = dyn_cast<RankedTensorType>(store.getValue().getType());
        return type && type.getRank() == 2;
      };
      for (auto &[store, block] : collect<OpT>(func, accesses, isMatrix))
        stores.push_back({store, BlockWriter(store, block).write(store)});
    };
    addStores(tile::StoreOp());
    addStores(tile::AtomicRMWOp());
    // Removed, so that they do not count as other accesses to the same array.
    for (FormedStore store : stores)
      store.pointers->remove();
    keepServed(func, std::move(stores), target);
  }

  /// Returns the accesses to blocks of arrays for which `isWanted` is true.
  template <typename OpT>
  SmallVector<std::pair<OpT, ArrayBlock>, 0>
  collect(tile::FuncOp func, ArrayAccessAnalysis &accesses,
          function_ref<bool(OpT)> isWanted) {
    SmallVector<std::pair<OpT, ArrayBlock>, 0> found;
    func.walk([&](OpT op) {
      if (!isWanted(op))
        return;
      std::optional<ArrayBlock> block;
      StringRef reason = describe(op, accesses, block);
      if (reason.empty())
        found.push_back({op, std::move(*block)});
      else
        remark::missed(op.getLoc(), kBlockRemark)
            << remark::add("not a block of an array: {0}", reason);
    });
    return found;
  }

  /// Restores the stores that TMA can not do, until no store is an obstacle to
  /// another.
  void keepServed(tile::FuncOp func, SmallVector<FormedStore> formed,
                  const NvidiaTarget &target) {
    SmallVector<TmaStore> served;
    do {
      SmallVector<TmaObstacle> obstacles;
      served = findTmaStores(func, target, obstacles);
      for (const TmaObstacle &obstacle : obstacles)
        for (FormedStore store : formed)
          if (obstacle.op == store.block)
            remarkTmaObstacles(obstacle, "tile-gpu-form-descriptors");
    } while (revert(formed, served));
    for (FormedStore store : formed) {
      remarkFormed(store.block, store.block.getDesc().getType());
      store.pointers->destroy();
    }
  }

  /// Restores the stores that are not in `served`. Returns whether there were
  /// any.
  static bool revert(SmallVector<FormedStore> &formed,
                     ArrayRef<TmaStore> served) {
    size_t count = formed.size();
    llvm::erase_if(formed, [&](FormedStore store) {
      if (llvm::any_of(served,
                       [&](TmaStore own) { return own.op == store.block; }))
        return false;
      OpBuilder(store.block).insert(store.pointers);
      store.block.erase();
      return true;
    });
    return formed.size() != count;
  }

  /// Restores the loads that no producer will issue. Returns whether there is a
  /// load for a producer.
  bool keepServed(tile::FuncOp func, ArrayRef<FormedLoad> formed,
                  const NvidiaTarget &target) {
    SmallVector<TmaObstacle> obstacles;
    auto served = findTmaLoads(func, numWarps, target, obstacles);
    for (FormedLoad load : formed)
      if (llvm::is_contained(served, load.block)) {
        remarkFormed(load.block, load.block.getDesc().getType());
        load.pointers.erase();
      } else {
        load.tile.replaceAllUsesWith(load.pointers.getResult());
      }
    remarkTmaObstacles(obstacles, "tile-gpu-form-descriptors");
    return !served.empty();
  }
};
} // namespace
