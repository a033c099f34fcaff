// Python bindings of contexts, modules, builders and ops.

#include "python/bindings/Bindings.h"
#include "python/launcher/Ending.h"

#include <unordered_map>
#include <vector>

namespace py = pybind11;
using namespace tilewright::python;

namespace {
// Handles that live as long as their context; Python treats them as values.
template <typename T> struct Handle {
  T raw;
  bool operator==(const Handle &other) const { return raw == other.raw; }
};
using Type = Handle<tw_type>;
using Attr = Handle<tw_attr>;
using Loc = Handle<tw_loc>;
using Op = Handle<tw_op>;
using Region = Handle<tw_region>;
using Block = Handle<tw_block>;
using Value = Handle<tw_value>;

py::object diagnosticError;

struct InsertionPoint {
  tw_block block;
  tw_op before;
};

struct Builder {
  explicit Builder(ContextPtr context)
      : context(std::move(context)),
        handle(tw_builder_create(this->context->handle)) {}
  ~Builder() { tw_builder_destroy(handle); }
  Builder(const Builder &) = delete;

  Attr parseAttr(const std::string &text) {
    auto [it, isNew] = attrs.try_emplace(text, Attr{nullptr});
    if (isNew)
      it->second.raw = tw_attr_parse(context->handle, text.c_str());
    if (!it->second.raw) {
      attrs.erase(it);
      throwDiagnostics(*context);
    }
    return it->second;
  }

  Op create(const std::string &name,
            const std::vector<std::optional<Value>> &operands,
            const py::dict &attributes,
            const std::optional<std::vector<Type>> &types, size_t regions);

  InsertionPoint save() {
    return {tw_builder_block(handle), tw_builder_next_op(handle)};
  }
  void restore(const InsertionPoint &point) {
    if (point.before)
      tw_builder_set_insertion_point(handle, point.before);
    else if (point.block)
      tw_builder_set_insertion_point_to_end(handle, point.block);
  }

  ContextPtr context;
  tw_builder *handle;
  // Kernels use few distinct attributes many times.
  std::unordered_map<std::string, Attr> attrs;
};
} // namespace

Op Builder::create(const std::string &name,
                   const std::vector<std::optional<Value>> &operands,
                   const py::dict &attributes,
                   const std::optional<std::vector<Type>> &types,
                   size_t regions) {
  std::vector<tw_value> values;
  for (const std::optional<Value> &operand : operands)
    values.push_back(operand ? operand->raw : nullptr);
  std::vector<std::string> names;
  std::vector<tw_named_attr> named;
  names.reserve(attributes.size());
  for (auto [key, value] : attributes) {
    names.push_back(py::cast<std::string>(key));
    Attr attr = py::isinstance<py::str>(value)
                    ? parseAttr(py::cast<std::string>(value))
                    : py::cast<Attr>(value);
    named.push_back({names.back().c_str(), attr.raw});
  }
  std::vector<tw_type> results;
  if (types)
    for (Type type : *types)
      results.push_back(type.raw);
  tw_op_spec spec = {name.c_str(),   values.data(),      values.size(),
                     named.data(),   named.size(),       results.data(),
                     results.size(), !types.has_value(), regions};
  tw_op op = tw_op_create(handle, &spec);
  if (!op)
    throwDiagnostics(*context);
  return {op};
}

void tilewright::python::throwDiagnostics(Context &context) {
  const py::object json =
      newReference([] { return PyImport_ImportModule("json"); });
  const py::object list = callMethod(
      json, "loads", take(tw_context_take_diagnostics(context.handle)));
  const py::object error = callPython(diagnosticError, py::make_tuple(list));
  PyErr_SetObject(diagnosticError.ptr(), error.ptr());
  throw py::error_already_set();
}

template <typename T>
static py::class_<Handle<T>> defineHandle(py::module_ &module,
                                          const char *name) {
  return py::class_<Handle<T>>(module, name)
      .def("__eq__", [](const Handle<T> &self,
                        const Handle<T> &other) { return self == other; })
      .def("__eq__",
           [](const Handle<T> &, const py::object &) { return false; })
      .def("__hash__", [](const Handle<T> &self) {
        return reinterpret_cast<size_t>(self.raw);
      });
}

