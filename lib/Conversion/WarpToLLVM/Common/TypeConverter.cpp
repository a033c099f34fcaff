#include "lib/Conversion/WarpToLLVM/Common/TypeConverter.h"

#include "dialect/Tile/TileTypes.h"
#include "dialect/Warp/WarpTypes.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

using namespace mlir;
using namespace tilewright;

static std::optional<LogicalResult>
convertTile(const TypeConverter &converter, RankedTensorType type,
            SmallVectorImpl<Type> &results) {
  // A pinned accumulator has no SSA values.
  if (warp::getPinnedAccAttr(type))
    return success();
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
  // The address and, for rings of transactions, the cursors of both ends and
  // the number of slots.
  addConversion(
      [](warp::RingType type, SmallVectorImpl<Type> &results) -> LogicalResult {
        results.push_back(
            LLVM::LLVMPointerType::get(type.getContext(), kSharedSpace));
        if (type.getCompletion() == warp::Completion::Transactions)
          results.append({LLVM::LLVMPointerType::get(type.getContext()),
                          LLVM::LLVMPointerType::get(type.getContext()),
                          IntegerType::get(type.getContext(), 32)});
        return success();
      });
  // The address of the barrier that ends the use of the slot.
  addConversion([](warp::SlotType type) -> Type {
    return IntegerType::get(type.getContext(), 32);
  });
  addConversion([](warp::TensorMapType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  addConversion([](warp::MapMemoryType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), kGlobalSpace);
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
