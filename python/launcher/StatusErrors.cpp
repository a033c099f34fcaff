#include "python/launcher/StatusErrors.h"

namespace py = pybind11;

namespace tilewright::python {

py::object exceptionFor(tw_status status) {
  const char *name = nullptr;
  switch (status) {
  case TW_INVALID_ARGUMENT:
    return py::reinterpret_borrow<py::object>(PyExc_ValueError);
  case TW_NOT_FOUND:
    return py::reinterpret_borrow<py::object>(PyExc_LookupError);
  case TW_IO_ERROR:
    return py::reinterpret_borrow<py::object>(PyExc_OSError);
  case TW_UNAVAILABLE:
  case TW_UNSUPPORTED:
  case TW_DRIVER_ERROR:
    name = "DriverError";
    break;
  case TW_OUT_OF_MEMORY:
    name = "OutOfResources";
    break;
  case TW_KERNEL_ASSERT:
    name = "KernelAssertError";
    break;
  default:
    name = "TilewrightError";
  }
  return py::module_::import("tilewright.errors").attr(name);
}

void setPythonError(tw_status status) {
  // The cause of the interruption has set an error.
  if (status == TW_INTERRUPTED)
    return;
  py::object exception = exceptionFor(status);
  PyErr_SetString(exception.ptr(), tw_last_error());
}

void check(tw_status status) {
  if (status == TW_OK)
    return;
  setPythonError(status);
  throw py::error_already_set();
}

} // namespace tilewright::python
