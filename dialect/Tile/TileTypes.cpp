#include "dialect/Tile/TileDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::tile;

#include "dialect/Tile/TileEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/Tile/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/Tile/TileTypes.cpp.inc"
      >();
}

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError,
                              Type pointee) {
  if (isa<PtrType, FloatType>(pointee))
    return success();
  if (auto integer = dyn_cast<IntegerType>(pointee)) {
    if (integer.isInteger(1))
      return emitError()
             << "booleans are kept in memory as bytes: point to i8, not i1";
    if (integer.isSignless())
      return success();
  }
  return emitError()
         << "pointee must be a signless integer, a float or a pointer, got "
         << pointee;
}

Type tilewright::tile::withElementType(Type type, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(element);
  return element;
}

Type tilewright::tile::getPointeeType(Type type) {
  auto ptr = dyn_cast<PtrType>(getElementTypeOrSelf(type));
  return ptr ? withElementType(type, ptr.getPointee()) : Type();
}

Type tilewright::tile::getBoolTypeLike(Type type) {
  return withElementType(type, IntegerType::get(type.getContext(), 1));
}
