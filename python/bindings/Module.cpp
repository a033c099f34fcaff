// The extension module: one init function an area.

#include "python/bindings/Bindings.h"

PYBIND11_MODULE(_tilewright, module) {
  module.doc() = "Tilewright's compiler and runtime";
  tilewright::python::initIr(module);
  tilewright::python::initCompiler(module);
  tilewright::python::initRuntime(module);
  tilewright::python::initCuda(module);
}
