#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Facts/HostValues.h"
#include "lib/Analysis/Memory/MapStaging.h"
#include "lib/Analysis/Memory/TmaStorePlan.h"
#include "lib/Layout/TileLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_BINDTENSORMAPS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

namespace {

/// A use of a descriptor by a TMA op, and the copies of that op.
struct MapUse {
  OpOperand *descriptor;
  TmaPlan plan;
  /// The element type of the map. Only reductions tell unsigned integers from
  /// signed ones.
  Type element;

  /// Returns the box in the dimensions of the array. It has extent 1 in leading
  /// dimensions that the tile does not have.
  SmallVector<int64_t> getBox(tile::MakeDescriptorOp desc) const {
    unsigned rank = desc.getResult().getType().getRank();
    SmallVector<int64_t> box(rank - plan.box.size(), 1);
    llvm::append_range(box, plan.box);
    return box;
  }
  /// Whether one map serves both.
  bool copiesLike(const MapUse &other) const {
    return plan.box == other.plan.box &&
           plan.swizzleBytes == other.plan.swizzleBytes &&
           element == other.element &&
           isa<TmaStoreOp>(descriptor->getOwner()) ==
               isa<TmaStoreOp>(other.descriptor->getOwner());
  }
};

/// Adds arguments to one function for the tensor maps that the host makes.
class MapBinder {
public:
  explicit MapBinder(tile::FuncOp func) : func(func), b(func.getContext()) {}

  LogicalResult bind(const MapUse &use, tile::MakeDescriptorOp desc);
  void finish();

private:
  FailureOr<DictionaryAttr> describe(tile::MakeDescriptorOp desc,
                                     const MapUse &use);
  FailureOr<Attribute> program(Value value);
  FailureOr<Attribute> programs(ValueRange values);

  tile::FuncOp func;
  Builder b;
  SmallVector<Attribute> maps;
};

} // namespace

FailureOr<Attribute> MapBinder::program(Value value) {
  auto steps = getHostProgram(value);
  if (!steps)
    return emitError(value.getLoc(),
                     "the tensor memory accelerator needs to "
                     "know this value before the kernel starts");
  SmallVector<int64_t> pairs;
  for (HostStep step : *steps)
    pairs.append({step.kind, step.value});
  return Attribute(b.getDenseI64ArrayAttr(pairs));
}

FailureOr<Attribute> MapBinder::programs(ValueRange values) {
  SmallVector<Attribute> result;
  for (Value value : values) {
    FailureOr<Attribute> one = program(value);
    if (failed(one))
      return failure();
    result.push_back(*one);
  }
  return Attribute(b.getArrayAttr(result));
}

FailureOr<DictionaryAttr> MapBinder::describe(tile::MakeDescriptorOp desc,
                                              const MapUse &use) {
  FailureOr<Attribute> base = program(desc.getBase());
  FailureOr<Attribute> shape = programs(desc.getShape());
  FailureOr<Attribute> strides = programs(desc.getStrides());
  if (failed(base) || failed(shape) || failed(strides))
    return failure();
  auto named = [&](StringRef name, Attribute value) {
    return b.getNamedAttr(name, value);
  };
  return b.getDictionaryAttr(
      {named("base", *base),
       named("box", b.getDenseI64ArrayAttr(use.getBox(desc))),
       named("element", TypeAttr::get(use.element)),
       named("padding", b.getStringAttr(stringifyPadding(desc.getPadding()))),
       named("shape", *shape), named("strides", *strides),
       named("swizzle", b.getI32IntegerAttr(use.plan.swizzleBytes))});
}

LogicalResult MapBinder::bind(const MapUse &use, tile::MakeDescriptorOp desc) {
  FailureOr<DictionaryAttr> map = describe(desc, use);
  if (failed(map))
    return failure();
  auto found = llvm::find(maps, *map);
  unsigned number = found - maps.begin();
  unsigned first = func.getNumArguments() - maps.size();
  if (found == maps.end()) {
    maps.push_back(*map);
    (void)func.insertArgument(func.getNumArguments(),
                              TensorMapType::get(func.getContext()), {},
                              desc.getLoc());
  }
  use.descriptor->set(func.getArgument(first + number));
  return success();
}

