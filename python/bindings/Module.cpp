// The extension module: one init function an area.

#include "python/bindings/Bindings.h"

PYBIND11_MODULE(_tilewright, module, pybind11::mod_gil_not_used()) {
  module.doc() = "Tilewright's compiler and runtime";
  tilewright::python::initIr(module);
  tilewright::python::initCompiler(module);
  tilewright::python::initRuntime(module);
  tilewright::python::initCuda(module);
}
