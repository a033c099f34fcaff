/* Declarations shared by all headers of Tilewright's C API. */

#ifndef TILEWRIGHT_COMPILER_INCLUDE_TILEWRIGHT_C_SUPPORT_H
#define TILEWRIGHT_COMPILER_INCLUDE_TILEWRIGHT_C_SUPPORT_H

#include "tilewright-c/export.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes owned by the caller; release them with tw_string_free. Text is also
 *  terminated by a zero that `size` does not count. */
typedef struct tw_string {
  char *data;
  size_t size;
} tw_string;

TW_EXPORT void tw_string_free(tw_string string);

#ifdef __cplusplus
}
#endif

#endif /* TILEWRIGHT_COMPILER_INCLUDE_TILEWRIGHT_C_SUPPORT_H */