/// Records the maps in an attribute for the launch.
void MapBinder::finish() {
  if (maps.empty())
    return;
  unsigned first = func.getNumArguments() - maps.size();
  for (auto [number, map] : llvm::enumerate(maps)) {
    NamedAttrList entries(cast<DictionaryAttr>(map));
    entries.set("argument", b.getI32IntegerAttr(first + number));
    map = entries.getDictionary(func.getContext());
  }
  func->setAttr(WarpDialect::kTensorMapsAttr, b.getArrayAttr(maps));
}

/// Returns the element type of the map of a store. Stores without a reduction
/// copy bits, so any type of the same width does. Reductions of integers use
/// the unsigned type, except signed maxima and minima: the others do not depend
/// on the sign, or TMA has them for unsigned integers only.
static Type getMapElement(TmaStoreOp store) {
  Type element = store.getSource().getType().getElementType();
  std::optional<tile::AtomicKind> reduction = store.getReduction();
  if (!reduction || !element.isInteger() ||
      *reduction == tile::AtomicKind::Max ||
      *reduction == tile::AtomicKind::Min)
    return element;
  return IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth(),
                          IntegerType::Unsigned);
}

/// Returns the use of a descriptor by `op`, if it is a TMA op.
static std::optional<MapUse> getMapUse(Operation *op) {
  if (auto load = dyn_cast<TmaLoadOp>(op)) {
    SharedType memory = load.getMemory().getType();
    Type element = memory.getElementType();
    return MapUse{&load.getMapMutable(),
                  *planTma(memory.getLayout().getLayout(),
                           8 * getElementBytes(element), load.getNumParts()),
                  element};
  }
  if (auto store = dyn_cast<TmaStoreOp>(op))
    return MapUse{&store.getMapMutable(),
                  TmaStorePlan::get(store.getSource().getType()).copies,
                  getMapElement(store)};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Maps that the device makes
//===----------------------------------------------------------------------===//

namespace {

/// Makes the maps of one role, each at its descriptor.
class MapMaker {
public:
  MapMaker(Value staging, bool check) : staging(staging), check(check) {}

  void add(const MapUse &use, tile::MakeDescriptorOp desc);
  void write(Block &role);

private:
  /// A map and its uses.
  struct Made {
    tile::MakeDescriptorOp desc;
    MapUse use;
    SmallVector<OpOperand *> users;
  };
  void write(const Made &map, unsigned index, Value memory);
  llvm::SetVector<Value> getRings() const;

  Value staging;
  bool check;
  SmallVector<Made> maps;
};

} // namespace

void MapMaker::add(const MapUse &use, tile::MakeDescriptorOp desc) {
  for (Made &map : maps)
    if (map.desc == desc && map.use.copiesLike(use)) {
      map.users.push_back(use.descriptor);
      return;
    }
  maps.push_back({desc, use, {use.descriptor}});
}

/// Returns the rings that copies through the maps of this role fill.
llvm::SetVector<Value> MapMaker::getRings() const {
  llvm::SetVector<Value> rings;
  for (const Made &map : maps)
    for (OpOperand *user : map.users)
      if (auto load = dyn_cast<TmaLoadOp>(user->getOwner()))
        if (auto slot = load.getMemory().getDefiningOp<RingAcquireOp>())
          rings.insert(slot.getRing());
  return rings;
}

/// Emits an assertion that a map can describe the array.
static void emitAlignmentCheck(ImplicitLocOpBuilder &b,
                               tile::MakeDescriptorOp desc) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  };
  int64_t bytes =
      desc.getResult().getType().getElementType().getIntOrFloatBitWidth() / 8;
  Value bits = tile::PtrToIntOp::create(b, b.getI64Type(), desc.getBase());
  for (Value stride : desc.getStrides())
    bits = arith::OrIOp::create(
        b, bits, arith::MulIOp::create(b, stride, constant(bytes)));
  Value isAligned = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq, arith::AndIOp::create(b, bits, constant(15)),
      constant(0));
  tile::AssertOp::create(
      b, isAligned,
      "the base of a tensor descriptor, and its strides in bytes, must be "
      "multiples of 16");
}

