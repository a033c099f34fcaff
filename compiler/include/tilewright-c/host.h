/* Host objects: from bytes to a function that tw_host_launch runs. */

#ifndef TILEWRIGHT_COMPILER_INCLUDE_TILEWRIGHT_C_HOST_H
#define TILEWRIGHT_COMPILER_INCLUDE_TILEWRIGHT_C_HOST_H

#include "tilewright-c/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An object file linked into this process. */
typedef struct tw_host_library tw_host_library;

/** Links the object file in `data` and finds the kernel `name` in it. The
 *  function lives as long as the library. Failures are those of runtime.h: a
 *  status, with the reason in tw_last_error(). */
TW_EXPORT tw_status tw_host_load(const void *data, size_t size,
                                 const char *name, tw_host_library **library,
                                 tw_host_kernel *kernel);
TW_EXPORT void tw_host_unload(tw_host_library *library);

/** This machine as a target: triple, processor, features. Machines with the
 *  same text can run each other's objects; it is part of cache keys. */
TW_EXPORT const char *tw_host_target(void);

#ifdef __cplusplus
}
#endif

#endif /* TILEWRIGHT_COMPILER_INCLUDE_TILEWRIGHT_C_HOST_H */
