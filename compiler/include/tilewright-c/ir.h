/* Building IR through Tilewright's C API.
 *
 * Handles are plain pointers. A context owns everything made in it and must not
 * be used by two threads at once. Functions that can fail give NULL (or false)
 * and leave diagnostics in the context; none of them throws or aborts.
 */

#ifndef TILEWRIGHT_COMPILER_INCLUDE_TILEWRIGHT_C_IR_H
#define TILEWRIGHT_COMPILER_INCLUDE_TILEWRIGHT_C_IR_H

#include "tilewright-c/support.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_context tw_context;
typedef struct tw_module tw_module;
typedef struct tw_builder tw_builder;
typedef const struct tw_opaque_type *tw_type;
typedef const struct tw_opaque_attr *tw_attr;
typedef const struct tw_opaque_loc *tw_loc;
typedef struct tw_opaque_op *tw_op;
typedef struct tw_opaque_region *tw_region;
typedef struct tw_opaque_block *tw_block;
typedef const struct tw_opaque_value *tw_value;

/* Contexts */

TW_EXPORT tw_context *tw_context_create(void);
TW_EXPORT void tw_context_destroy(tw_context *context);

/** The diagnostics since the last call, as a JSON array of
 *  {"severity": "error"|"warning"|"remark", "message": str,
 *   "frames": [{"file", "line", "column", "end_line", "end_column",
 *               "function"}, ...] innermost call first, "notes": [...]}.
 *  End columns are exclusive. An unknown function is empty. */
TW_EXPORT tw_string tw_context_take_diagnostics(tw_context *context);

/* Types, attributes and locations */

/** The type written as `text`; NULL if it is invalid. */
TW_EXPORT tw_type tw_type_parse(tw_context *context, const char *text);
TW_EXPORT tw_string tw_type_print(tw_type type);
/** The attribute written as `text`; NULL if it is invalid. */
TW_EXPORT tw_attr tw_attr_parse(tw_context *context, const char *text);
TW_EXPORT tw_string tw_attr_print(tw_attr attr);
TW_EXPORT tw_attr tw_attr_string(tw_context *context, const char *data,
                                 size_t size);

/** The range of an expression; `end_column` is exclusive. */
TW_EXPORT tw_loc tw_loc_range(tw_context *context, const char *file,
                              unsigned line, unsigned column, unsigned end_line,
                              unsigned end_column);
/** `loc` in the body of `function`. */
TW_EXPORT tw_loc tw_loc_function(tw_context *context, const char *function,
                                 tw_loc loc);
/** `callee` inlined at the call `caller`. */
TW_EXPORT tw_loc tw_loc_call(tw_loc callee, tw_loc caller);

/* Modules */

TW_EXPORT tw_module *tw_module_create(tw_context *context);
/** Parses IR in text form; NULL with diagnostics if it is invalid. */
TW_EXPORT tw_module *tw_module_parse(tw_context *context, const char *text,
                                     size_t size, const char *file);
TW_EXPORT void tw_module_destroy(tw_module *module);
TW_EXPORT tw_context *tw_module_context(tw_module *module);
TW_EXPORT tw_block tw_module_body(tw_module *module);
TW_EXPORT bool tw_module_verify(tw_module *module);
TW_EXPORT tw_string tw_module_print(tw_module *module, bool with_locations);
/** The module with locations as MLIR's bytecode, identical in every process;
 *  empty if it cannot be written. */
TW_EXPORT tw_string tw_module_bytecode(tw_module *module);

/* Builders */

TW_EXPORT tw_builder *tw_builder_create(tw_context *context);
TW_EXPORT void tw_builder_destroy(tw_builder *builder);
TW_EXPORT void tw_builder_set_loc(tw_builder *builder, tw_loc loc);
TW_EXPORT void tw_builder_set_insertion_point_to_end(tw_builder *builder,
                                                     tw_block block);
TW_EXPORT void tw_builder_set_insertion_point_to_start(tw_builder *builder,
                                                       tw_block block);
