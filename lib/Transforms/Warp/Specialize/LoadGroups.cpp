#include "lib/Transforms/Warp/Specialize/LoadGroups.h"

#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Layout/LayoutConversion.h"
#include "lib/Layout/MatrixAccess.h"
#include "lib/Layout/TmaTiling.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Whether `reshape` only drops leading dimensions of size 1.
static bool dropsLeadingOnes(tile::ReshapeOp reshape) {
  ArrayRef<int64_t> from = reshape.getSource().getType().getShape();
  ArrayRef<int64_t> to = cast<RankedTensorType>(reshape.getType()).getShape();
  return from.size() > to.size() && from.take_back(to.size()) == to;
}

static Value dropLeadingOnes(Value tile) {
  if (!tile.hasOneUse())
    return tile;
  auto reshape = dyn_cast<tile::ReshapeOp>(*tile.user_begin());
  return reshape && dropsLeadingOnes(reshape) ? reshape.getResult() : tile;
}

SmallVector<AllocOp> TmaLoad::getServed() const {
  SmallVector<AllocOp> served;
  for (Operation *user : tile.getUsers())
    if (auto alloc = dyn_cast<AllocOp>(user);
        alloc && alloc.getType() == memory)
      served.push_back(alloc);
  return served;
}

/// Whether threads read whole words of a tile in `memory` as they hold it, be
/// it by instructions for matrices.
static bool isReadInWords(RankedTensorType tile, const LinearLayout &memory) {
  constexpr int64_t kLeastBytes = 4;
  LinearLayout held = *getLayout(tile);
  unsigned bytes = getElementBytes(tile.getElementType());
  if (bytes << countConsecutiveRegisterBits(held, memory) >= kLeastBytes)
    return true;
  held = held.dropRedundantBits(LayoutAxis::Register);
  return !tile.getElementType().isInteger(1) &&
         planMatrixAccess(getSharedAccess(held, memory, bytes).offsets, bytes);
}

SmallVector<ConvertLayoutOp> TmaLoad::getReadInstead() const {
  SmallVector<ConvertLayoutOp> converts;
  for (Operation *user : tile.getUsers()) {
    auto convert = dyn_cast<ConvertLayoutOp>(user);
    if (convert &&
        isReadInWords(convert.getType(), memory.getLayout().getLayout()))
      converts.push_back(convert);
  }
  return converts;
}

/// The memory that `tile` is brought to: what a product reads it from, if it
/// can be brought there.
static SharedType chooseMemory(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  unsigned bits = type.getElementTypeBitWidth();
  for (Operation *user : tile.getUsers())
    if (auto alloc = dyn_cast<AllocOp>(user))
      if (planTma(alloc.getType().getLayout().getLayout(), bits))
        return alloc.getType();
  return SharedType::get(
      type.getContext(), type.getShape(), type.getElementType(),
      LinearAttr::get(type.getContext(), *tmaLayout(type.getShape(), bits)));
}

static TmaLoad describe(tile::DescriptorLoadOp load) {
  Value tile = dropLeadingOnes(load.getResult());
  return {load, tile, chooseMemory(tile)};
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The products that read `load` from shared memory, those of threads piece by
/// piece.
static llvm::SmallPtrSet<Operation *, 4> getDots(const TmaLoad &load) {
  llvm::SmallPtrSet<Operation *, 4> products;
  for (AllocOp alloc : load.getServed())
    for (Operation *user : getTileUsers(alloc))
      if (isa<WgmmaOp>(user))
        products.insert(user);
      else if (isa<LocalLoadOp>(user))
        for (Operation *reader : user->getUsers())
          if (isa<tile::DotOp>(reader))
            products.insert(reader);
  return products;
}

bool warp::releases(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        auto order = tile::getProgramOrder(inner);
        return order && tile::releases(*order) ? WalkResult::interrupt()
                                               : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether nothing that stands between two loads of a block is told of the
/// first.
static bool standTogether(Operation *load, Operation *later) {
  for (; load != later; load = load->getNextNode())
    if (releases(load))
      return false;
  return true;
}

/// Both operands of a product come together, and so do those of several
/// products that share one.
static bool belongTogether(const LoadGroup &group, const TmaLoad &load) {
  if (group.getBlock() != load.load->getBlock() ||
      !standTogether(group.loads.front().load, load.load))
    return false;
  auto products = getDots(load);
  return llvm::any_of(group.loads, [&](const TmaLoad &other) {
    return llvm::any_of(getDots(other), [&](Operation *product) {
      return products.contains(product);
    });
  });
}

SmallVector<LoadGroup> warp::collectGroups(tile::FuncOp func) {
  SmallVector<LoadGroup> groups;
  func.walk([&](tile::DescriptorLoadOp op) {
    TmaLoad load = describe(op);
    LoadGroup joined;
    llvm::erase_if(groups, [&](LoadGroup &group) {
      bool joins = belongTogether(group, load);
      if (joins)
        llvm::append_range(joined.loads, group.loads);
      return joins;
    });
    joined.loads.push_back(load);
    groups.push_back(std::move(joined));
  });
  return groups;
}

SmallVector<SharedType> LoadGroup::getTiles() const {
  SmallVector<SharedType> tiles;
  for (const TmaLoad &load : loads)
    tiles.push_back(load.memory);
  return tiles;
}