void MapMaker::write(const Made &map, unsigned index, Value memory) {
  tile::MakeDescriptorOp desc = map.desc;
  ImplicitLocOpBuilder b(desc.getLoc(), desc);
  b.setInsertionPointAfter(desc);
  if (check)
    emitAlignmentCheck(b, desc);
  Operation *first = map.users.front()->getOwner();
  Value made = MakeTensorMapOp::create(
      b, desc.getBase(), desc.getShape(), desc.getStrides(), memory, staging,
      index, map.use.getBox(desc), map.use.element, desc.getPadding(),
      map.use.plan.swizzleBytes, isa<TmaStoreOp>(first));
  for (OpOperand *user : map.users)
    user->set(made);
}

void MapMaker::write(Block &role) {
  if (maps.empty())
    return;
  ImplicitLocOpBuilder b(maps.front().desc.getLoc(), role.getParentOp());
  b.setInsertionPointToStart(&role);
  auto type = MapMemoryType::get(b.getContext(), maps.size());
  Value memory = AcquireMapMemoryOp::create(b, type);
  llvm::SetVector<Value> rings = getRings();
  auto drain = [&] {
    for (Value ring : rings)
      RingDrainOp::create(b, ring);
  };
  for (auto [index, map] : llvm::enumerate(maps)) {
    // Copies through the map of the previous iteration may be in flight.
    if (map.desc->getParentOp() != role.getParentOp()) {
      b.setInsertionPoint(map.desc);
      drain();
    }
    write(map, index, memory);
  }
  b.setInsertionPoint(role.getTerminator());
  drain();
  ReleaseMapMemoryOp::create(b, memory);
}

/// Creates the staging memory, before the roles, in which all roles build maps.
static Value createStaging(tile::FuncOp func, SpecializeOp roles) {
  OpBuilder b(roles);
  int64_t bytes = getMapStagingBytes(func);
  auto layout = LinearAttr::get(b.getContext(), sharedLayout({bytes}, {0}));
  auto type = SharedType::get(b.getContext(), {bytes}, b.getI8Type(), layout);
  return AllocOp::create(b, roles.getLoc(), type, Value());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct BindTensorMaps : warp::impl::BindTensorMapsBase<BindTensorMaps> {
  using BindTensorMapsBase::BindTensorMapsBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<tile::FuncOp>())
      if (failed(bind(func)))
        return signalPassFailure();
  }

  LogicalResult bind(tile::FuncOp func) {
    MapBinder host(func);
    llvm::MapVector<Block *, MapMaker> device;
    Value staging;
    WalkResult result = func.walk([&](Operation *op) -> WalkResult {
      std::optional<MapUse> use = getMapUse(op);
      if (!use || !isa<tile::DescType>(use->descriptor->get().getType()))
        return WalkResult::advance();
      auto desc =
          use->descriptor->get().getDefiningOp<tile::MakeDescriptorOp>();
      if (!desc)
        return op->emitError("the descriptor must be made in the same kernel");
      auto role = SpecializeOp::getRole(op->getBlock());
      if (isHostKnown(desc) || !role)
        return host.bind(*use, desc);
      if (!staging)
        staging = createStaging(func, role->first);
      Block *block = &role->first.getRoles()[role->second].front();
      device.try_emplace(block, staging, check).first->second.add(*use, desc);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    host.finish();
    for (auto &[role, maps] : device)
      maps.write(*role);
    return success();
  }
};
} // namespace
