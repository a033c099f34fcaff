/* The assemblers of PTX on this machine. */

#ifndef TILEWRIGHT_COMPILER_INCLUDE_TILEWRIGHT_C_ASSEMBLER_H
#define TILEWRIGHT_COMPILER_INCLUDE_TILEWRIGHT_C_ASSEMBLER_H

#include "tilewright-c/support.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The assemblers found on this machine, the preferred one first, as a JSON
 *  array of {"kind": "nvjitlink"|"ptxas", "name": "ptxas 13.0", "path": str,
 *  "max_ptx_version": 10 * major + minor}. `paths` are `count` files to try
 *  before the default paths. If the environment names a file that is not an
 *  assembler, the array has one {"error": str}. */
TW_EXPORT tw_string tw_assemblers_describe(const char *const *paths,
                                           size_t count);

#ifdef __cplusplus
}
#endif

#endif /* TILEWRIGHT_COMPILER_INCLUDE_TILEWRIGHT_C_ASSEMBLER_H */
