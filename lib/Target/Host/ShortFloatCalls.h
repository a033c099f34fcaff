// Conversions between float and the 16-bit formats, for processors that lack
// the instructions. Compilers ship them in a support library, but many machines
// have an old version or none.
#ifndef TILEWRIGHT_LIB_TARGET_HOST_SHORTFLOATCALLS_H
#define TILEWRIGHT_LIB_TARGET_HOST_SHORTFLOATCALLS_H

#include "lib/Target/Host/HostJit.h"

namespace tilewright::host {

/// Returns the functions under the names that LLVM calls them by.
llvm::ArrayRef<HostSymbol> shortFloatConversions();

} // namespace tilewright::host

#endif // TILEWRIGHT_LIB_TARGET_HOST_SHORTFLOATCALLS_H
