// Registers and occupancy of kernels with roles.
#ifndef TILEWRIGHT_LIB_ANALYSIS_TARGET_ROLEREGISTERS_H
#define TILEWRIGHT_LIB_ANALYSIS_TARGET_ROLEREGISTERS_H

#include "dialect/Warp/WarpOps.h"

namespace tilewright::warp {

/// Returns the CTAs that fit on an SM if each role takes its register budget,
/// or 1 without budgets.
int32_t countCtasPerSm(SpecializeOp roles);

/// Returns the registers of a thread before the roles reallocate them.
int32_t getInitialRegisters(SpecializeOp roles);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_ANALYSIS_TARGET_ROLEREGISTERS_H
