// Types below the `warp` level: a tile becomes one scalar per register.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_TYPECONVERTER_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_TYPECONVERTER_H

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

/// Returns the layout of a tile; for a scalar, the layout of rank 0.
LinearLayout getLayoutOrScalar(mlir::Type type);

/// Returns the number of registers in which a thread holds its part of a value:
/// one for a scalar.
unsigned getNumRegisters(mlir::Type type);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_TYPECONVERTER_H
