/* Compiling modules through Tilewright's C API. */

#ifndef TILEWRIGHT_COMPILER_INCLUDE_TILEWRIGHT_C_COMPILER_H
#define TILEWRIGHT_COMPILER_INCLUDE_TILEWRIGHT_C_COMPILER_H

#include "tilewright-c/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_artifact tw_artifact;

/** The version of the library. */
TW_EXPORT const char *tw_version(void);
/** A digest of the compiler's own code, for cache keys: it differs between any
 *  two builds that may compile a kernel differently. */
TW_EXPORT const char *tw_build_id(void);
/** The version of the LLVM inside. */
TW_EXPORT const char *tw_llvm_version(void);

/** Compiles the one kernel of `module`, which is not changed.
 *
 *  `options` is a JSON object:
 *    "target":      "cpu" (this machine), "cpu:x86-64-v3", "sm_90a", ...
 *                   (required)
 *    "num_warps":   warps of a program, a power of two          (4)
 *    "num_stages":  depth of software pipelines                 (3)
 *    "num_ctas":    CTAs of a cluster at most, 1 to 16          (1)
 *    "ping_pong":   two warpgroups alternate in computing tiles (false)
 *    "single_wave": no multiprocessor runs two CTAs of a launch (false)
 *    "maxnreg":     registers of a thread at most; 0: any       (0)
 *    "fit_registers": fail if loop-carried tiles take more registers
 *                   than a thread has                           (false)
 *    "debug":       check the compiler's own invariants, and the
 *                   module after each pass                      (false)
 *    "deterministic": fix the order of programs                (false)
 *    "cut_tf32":    truncate float32 operands to tf32          (false)
 *    "fuse_mul_add": round a * b + c once on GPUs              (true)
 *    "report":      collect remarks and lines, tw_artifact_report (false)
 *    "keep_ir":     keep the stages "tile", "warp" and "llvm"   (false)
 *                   on the way to others
 *    "stop_after":  "tile", "warp", "llvm", "ptx" or ""         ("": the
 *                   last stage)
 *    "assembler":   "auto", "nvjitlink", "ptxas" or "driver"    ("auto")
 *    "assembler_paths": files to try for the assemblers         ([])
 *    "ptx_version": e.g. 87; 0: the assembler's newest          (0)
 *    "symbol":      the symbol of the compiled kernel          (its name)
 *  NULL with diagnostics in the context on failure. */
TW_EXPORT tw_artifact *tw_module_compile(tw_module *module,
                                         const char *options);
/** Waits for the compilations of other threads and blocks new ones. For the end
 *  of a process, which may destroy objects in use. */
TW_EXPORT void tw_compiler_close(void);
/** Allows compilations again. */
TW_EXPORT void tw_compiler_open(void);
TW_EXPORT void tw_artifact_destroy(tw_artifact *artifact);

/** One stage: "tile", "warp", "llvm", "ptx", "cubin" or "obj". The artifact
 *  owns the bytes; NULL if there is no such stage. */
TW_EXPORT const char *tw_artifact_get(tw_artifact *artifact, const char *stage,
                                      size_t *size);
/** JSON: {"name", "target", "num_warps", "shared", "registers", "spills", ...}.
 */
TW_EXPORT const char *tw_artifact_metadata(tw_artifact *artifact);
/** JSON, a report of the compilation:
 *  {"times": of each pass, code generation and the assembler, in order:
 *     [{"stage": the stage that it belongs to, "name", "milliseconds"}, ...],
 *   "remarks": of passes, on transformations done or missed, if requested:
 *     [{"kind": "passed"|"missed"|"analysis", "pass", "name", "message",
 *       "values": {name: text}, "frames"}, ...],
 *   "lines": the source of the lines of a stage, if requested:
 *     {stage: [[line of its text, from 1, frames], ...]}}
 *  Frames are [file, line, column], the innermost call first. */
TW_EXPORT const char *tw_artifact_report(tw_artifact *artifact);

/** The main function of tilewright-opt. */
TW_EXPORT int tw_opt_main(int argc, char **argv);
/** The main function of tilewright-lsp-server. */
TW_EXPORT int tw_lsp_server_main(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif /* TILEWRIGHT_COMPILER_INCLUDE_TILEWRIGHT_C_COMPILER_H */
