#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/HostValues.h"
#include "lib/Analysis/TmaStorePlan.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_BINDTENSORMAPS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

namespace {

/// A descriptor that an op names, and how it copies blocks of the array.
struct MapUse {
  OpOperand *descriptor;
  TmaPlan plan;
  /// What the map says of the elements: where they are combined, unsigned
  /// integers are some of their own.
  Type element;
};

/// Gives one function its maps.
class MapBinder {
public:
  explicit MapBinder(tile::FuncOp func) : func(func), b(func.getContext()) {}

  LogicalResult run();

private:
  LogicalResult bind(const MapUse &use);
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
    return emitError(value.getLoc(), "the tensor memory accelerator needs to "
                                     "know this before the kernel starts");
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
  // Dimensions that the tile does not have are passed one by one.
  unsigned rank = desc.getResult().getType().getRank();
  SmallVector<int64_t> box(rank - use.plan.box.size(), 1);
  llvm::append_range(box, use.plan.box);
  FailureOr<Attribute> base = program(desc.getBase());
  FailureOr<Attribute> shape = programs(desc.getShape());
  FailureOr<Attribute> strides = programs(desc.getStrides());
  if (failed(base) || failed(shape) || failed(strides))
    return failure();
  auto named = [&](StringRef name, Attribute value) {
    return b.getNamedAttr(name, value);
  };
  return b.getDictionaryAttr(
      {named("base", *base), named("box", b.getDenseI64ArrayAttr(box)),
       named("element", TypeAttr::get(use.element)),
       named("padding", b.getStringAttr(stringifyPadding(desc.getPadding()))),
       named("shape", *shape), named("strides", *strides),
       named("swizzle", b.getI32IntegerAttr(use.plan.swizzleBytes))});
}

LogicalResult MapBinder::bind(const MapUse &use) {
  OpOperand &operand = *use.descriptor;
  auto desc = operand.get().getDefiningOp<tile::MakeDescriptorOp>();
  if (!desc)
    return operand.getOwner()->emitError(
        "the descriptor must be made in the same kernel");
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
  operand.set(func.getArgument(first + number));
  return success();
}

/// Only for reductions are elements more than bits. Maxima and minima of
/// signed integers need to know them; all others are the same, or there only,
/// for unsigned ones.
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

/// The descriptor that the copies of `op` name, if it makes any.
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

LogicalResult MapBinder::run() {
  WalkResult result = func.walk([&](Operation *op) -> WalkResult {
    std::optional<MapUse> use = getMapUse(op);
    if (!use || !isa<tile::DescType>(use->descriptor->get().getType()))
      return WalkResult::advance();
    return bind(*use);
  });
  if (result.wasInterrupted())
    return failure();
  if (maps.empty())
    return success();
  unsigned first = func.getNumArguments() - maps.size();
  for (auto [number, map] : llvm::enumerate(maps)) {
    NamedAttrList entries(cast<DictionaryAttr>(map));
    entries.set("argument", b.getI32IntegerAttr(first + number));
    map = entries.getDictionary(func.getContext());
  }
  func->setAttr(WarpDialect::kTensorMapsAttr, b.getArrayAttr(maps));
  return success();
}

namespace {
struct BindTensorMaps : warp::impl::BindTensorMapsBase<BindTensorMaps> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<tile::FuncOp>())
      if (failed(MapBinder(func).run()))
        return signalPassFailure();
  }
};
} // namespace
