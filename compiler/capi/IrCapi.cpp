// Types, modules, builders and ops.

#include "compiler/capi/Handles.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilewright::capi;

template <typename T> static tw_string print(const T &value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  value.print(os);
  return copy(text);
}

//===----------------------------------------------------------------------===//
// Types, attributes, locations
//===----------------------------------------------------------------------===//

tw_type tw_type_parse(tw_context *context, const char *text) {
  return wrap(parseType(text, &context->context));
}

tw_string tw_type_print(tw_type type) { return print(unwrap(type)); }

tw_attr tw_attr_parse(tw_context *context, const char *text) {
  return wrap(parseAttribute(text, &context->context));
}

tw_string tw_attr_print(tw_attr attr) { return print(unwrap(attr)); }

tw_attr tw_attr_string(tw_context *context, const char *data, size_t size) {
  return wrap(StringAttr::get(&context->context, llvm::StringRef(data, size)));
}

tw_loc tw_loc_range(tw_context *context, const char *file, unsigned line,
                    unsigned column, unsigned end_line, unsigned end_column) {
  auto loc = FileLineColRange::get(&context->context, file, line, column,
                                   end_line, end_column);
  return static_cast<tw_loc>(loc.getAsOpaquePointer());
}

tw_loc tw_loc_function(tw_context *context, const char *function, tw_loc loc) {
  auto name = StringAttr::get(&context->context, function);
  auto named = NameLoc::get(name, Location(unwrap(loc)));
  return static_cast<tw_loc>(named.getAsOpaquePointer());
}

tw_loc tw_loc_call(tw_loc callee, tw_loc caller) {
  auto loc =
      CallSiteLoc::get(Location(unwrap(callee)), Location(unwrap(caller)));
  return static_cast<tw_loc>(loc.getAsOpaquePointer());
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

tw_module *tw_module_create(tw_context *context) {
  return new tw_module{context,
                       ModuleOp::create(UnknownLoc::get(&context->context))};
}

tw_module *tw_module_parse(tw_context *context, const char *text, size_t size,
                           const char *file) {
  auto module = parseSourceString<ModuleOp>(
      llvm::StringRef(text, size), ParserConfig(&context->context), file);
  return module ? new tw_module{context, std::move(module)} : nullptr;
}

void tw_module_destroy(tw_module *module) { delete module; }

tw_context *tw_module_context(tw_module *module) { return module->owner; }

tw_block tw_module_body(tw_module *module) {
  return wrap(module->module->getBody());
}

bool tw_module_verify(tw_module *module) {
  return succeeded(verify(*module->module));
}

tw_string tw_module_print(tw_module *module, bool with_locations) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  if (with_locations)
    flags.enableDebugInfo();
  module->module->print(os, flags);
  return copy(text);
}

tw_string tw_module_bytecode(tw_module *module) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (failed(writeBytecodeToFile(*module->module, os)))
    bytes.clear();
  return copy(bytes);
}

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

tw_builder *tw_builder_create(tw_context *context) {
  return new tw_builder(context);
}

void tw_builder_destroy(tw_builder *builder) { delete builder; }

void tw_builder_set_loc(tw_builder *builder, tw_loc loc) {
  builder->loc = unwrap(loc);
}

void tw_builder_set_insertion_point_to_end(tw_builder *builder,
                                           tw_block block) {
  builder->builder.setInsertionPointToEnd(unwrap(block));
}

void tw_builder_set_insertion_point_to_start(tw_builder *builder,
                                             tw_block block) {
  builder->builder.setInsertionPointToStart(unwrap(block));
}

void tw_builder_set_insertion_point(tw_builder *builder, tw_op before) {
  builder->builder.setInsertionPoint(unwrap(before));
}

tw_block tw_builder_block(tw_builder *builder) {
  return wrap(builder->builder.getInsertionBlock());
}

