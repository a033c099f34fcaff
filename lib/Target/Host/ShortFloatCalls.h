// Conversions between float and its 16-bit relatives that code for processors
// without such instructions calls. Compilers ship them in a support library
// that not every machine has in a new enough version.
#ifndef TILEWRIGHT_LIB_TARGET_HOST_SHORTFLOATCALLS_H
#define TILEWRIGHT_LIB_TARGET_HOST_SHORTFLOATCALLS_H

#include "lib/Target/Host/HostJit.h"

namespace tilewright::host {

/// The functions under the names that LLVM calls them by.
llvm::ArrayRef<HostSymbol> shortFloatConversions();

} // namespace tilewright::host

#endif // TILEWRIGHT_LIB_TARGET_HOST_SHORTFLOATCALLS_H
