// How many programs the registers of a multiprocessor are shared out to.

#pragma once

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Target/RegisterFile.h"

#include "llvm/ADT/STLExtras.h"

namespace tilewright {

/// The programs that share a multiprocessor if each role takes the registers
/// that it asks for; 1 where none asks.
inline int32_t countProgramsByRegisters(warp::SpecializeOp op) {
  auto registers = op.getRegisters();
  if (!registers || registers->empty())
    return 1;
  int64_t asked = 0;
  for (auto [warps, count] : llvm::zip_equal(op.getWarps(), *registers))
    asked += int64_t(warps) * count;
  int64_t numWarps = llvm::sum_of(op.getWarps());
  int32_t programs = 1;
  while (getFirstRegisters(numWarps, programs + 1) * numWarps >= asked)
    ++programs;
  return programs;
}

} // namespace tilewright
