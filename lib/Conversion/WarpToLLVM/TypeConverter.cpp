#include "lib/Conversion/WarpToLLVM/TypeConverter.h"

#include "dialect/Tile/TileTypes.h"
#include "dialect/Warp/WarpTypes.h"
#include "lib/Conversion/WarpToLLVM/SharedMemory.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

using namespace mlir;
using namespace tilewright;

static std::optional<LogicalResult>
convertTile(const TypeConverter &converter, RankedTensorType type,
            SmallVectorImpl<Type> &results) {
  std::optional<LinearLayout> layout = warp::getLayout(type);
  Type element = converter.convertType(type.getElementType());
  if (!layout || !element)
    return failure();
  results.append(layout->getInSize(LayoutAxis::Register), element);
  return success();
}

WarpTypeConverter::WarpTypeConverter(MLIRContext *context)
    : LLVMTypeConverter(context) {
  addConversion([](IndexType type) { return type; });
  addConversion([](tile::PtrType type) {
    return LLVM::LLVMPointerType::get(type.getContext(), kGlobalSpace);
  });
  addConversion([](warp::SharedType type) {
    return LLVM::LLVMPointerType::get(type.getContext(), kSharedSpace);
  });
  addConversion([](warp::RingType type) {
    return LLVM::LLVMPointerType::get(type.getContext(), kSharedSpace);
  });
  // The right to use a slot is nothing at run time.
  addConversion([](warp::SlotType, SmallVectorImpl<Type> &) -> LogicalResult {
    return success();
  });
  addConversion([this](RankedTensorType type, SmallVectorImpl<Type> &results) {
    return convertTile(*this, type, results);
  });
}

LinearLayout tilewright::getLayoutOrScalar(Type type) {
  return warp::getLayout(type).value_or(LinearLayout());
}

unsigned tilewright::getNumRegisters(Type type) {
  return getLayoutOrScalar(type).getInSize(LayoutAxis::Register);
}