static void defineHandles(py::module_ &module) {
  defineHandle<tw_type>(module, "Type").def("__str__", [](Type self) {
    return take(tw_type_print(self.raw));
  });
  defineHandle<tw_attr>(module, "Attr").def("__str__", [](Attr self) {
    return take(tw_attr_print(self.raw));
  });
  defineHandle<tw_loc>(module, "Loc");
  defineHandle<tw_value>(module, "Value")
      .def_property_readonly(
          "type", [](Value self) { return Type{tw_value_type(self.raw)}; })
      .def_property_readonly(
          "constant",
          [](Value self) -> std::optional<Attr> {
            tw_attr attr = tw_value_constant(self.raw);
            return attr ? std::optional(Attr{attr}) : std::nullopt;
          },
          "The attribute of a constant; None for other values.")
      .def("replace_all_uses_with", [](Value self, Value other) {
        tw_value_replace_all_uses(self.raw, other.raw);
      });
  defineHandle<tw_region>(module, "Region")
      .def(
          "append_block",
          [](Region self, const std::vector<Type> &types, Loc loc) {
            std::vector<tw_type> raw;
            for (Type type : types)
              raw.push_back(type.raw);
            return Block{tw_region_append_block(self.raw, raw.data(),
                                                raw.size(), loc.raw)};
          },
          py::arg("types"), py::arg("loc"))
      .def(
          "take_blocks",
          [](Region self, Region from) {
            tw_region_take_blocks(self.raw, from.raw);
          },
          py::arg("source"), "Moves the blocks of another region here.");
  defineHandle<tw_block>(module, "Block")
      .def_property_readonly("args",
                             [](Block self) {
                               std::vector<Value> args;
                               for (size_t i = 0;
                                    i != tw_block_num_args(self.raw); ++i)
                                 args.push_back({tw_block_arg(self.raw, i)});
                               return args;
                             })
      .def("add_arg",
           [](Block self, Type type, Loc loc) {
             return Value{tw_block_add_arg(self.raw, type.raw, loc.raw)};
           })
      .def_property_readonly("terminator",
                             [](Block self) -> std::optional<Op> {
                               tw_op op = tw_block_terminator(self.raw);
                               return op ? std::optional(Op{op}) : std::nullopt;
                             })
      .def("erase_unused", [](Block self) { tw_block_erase_unused(self.raw); })
      .def("erase", [](Block self) { tw_block_erase(self.raw); });
}

static void defineOps(py::module_ &module) {
  defineHandle<tw_op>(module, "Op")
      .def("__str__", [](Op self) { return take(tw_op_print(self.raw)); })
      .def_property_readonly("results",
                             [](Op self) {
                               std::vector<Value> results;
                               for (size_t i = 0;
                                    i != tw_op_num_results(self.raw); ++i)
                                 results.push_back({tw_op_result(self.raw, i)});
                               return results;
                             })
      .def_property_readonly("regions",
                             [](Op self) {
                               std::vector<Region> regions;
                               for (size_t i = 0;
                                    i != tw_op_num_regions(self.raw); ++i)
                                 regions.push_back({tw_op_region(self.raw, i)});
                               return regions;
                             })
      .def("set_attr",
           [](Op self, const std::string &name, Attr attr) {
             tw_op_set_attr(self.raw, name.c_str(), attr.raw);
           })
      .def("erase", [](Op self) {
        if (!tw_op_erase(self.raw))
          throw py::value_error("the op's results are still used");
      });
}

static void defineContext(py::module_ &module) {
  py::class_<Context, ContextPtr>(module, "Context")
      .def(py::init<>())
      .def("type",
           [](Context &self, const std::string &text) {
             tw_type type = tw_type_parse(self.handle, text.c_str());
             if (!type) {
               take(tw_context_take_diagnostics(self.handle));
               throw py::value_error("not a type: " + text);
             }
             return Type{type};
           })
      .def("attr",
           [](Context &self, const std::string &text) {
             tw_attr attr = tw_attr_parse(self.handle, text.c_str());
             if (!attr) {
               take(tw_context_take_diagnostics(self.handle));
               throw py::value_error("not an attribute: " + text);
             }
             return Attr{attr};
           })
      .def("string_attr",
           [](Context &self, const std::string &text) {
             return Attr{tw_attr_string(self.handle, text.data(), text.size())};
           })
      .def(
          "loc",
          [](Context &self, const std::string &file, unsigned line,
             unsigned column, unsigned endLine, unsigned endColumn,
             const std::string &function) {
            tw_loc range = tw_loc_range(self.handle, file.c_str(), line, column,
                                        endLine, endColumn);
            return Loc{
                function.empty()
                    ? range
                    : tw_loc_function(self.handle, function.c_str(), range)};
          },
          py::arg("file"), py::arg("line"), py::arg("column"),
          py::arg("end_line"), py::arg("end_column"), py::arg("function") = "",
          "An expression in the body of a function. The end column is "
          "exclusive.")
      .def("call_loc",
           [](Context &, Loc callee, Loc caller) {
             return Loc{tw_loc_call(callee.raw, caller.raw)};
           })
      .def("module",
           [](const ContextPtr &self) {
             return std::make_unique<Module>(self,
                                             tw_module_create(self->handle));
           })
      .def(
          "parse",
          [](const ContextPtr &self, const std::string &text,
             const std::string &file) {
            tw_module *module = tw_module_parse(self->handle, text.data(),
                                                text.size(), file.c_str());
            if (!module)
              throwDiagnostics(*self);
            return std::make_unique<Module>(self, module);
          },
          py::arg("text"), py::arg("file") = "<string>")
      .def("builder", [](const ContextPtr &self) {
        return std::make_unique<Builder>(self);
      });
}

