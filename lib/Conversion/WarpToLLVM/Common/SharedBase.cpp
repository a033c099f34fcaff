#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"

#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilewright;

// The widest swizzle of a shared tile has a period of this many bytes.
static constexpr unsigned kSharedAlignment = 1024;

void tilewright::declareSharedMemory(ModuleOp module) {
  if (module.lookupSymbol(kSharedSymbol))
    return;
  auto b =
      ImplicitLocOpBuilder::atBlockBegin(module.getLoc(), module.getBody());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  LLVM::GlobalOp::create(b, type, /*isConstant=*/false, LLVM::Linkage::External,
                         kSharedSymbol, Attribute(), kSharedAlignment,
                         kSharedSpace);
}

void tilewright::eraseUnusedSharedMemory(ModuleOp module) {
  Operation *symbol = module.lookupSymbol(kSharedSymbol);
  if (symbol && SymbolTable::symbolKnownUseEmpty(symbol, module))
    symbol->erase();
}

FailureOr<int64_t> tilewright::getSharedOffset(Operation *op) {
  if (auto offset =
          op->getAttrOfType<IntegerAttr>(warp::WarpDialect::kSharedOffsetAttr))
    return offset.getInt();
  return op->emitOpError("needs shared memory but has no '")
         << warp::WarpDialect::kSharedOffsetAttr << "'";
}

Value tilewright::emitSharedAddress(ImplicitLocOpBuilder &b, int64_t offset) {
  auto type = LLVM::LLVMPointerType::get(b.getContext(), kSharedSpace);
  Value base = LLVM::AddressOfOp::create(b, type, kSharedSymbol);
  if (offset != 0)
    base = LLVM::GEPOp::create(b, type, b.getI8Type(), base,
                               LLVM::GEPArg(int32_t(offset)));
  Value group = emitPingPongGroup(b);
  if (!group)
    return base;
  auto [roles, number] = *warp::SpecializeOp::getRole(b.getInsertionBlock());
  Value distance = emitI32(b, warp::getPingPongBytes(roles));
  return emitByteOffset(b, base, LLVM::MulOp::create(b, group, distance));
}

Value tilewright::emitByteOffset(ImplicitLocOpBuilder &b, Value base,
                                 Value offset) {
  return LLVM::GEPOp::create(b, base.getType(), b.getI8Type(), base, offset);
}

void tilewright::emitBarrier(ImplicitLocOpBuilder &b) {
  auto role = warp::SpecializeOp::getRole(b.getInsertionBlock());
  if (!role) {
    NVVM::Barrier0Op::create(b);
    return;
  }
  auto [roles, number] = *role;
  Value barrier = emitPingPongGroup(b);
  if (barrier)
    barrier = LLVM::AddOp::create(
        b, barrier, emitI32(b, getGroupBarrier(roles.getRoles().size(), 0)));
  else
    barrier = emitI32(b, getRoleBarrier(number));
  NVVM::BarrierOp::create(
      b, Type(), barrier,
      emitI32(b, roles.getWarpsPerPingPongGroup(number) * kWarpSize), {},
      Value());
}