tw_op tw_builder_next_op(tw_builder *builder) {
  Block *block = builder->builder.getInsertionBlock();
  if (!block || builder->builder.getInsertionPoint() == block->end())
    return nullptr;
  return wrap(&*builder->builder.getInsertionPoint());
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

namespace {
/// The properties that an op gets from its attributes, checked before the op
/// exists. In an op, an attribute of the wrong kind would corrupt memory.
class Properties {
public:
  explicit Properties(RegisteredOperationName name)
      : name(name),
        storage(name.getOpPropertyByteSize() / sizeof(std::max_align_t) + 1) {
    if (name.getOpPropertyByteSize())
      name.initOpProperties(get(), OpaqueProperties(nullptr));
  }
  ~Properties() {
    if (name.getOpPropertyByteSize())
      name.destroyOpProperties(get());
  }
  Properties(const Properties &) = delete;

  OpaqueProperties get() {
    return name.getOpPropertyByteSize() ? OpaqueProperties(storage.data())
                                        : OpaqueProperties(nullptr);
  }
  LogicalResult set(DictionaryAttr attributes, Location loc) {
    if (!name.getOpPropertyByteSize())
      return success();
    return name.setOpPropertiesFromAttribute(name, get(), attributes, [&] {
      return emitError(loc) << "'" << name << "' op ";
    });
  }

private:
  RegisteredOperationName name;
  std::vector<std::max_align_t> storage;
};
} // namespace

/// Sets `state.types` to the types that the op infers from its operands and
/// attributes.
static LogicalResult inferTypes(OperationState &state,
                                RegisteredOperationName name,
                                Properties &properties) {
  if (name.hasTrait<OpTrait::ZeroResults>())
    return success();
  auto *interface = name.getInterface<InferTypeOpInterface>();
  if (!interface)
    return emitError(state.location)
           << "'" << name << "' does not infer its result types";
  return interface->inferReturnTypes(
      name.getContext(), state.location, state.operands,
      state.attributes.getDictionary(name.getContext()), properties.get(),
      state.regions, state.types);
}

/// Adds operands. Segment sizes encode omitted optional ones.
static void addOperands(OperationState &state, const tw_op_spec &spec,
                        Builder &builder, RegisteredOperationName name) {
  SmallVector<int32_t> segments;
  for (size_t i = 0; i != spec.num_operands; ++i) {
    segments.push_back(spec.operands[i] != nullptr);
    if (spec.operands[i])
      state.operands.push_back(unwrap(spec.operands[i]));
  }
  if (name.hasTrait<OpTrait::AttrSizedOperandSegments>() &&
      !state.attributes.get("operandSegmentSizes"))
    state.addAttribute("operandSegmentSizes",
                       builder.getDenseI32ArrayAttr(segments));
}

tw_op tw_op_create(tw_builder *handle, const tw_op_spec *spec) {
  OpBuilder &builder = handle->builder;
  // Loads the dialect, which this op may be the first to use.
  llvm::StringRef dialect = llvm::StringRef(spec->name).split('.').first;
  handle->owner->context.getOrLoadDialect(dialect);
  auto name =
      RegisteredOperationName::lookup(spec->name, &handle->owner->context);
  if (!name) {
    emitError(handle->loc) << "there is no op '" << spec->name << "'";
    return nullptr;
  }
  OperationState state(handle->loc, *name);
  for (size_t i = 0; i != spec->num_attrs; ++i)
    state.addAttribute(spec->attrs[i].name, unwrap(spec->attrs[i].attr));
  addOperands(state, *spec, builder, *name);
  for (size_t i = 0; i != spec->num_regions; ++i)
    state.addRegion();
  Properties properties(*name);
  if (failed(properties.set(
          state.attributes.getDictionary(&handle->owner->context),
          handle->loc)))
    return nullptr;
  if (!spec->infer_types) {
    for (size_t i = 0; i != spec->num_result_types; ++i)
      state.types.push_back(unwrap(spec->result_types[i]));
  } else if (size_t said = handle->owner->diagnostics.size();
             failed(inferTypes(state, *name, properties))) {
    // Some of MLIR's generated inference fails without a diagnostic.
    if (handle->owner->diagnostics.size() == said)
      emitError(handle->loc)
          << "no result type of '" << *name << "' follows from ("
          << ValueRange(state.operands).getTypes() << ")";
    return nullptr;
  }
  Operation *op = builder.create(state);
  if (spec->num_regions == 0 && !op->hasTrait<OpTrait::IsTerminator>() &&
      failed(verify(op, /*verifyRecursively=*/false))) {
    op->erase();
    return nullptr;
  }
  return wrap(op);
}

bool tw_op_erase(tw_op op) {
  if (!unwrap(op)->use_empty())
    return false;
  unwrap(op)->erase();
  return true;
}

bool tw_op_verify(tw_op op) { return succeeded(verify(unwrap(op))); }

size_t tw_op_num_results(tw_op op) { return unwrap(op)->getNumResults(); }

tw_value tw_op_result(tw_op op, size_t index) {
  return wrap(Value(unwrap(op)->getResult(index)));
}

size_t tw_op_num_regions(tw_op op) { return unwrap(op)->getNumRegions(); }

tw_region tw_op_region(tw_op op, size_t index) {
  return wrap(&unwrap(op)->getRegion(index));
}

void tw_op_set_attr(tw_op op, const char *name, tw_attr attr) {
  unwrap(op)->setAttr(name, unwrap(attr));
}

tw_string tw_op_print(tw_op op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  unwrap(op)->print(os);
  return copy(text);
}

//===----------------------------------------------------------------------===//
// Regions, blocks, values
//===----------------------------------------------------------------------===//

tw_block tw_region_append_block(tw_region region, const tw_type *types,
                                size_t num_types, tw_loc loc) {
  auto *block = new Block;
  for (size_t i = 0; i != num_types; ++i)
    block->addArgument(unwrap(types[i]), Location(unwrap(loc)));
  unwrap(region)->push_back(block);
  return wrap(block);
}

void tw_region_take_blocks(tw_region region, tw_region from) {
  unwrap(region)->getBlocks().splice(unwrap(region)->end(),
                                     unwrap(from)->getBlocks());
}

size_t tw_block_num_args(tw_block block) {
  return unwrap(block)->getNumArguments();
}

tw_value tw_block_arg(tw_block block, size_t index) {
  return wrap(Value(unwrap(block)->getArgument(index)));
}

tw_value tw_block_add_arg(tw_block block, tw_type type, tw_loc loc) {
  return wrap(
      Value(unwrap(block)->addArgument(unwrap(type), Location(unwrap(loc)))));
}

tw_op tw_block_terminator(tw_block block) {
  Block *it = unwrap(block);
  return it->mightHaveTerminator() ? wrap(it->getTerminator()) : nullptr;
}

void tw_block_erase_unused(tw_block block) {
  for (mlir::Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*unwrap(block))))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
}

void tw_block_erase(tw_block block) {
  Block *it = unwrap(block);
  it->dropAllDefinedValueUses();
  it->erase();
}

tw_type tw_value_type(tw_value value) { return wrap(unwrap(value).getType()); }

tw_attr tw_value_constant(tw_value value) {
  Attribute attr;
  return matchPattern(unwrap(value), m_Constant(&attr)) ? wrap(attr) : nullptr;
}

void tw_value_replace_all_uses(tw_value value, tw_value with) {
  unwrap(value).replaceAllUsesWith(unwrap(with));
}
