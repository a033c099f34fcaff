// The number of CTAs that share the registers of an SM.

#pragma once

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Target/RegisterFile.h"

#include "llvm/ADT/STLExtras.h"

namespace tilewright {

/// Returns the number of CTAs that fit an SM if each role takes its register
/// budget, or 1 without budgets.
inline int32_t countCtasPerSm(warp::SpecializeOp op) {
  auto registers = op.getRegisters();
  if (!registers || registers->empty())
    return 1;
  int64_t asked = 0;
  for (auto [warps, count] : llvm::zip_equal(op.getWarps(), *registers))
    asked += int64_t(warps) * count;
  int64_t numWarps = llvm::sum_of(op.getWarps());
  int32_t ctas = 1;
  while (getFirstRegisters(numWarps, ctas + 1) * numWarps >= asked)
    ++ctas;
  return ctas;
}

} // namespace tilewright
