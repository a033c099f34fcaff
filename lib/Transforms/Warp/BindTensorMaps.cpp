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

/// Gives one function its maps.
class MapBinder {
public:
  explicit MapBinder(tile::FuncOp func) : func(func), b(func.getContext()) {}

  LogicalResult run();

private:
  LogicalResult bind(OpOperand &operand, const TmaPlan &plan);
  FailureOr<DictionaryAttr> describe(tile::MakeDescriptorOp desc,
                                     const TmaPlan &plan);
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
                                              const TmaPlan &plan) {
  tile::DescType type = desc.getResult().getType();
  // Dimensions that the tile does not have are passed one by one.
  SmallVector<int64_t> box(type.getRank() - plan.box.size(), 1);
  llvm::append_range(box, plan.box);
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
       named("element", TypeAttr::get(type.getElementType())),
       named("padding", b.getStringAttr(stringifyPadding(desc.getPadding()))),
       named("shape", *shape), named("strides", *strides),
       named("swizzle", b.getI32IntegerAttr(plan.swizzleBytes))});
}

/// Replaces a descriptor, whose blocks are copied as `plan` says.
LogicalResult MapBinder::bind(OpOperand &operand, const TmaPlan &plan) {
  auto desc = operand.get().getDefiningOp<tile::MakeDescriptorOp>();
  if (!desc)
    return operand.getOwner()->emitError(
        "the descriptor must be made in the same kernel");
  FailureOr<DictionaryAttr> map = describe(desc, plan);
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

/// The copies of `op` and the descriptor that they name, if it makes any.
static std::optional<std::pair<OpOperand *, TmaPlan>> getCopies(Operation *op) {
  if (auto load = dyn_cast<TmaLoadOp>(op)) {
    SharedType memory = load.getMemory().getType();
    return std::pair(&load.getMapMutable(),
                     *planTma(memory.getLayout().getLayout(),
                              8 * getElementBytes(memory.getElementType()),
                              load.getNumParts()));
  }
  if (auto store = dyn_cast<TmaStoreOp>(op))
    return std::pair(&store.getMapMutable(), TmaStorePlan::get(store.getSource().getType()).copies);
  return std::nullopt;
}

LogicalResult MapBinder::run() {
  WalkResult result = func.walk([&](Operation *op) -> WalkResult {
    auto copies = getCopies(op);
    if (!copies || !isa<tile::DescType>(copies->first->get().getType()))
      return WalkResult::advance();
    return bind(*copies->first, copies->second);
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
