// The extension module: one init function an area.

#include "python/bindings/Bindings.h"

PYBIND11_MODULE(_tilewright, module, pybind11::mod_gil_not_used()) {
  module.doc() = "Tilewright's compiler and runtime";
  // Threads of the program may still be compiling when its static objects go.
  tw_compiler_open();
  Py_AtExit(tw_compiler_close);
  tilewright::python::initIr(module);
  tilewright::python::initCompiler(module);
  tilewright::python::initRuntime(module);
  tilewright::python::initCuda(module);
}
