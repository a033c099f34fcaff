// PTX names of the types of mma and wgmma operands.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MMA_MMATYPES_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MMA_MMATYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright {

/// 32-bit registers of A in one instruction, for all types.
inline constexpr unsigned kWordsOfA = 4;

inline llvm::StringRef getPtxType(mlir::Type type) {
  return llvm::TypeSwitch<mlir::Type, llvm::StringRef>(type)
      .Case([](mlir::Float16Type) { return "f16"; })
      .Case([](mlir::BFloat16Type) { return "bf16"; })
      .Case([](mlir::Float32Type) { return "tf32"; })
      .Case([](mlir::Float8E4M3FNType) { return "e4m3"; })
      .Case([](mlir::Float8E5M2Type) { return "e5m2"; })
      .Default([](mlir::Type) { return "s8"; });
}

inline llvm::StringRef getPtxAccType(mlir::Type type) {
  if (type.isF16())
    return "f16";
  return type.isF32() ? "f32" : "s32";
}

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MMA_MMATYPES_H
