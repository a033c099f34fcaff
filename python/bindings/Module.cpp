// The extension module: one init function per area.

#include "python/bindings/Bindings.h"

PYBIND11_MODULE(_tilewright, module, pybind11::mod_gil_not_used()) {
  module.doc() = "Tilewright's compiler and runtime";
  // At exit, threads may still be compiling while static objects are destroyed.
  tw_compiler_open();
  Py_AtExit(tw_compiler_close);
  tilewright::python::initIr(module);
  tilewright::python::initCompiler(module);
  tilewright::python::initRuntime(module);
  tilewright::python::initCuda(module);
}
