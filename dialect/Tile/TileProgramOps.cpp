#include "dialect/Tile/TileOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace tilewright::tile;

#define GET_OP_CLASSES
#include "dialect/Tile/TileProgramOps.cpp.inc"

bool FuncOp::isKernel() { return (*this)->hasAttr(TileDialect::kKernelAttr); }

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult FuncOp::verify() {
  if (isExternal()) // C3
    return emitOpError("has no body");
  if (!isKernel())
    return success();
  if (!getResultTypes().empty()) // C1
    return emitOpError("is a kernel and must return nothing, returns ")
           << getResultTypes();
  for (auto [index, type] : llvm::enumerate(getArgumentTypes()))
    if (isa<ShapedType>(type)) // C2
      return emitOpError("is a kernel and takes scalars only, argument ")
             << index << " has type " << type;
  return success();
}

LogicalResult ReturnOp::verify() {
  auto func = cast<FuncOp>((*this)->getParentOp());
  if (getOperandTypes() != func.getResultTypes()) // C1
    return emitOpError("returns (")
           << getOperandTypes() << ") but '" << func.getName()
           << "' is declared to return (" << func.getResultTypes() << ")";
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto func = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!func)
    return emitOpError("calls '")
           << getCallee() << "', which is not a tile.func";
  if (func.isKernel()) // C1
    return emitOpError("calls '") << getCallee() << "', which is a kernel";
  if (!llvm::equal(getOperandTypes(), func.getArgumentTypes()) ||
      !llvm::equal(getResultTypes(), func.getResultTypes())) { // C2
    auto error = emitOpError("has type (")
                 << getOperandTypes() << ") -> (" << getResultTypes() << ")";
    error.attachNote(func.getLoc())
        << "the callee is declared as " << func.getFunctionType();
    return error;
  }
  return success();
}
