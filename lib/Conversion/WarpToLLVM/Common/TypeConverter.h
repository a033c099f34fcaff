// Types below the `warp` level: a tile becomes one scalar a register.

#pragma once

#include "lib/Layout/LinearLayout.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"

namespace tilewright {

/// A tile becomes the registers of its layout, in order; a pointer an address
/// of global memory; an 8-bit float an i8. `index` stays, since loops that
/// count with it are lowered later.
class WarpTypeConverter : public mlir::LLVMTypeConverter {
public:
  explicit WarpTypeConverter(mlir::MLIRContext *context);
};

/// The layout of a tile; that of nothing for a scalar.
LinearLayout getLayoutOrScalar(mlir::Type type);

/// The registers in which a thread holds its part of a value: one of a scalar.
unsigned getNumRegisters(mlir::Type type);

} // namespace tilewright
