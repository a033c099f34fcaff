// The occupancy of NVIDIA's GPUs.

#include "tilewright-c/occupancy.h"

#include "lib/Analysis/Target/Occupancy.h"

using namespace tilewright;

bool tw_occupancy(uint32_t compute_capability, int64_t num_warps,
                  int64_t registers, int64_t shared_bytes,
                  tw_ctas_per_sm *result) {
  const auto occupancy = Occupancy::find(compute_capability);
  if (!occupancy || num_warps < 1 || registers < 0 || shared_bytes < 0)
    return false;
  const CtasPerSm found =
      occupancy->countCtas(num_warps, registers, shared_bytes);
  *result = {found.get(),       found.byWarps,
             found.byCtas,      found.bySharedMemory,
             found.byRegisters, occupancy->getResources().maxWarps};
  return true;
}
