#include "compiler/Targets/RecipeOfKernel.h"

#include "dialect/Warp/ExtraSlots.h"
#include "dialect/Warp/WarpDialect.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

/// The driver's CUtensorMapDataType.
static int64_t getElementCode(Type element) {
  enum { UInt8, UInt16, UInt32, Int32, UInt64, Int64, F16, F32, F64, BF16 };
  return llvm::TypeSwitch<Type, int64_t>(element)
      .Case([](Float16Type) { return F16; })
      .Case([](BFloat16Type) { return BF16; })
      .Case([](Float32Type) { return F32; })
      .Case([](Float64Type) { return F64; })
      .Default([](Type type) {
        switch (type.getIntOrFloatBitWidth()) {
        case 64:
          return type.isUnsignedInteger() ? UInt64 : Int64;
        case 32:
          return type.isUnsignedInteger() ? UInt32 : Int32;
        case 16:
          return UInt16;
        default:
          return UInt8;
        }
      });
}

static void appendProgram(Attribute program, llvm::json::Array &numbers) {
  ArrayRef<int64_t> pairs = cast<DenseI64ArrayAttr>(program).asArrayRef();
  numbers.push_back(int64_t(pairs.size() / 2));
  llvm::append_range(numbers, pairs);
}

static void appendMap(DictionaryAttr map, llvm::json::Array &numbers) {
  Type element = cast<TypeAttr>(map.get("element")).getValue();
  ArrayRef<int64_t> box = cast<DenseI64ArrayAttr>(map.get("box")).asArrayRef();
  bool isNaN = cast<StringAttr>(map.get("padding")).getValue() == "nan";
  int64_t head[] = {getElementCode(element),
                    int64_t(element.getIntOrFloatBitWidth() / 8),
                    cast<IntegerAttr>(map.get("swizzle")).getInt(),
                    int64_t(isNaN), int64_t(box.size())};
  llvm::append_range(numbers, head);
  llvm::append_range(numbers, box);
  appendProgram(map.get("base"), numbers);
  for (StringRef list : {"shape", "strides"})
    for (Attribute program : cast<ArrayAttr>(map.get(list)))
      appendProgram(program, numbers);
}

/// The relation between the requested and the launched grid: see
/// runtime/cuda/LaunchRecipe.h.
enum GridKind { Given, Persistent, Padded, Ordered };

static GridKind getGridKind(FunctionOpInterface kernel) {
  if (kernel->hasAttr(warp::WarpDialect::kPersistentAttr))
    return Persistent;
  if (kernel->hasAttr(warp::WarpDialect::kOrderedAttr))
    return Ordered;
  return kernel->hasAttr(warp::WarpDialect::kPaddedGridAttr) ? Padded : Given;
}

/// Returns the number of parameters that such a grid adds.
static int64_t getNumAdded(GridKind grid) {
  switch (grid) {
  case Given:
    return 0;
  case Ordered:
    return 1;
  default:
    return 3;
  }
}

llvm::json::Array tilewright::getLaunchRecipe(FunctionOpInterface kernel) {
  using warp::WarpDialect;
  auto maps = kernel->getAttrOfType<ArrayAttr>(WarpDialect::kTensorMapsAttr);
  GridKind grid = getGridKind(kernel);
  if (!maps && grid == Given)
    return {};
  int64_t numMaps = maps ? maps.size() : 0;
  int64_t added = numMaps + getNumAdded(grid);
  llvm::json::Array numbers{int64_t(kernel.getNumArguments()) - added,
                            int64_t(grid), numMaps};
  if (maps)
    for (auto map : maps.getAsRange<DictionaryAttr>())
      appendMap(map, numbers);
  if (auto extra = kernel->getAttrOfType<IntegerAttr>(warp::kExtraSizeAttr))
    numbers.push_back(extra.getInt());
  return numbers;
}
