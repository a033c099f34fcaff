// Declarations shared by the parts of the extension module.

#ifndef TILEWRIGHT_PYTHON_BINDINGS_BINDINGS_H
#define TILEWRIGHT_PYTHON_BINDINGS_BINDINGS_H

#include "tilewright-c/compiler.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>

namespace tilewright::python {

void initIr(pybind11::module_ &module);
void initCompiler(pybind11::module_ &module);
void initRuntime(pybind11::module_ &module);
void initCuda(pybind11::module_ &module);
/// Adds memory, streams, events and graphs to the module `cuda`.
void initCudaMemory(pybind11::module_ &cuda);

/// Takes over the ownership of text from the C API.
inline std::string take(tw_string string) {
  std::string text(string.data, string.size);
  tw_string_free(string);
  return text;
}

/// Owns a context. Modules and builders share the ownership, so that none
/// outlives it.
struct Context {
  Context() : handle(tw_context_create()) {}
  ~Context() { tw_context_destroy(handle); }
  Context(const Context &) = delete;
  tw_context *handle;
};
using ContextPtr = std::shared_ptr<Context>;

struct Module {
  Module(ContextPtr context, tw_module *handle)
      : context(std::move(context)), handle(handle) {}
  ~Module() { tw_module_destroy(handle); }
  Module(const Module &) = delete;
  ContextPtr context;
  tw_module *handle;
};

/// Raises DiagnosticError with the diagnostics that the context has collected.
[[noreturn]] void throwDiagnostics(Context &context);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_BINDINGS_BINDINGS_H
