/* The occupancy of NVIDIA's GPUs. */

#ifndef TILEWRIGHT_COMPILER_INCLUDE_TILEWRIGHT_C_OCCUPANCY_H
#define TILEWRIGHT_COMPILER_INCLUDE_TILEWRIGHT_C_OCCUPANCY_H

#include "tilewright-c/support.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The CTAs that fit on an SM, by all resources and by each alone. */
typedef struct tw_ctas_per_sm {
  int64_t ctas;
  int64_t by_warps;
  /** The maximum of an SM. */
  int64_t by_ctas;
  int64_t by_shared_memory;
  /** INT64_MAX if the registers are not known. */
  int64_t by_registers;
  /** The maximum warps of an SM. */
  int64_t max_warps;
} tw_ctas_per_sm;

/** Counts the CTAs of `num_warps` warps that fit on an SM of a GPU. The compute
 *  capability is 10 * major + minor. A thread has `registers` registers, 0 if
 *  they are not known. A CTA has `shared_bytes` bytes of shared memory. Returns
 *  false for an unknown GPU and for numbers out of range: no warps, negative
 *  registers or bytes. */
TW_EXPORT bool tw_occupancy(uint32_t compute_capability, int64_t num_warps,
                            int64_t registers, int64_t shared_bytes,
                            tw_ctas_per_sm *result);

#ifdef __cplusplus
}
#endif

#endif /* TILEWRIGHT_COMPILER_INCLUDE_TILEWRIGHT_C_OCCUPANCY_H */
