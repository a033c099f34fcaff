// Passes from `warp` to `warp`, one file a phase.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_PASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_PASSES

include "lib/Transforms/Warp/CheckRings/CheckRingsPasses.td"
include "lib/Transforms/Warp/Pipeline/PipelinePasses.td"
include "lib/Transforms/Warp/Registers/RegistersPasses.td"
include "lib/Transforms/Warp/Schedule/SchedulePasses.td"
include "lib/Transforms/Warp/Schedule/WgmmaWaitPasses.td"
include "lib/Transforms/Warp/SharedMemory/SharedMemoryPasses.td"
include "lib/Transforms/Warp/Specialize/OrderPasses.td"
include "lib/Transforms/Warp/Specialize/SpecializePasses.td"

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_PASSES
