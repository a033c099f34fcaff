// How many programs the registers of a multiprocessor are shared out to.

#pragma once

#include "dialect/Warp/WarpOps.h"

#include <algorithm>

namespace tilewright {

/// The programs that share a multiprocessor if each role takes the registers
/// that it asks for; 1 where none asks.
inline int32_t countProgramsByRegisters(warp::SpecializeOp op) {
  constexpr int32_t kRegisters = 64 * 1024, kLanes = 32;
  auto registers = op.getRegisters();
  if (!registers || registers->empty())
    return 1;
  int32_t taken = 0;
  for (auto [warps, count] : llvm::zip_equal(op.getWarps(), *registers))
    taken += warps * kLanes * count;
  return std::max(kRegisters / taken, 1);
}

} // namespace tilewright