static void defineBuilder(py::module_ &module) {
  py::class_<InsertionPoint>(module, "InsertionPoint");
  py::class_<Builder>(module, "Builder")
      .def("create", &Builder::create, py::arg("name"), py::arg("operands"),
           py::arg("attrs") = py::dict(), py::arg("result_types") = py::none(),
           py::arg("regions") = 0,
           "Makes an op. Operands may be None where optional; attributes are "
           "Attr or their "
           "text; result types are inferred where not given. Raises "
           "DiagnosticError.")
      .def("set_loc", [](Builder &self,
                         Loc loc) { tw_builder_set_loc(self.handle, loc.raw); })
      .def("set_insertion_point_to_end",
           [](Builder &self, Block block) {
             tw_builder_set_insertion_point_to_end(self.handle, block.raw);
           })
      .def("set_insertion_point_to_start",
           [](Builder &self, Block block) {
             tw_builder_set_insertion_point_to_start(self.handle, block.raw);
           })
      .def("set_insertion_point_before",
           [](Builder &self, Op op) {
             tw_builder_set_insertion_point(self.handle, op.raw);
           })
      .def_property_readonly("block",
                             [](Builder &self) -> std::optional<Block> {
                               tw_block block = tw_builder_block(self.handle);
                               return block ? std::optional(Block{block})
                                            : std::nullopt;
                             })
      .def(
          "promise",
          [](Builder &self, Value value, const std::string &name,
             const std::string &text) {
            return tw_value_promise(self.handle, value.raw, name.c_str(),
                                    self.parseAttr(text).raw);
          },
          py::arg("value"), py::arg("name"), py::arg("values"),
          "Adds a promise about a value of this block; returns success.")
      .def(
          "assume",
          [](Builder &self, Value condition) {
            tw_value_assume(self.handle, condition.raw);
          },
          py::arg("condition"),
          "Promises consequences of a true condition for numbers.")
      .def("save", &Builder::save)
      .def("restore", &Builder::restore);
}

static void defineModule(py::module_ &module) {
  py::class_<Module>(module, "Module")
      .def("__str__",
           [](Module &self) {
             return take(tw_module_print(self.handle, false));
           })
      .def(
          "print",
          [](Module &self, bool locations) {
            return take(tw_module_print(self.handle, locations));
          },
          py::arg("locations") = false)
      .def("bytecode",
           [](Module &self) {
             std::string bytes = take(tw_module_bytecode(self.handle));
             if (bytes.empty())
               throw std::runtime_error("the module has no bytecode");
             return py::bytes(bytes);
           })
      .def_property_readonly(
          "body",
          [](Module &self) { return Block{tw_module_body(self.handle)}; })
      .def_property_readonly("context",
                             [](Module &self) { return self.context; })
      .def("verify", [](Module &self) {
        if (!tw_module_verify(self.handle))
          throwDiagnostics(*self.context);
      });
}

void tilewright::python::initIr(py::module_ &module) {
  diagnosticError = py::reinterpret_steal<py::object>(PyErr_NewExceptionWithDoc(
      "tilewright._tilewright.DiagnosticError",
      "args[0] lists the diagnostics: dicts of severity, message, "
      "frames, innermost call first, and notes. A frame is a dict of file, "
      "line, column, end_line, end_column and function.",
      PyExc_Exception, nullptr));
  module.attr("DiagnosticError") = diagnosticError;
  defineHandles(module);
  defineOps(module);
  defineContext(module);
  defineModule(module);
  defineBuilder(module);
}
