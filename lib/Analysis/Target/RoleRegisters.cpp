#include "lib/Analysis/Target/RoleRegisters.h"

#include "lib/Analysis/Target/Occupancy.h"

using namespace tilewright;
using namespace tilewright::warp;

int32_t warp::countCtasPerSm(SpecializeOp roles) {
  auto registers = roles.getRegisters();
  if (!registers || registers->empty())
    return 1;
  int64_t budget = 0;
  for (auto [warps, count] : llvm::zip_equal(roles.getWarps(), *registers))
    budget += int64_t(warps) * count;
  return Occupancy().countCtasOfRoles(llvm::sum_of(roles.getWarps()), budget);
}

int32_t warp::getInitialRegisters(SpecializeOp roles) {
  return Occupancy().getInitialRegisters(countCtasPerSm(roles),
                                         llvm::sum_of(roles.getWarps()));
}
