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

/// Whether threads can read whole words of a tile in `memory` in its register
/// layout, if need be by ldmatrix.
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

/// Returns the type of the slot tile: the layout that a dot reads, if TMA can
/// write it, else a default layout of TMA.
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

/// Returns the dots that read `load` from shared memory, directly or through
/// loads of the threads.
static llvm::SmallPtrSet<Operation *, 4> getDots(const TmaLoad &load) {
  llvm::SmallPtrSet<Operation *, 4> dots;
  for (AllocOp alloc : load.getServed())
    for (Operation *user : getTileUsers(alloc))
      if (isa<WgmmaOp>(user))
        dots.insert(user);
      else if (isa<LocalLoadOp>(user))
        for (Operation *reader : user->getUsers())
          if (isa<tile::DotOp>(reader))
            dots.insert(reader);
  return dots;
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

/// Whether no op between two loads of a block releases the first one.
static bool canArriveTogether(Operation *load, Operation *later) {
  for (; load != later; load = load->getNextNode())
    if (releases(load))
      return false;
  return true;
}

/// Whether `load` belongs to `group`: the same dot reads it and a load of the
/// group.
static bool belongTogether(const LoadGroup &group, const TmaLoad &load) {
  if (group.getBlock() != load.load->getBlock() ||
      !canArriveTogether(group.loads.front().load, load.load))
    return false;
  auto dots = getDots(load);
  return llvm::any_of(group.loads, [&](const TmaLoad &other) {
    return llvm::any_of(getDots(other),
                        [&](Operation *dot) { return dots.contains(dot); });
  });
}

SmallVector<LoadGroup> warp::collectGroups(tile::FuncOp func) {
  SmallVector<LoadGroup> groups;
  func.walk([&](tile::DescriptorLoadOp op) {
    TmaLoad load = describe(op);
    LoadGroup merged;
    llvm::erase_if(groups, [&](LoadGroup &group) {
      bool belongs = belongTogether(group, load);
      if (belongs)
        llvm::append_range(merged.loads, group.loads);
      return belongs;
    });
    merged.loads.push_back(load);
    groups.push_back(std::move(merged));
  });
  return groups;
}

SmallVector<SharedType> LoadGroup::getTiles() const {
  SmallVector<SharedType> tiles;
  for (const TmaLoad &load : loads)
    tiles.push_back(load.memory);
  return tiles;
}