TW_EXPORT void tw_builder_set_insertion_point(tw_builder *builder,
                                              tw_op before);
/** The block that ops are inserted into; NULL if none was set. */
TW_EXPORT tw_block tw_builder_block(tw_builder *builder);
/** The op that new ones are inserted before; NULL at the end of the block. */
TW_EXPORT tw_op tw_builder_next_op(tw_builder *builder);

typedef struct tw_named_attr {
  const char *name;
  tw_attr attr;
} tw_named_attr;

typedef struct tw_op_spec {
  const char *name;
  /** A NULL operand is an omitted optional one. */
  const tw_value *operands;
  size_t num_operands;
  const tw_named_attr *attrs;
  size_t num_attrs;
  /** Ignored with infer_types: then the op infers them itself. */
  const tw_type *result_types;
  size_t num_result_types;
  bool infer_types;
  size_t num_regions;
} tw_op_spec;

/** Creates the op at the builder's insertion point and location. Verifies it
 *  unless it has regions still to be filled. NULL with diagnostics on
 *  failure. */
TW_EXPORT tw_op tw_op_create(tw_builder *builder, const tw_op_spec *spec);
/** Erases an op; false, without a change, if its results still have uses. */
TW_EXPORT bool tw_op_erase(tw_op op);
TW_EXPORT bool tw_op_verify(tw_op op);
TW_EXPORT size_t tw_op_num_results(tw_op op);
TW_EXPORT tw_value tw_op_result(tw_op op, size_t index);
TW_EXPORT size_t tw_op_num_regions(tw_op op);
TW_EXPORT tw_region tw_op_region(tw_op op, size_t index);
TW_EXPORT void tw_op_set_attr(tw_op op, const char *name, tw_attr attr);
TW_EXPORT tw_string tw_op_print(tw_op op);

TW_EXPORT tw_block tw_region_append_block(tw_region region,
                                          const tw_type *types,
                                          size_t num_types, tw_loc loc);
/** Moves the blocks of `from`, which becomes empty, to the end of `region`. */
TW_EXPORT void tw_region_take_blocks(tw_region region, tw_region from);
TW_EXPORT size_t tw_block_num_args(tw_block block);
TW_EXPORT tw_value tw_block_arg(tw_block block, size_t index);
TW_EXPORT tw_value tw_block_add_arg(tw_block block, tw_type type, tw_loc loc);
/** The terminator of the block; NULL if it has none yet. */
TW_EXPORT tw_op tw_block_terminator(tw_block block);
/** Erases the ops of the block without uses and side effects. */
TW_EXPORT void tw_block_erase_unused(tw_block block);
/** Erases a block and its contents, even if its values still have uses. */
TW_EXPORT void tw_block_erase(tw_block block);

TW_EXPORT tw_type tw_value_type(tw_value value);
/** The attribute of an integer, float or splat constant; NULL for other values.
 */
TW_EXPORT tw_attr tw_value_constant(tw_value value);
/** Adds the promise `name` ("tile.divisibility", ...), an i32 array, to a value
 *  of the builder's block, where it holds. The promise goes to the op of the
 *  value or, for divisibility, to the function of an argument. For loop-carried
 *  tiles of pointers it goes to the loads and stores through them after the
 *  builder. False if no such op exists. */
TW_EXPORT bool tw_value_promise(tw_builder *builder, tw_value value,
                                const char *name, tw_attr promise);
/** Promises consequences of a condition that holds after the builder: values
 *  that are not negative, and scalars that are multiples of constants
 *  (comparisons of remainders with zero). */
TW_EXPORT void tw_value_assume(tw_builder *builder, tw_value condition);
TW_EXPORT void tw_value_replace_all_uses(tw_value value, tw_value with);

#ifdef __cplusplus
}
#endif

#endif /* TILEWRIGHT_COMPILER_INCLUDE_TILEWRIGHT_C_IR_H */
